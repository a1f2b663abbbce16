/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checking transforms that anyone computed; see check.h. If the device does not
 * check them itself (check_device.h), the host does: it checks the batch in
 * parts, the transforms of a part in parallel, and counts the results in order.
 * A copy of a part from device memory includes what lies between its elements;
 * if the batch index varies fastest, one part is the whole batch. */
#include "run/check/check.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/team.h"
#include "ft/offline.h"
#include "fft/desc.h"
#include "run/check/check_device.h"

/* COPY_BYTES: bytes of an array that are copied at once, unless one transform
 * takes more (or twice as much, if other transforms are interleaved with it);
 * PART: the most transforms of a part; SHARED_BYTES: bytes of a part from which
 * on threads pay. */
enum { COPY_BYTES = 1 << 26, PART = 4096, SHARED_BYTES = 1 << 20 };

/* One of the two arrays. `host` points to memory that the host reads: element 0
 * of transform `first`. */
typedef struct array {
    const char *base;     /* element 0 of the whole array */
    int64_t dist;         /* bytes from one transform to the next */
    int64_t below, above; /* bytes of one before and from its element 0 */
    char *copy;           /* copy of a part; NULL: the array is in host
                             memory */
    const char *host;
} array;

typedef struct judgement {
    stfi_ft_verdict verdict;
    double ratio;
} judgement;

typedef struct checker {
    stf_device *dev;
    stfi_ft_offline check;
    array in, out;
    int threads;
    int64_t part;         /* transforms */
    judgement *judgement; /* [part] */
} checker;

static array array_of(const stf_fft_desc *full, int output, const void *base)
{
    const stfi_kind *kind = stfi_kind_get(full->kind);
    const stf_layout *layout = output ? &full->out : &full->in;
    int parts = (output ? kind->real_out : kind->real_in) ? 1 : 2;
    int64_t bytes = parts * (int64_t)stfi_type_get(full->precision)->bytes;
    array a = {.base = base, .dist = layout->dist * bytes, .above = bytes};

    for (int axis = 0; axis < full->rank; axis++) {
        int64_t reach = (stfi_desc_extent(full, axis, output) - 1)
                        * layout->stride[axis] * bytes;
        *(reach < 0 ? &a.below : &a.above) += reach < 0 ? -reach : reach;
    }
    return a;
}

/* Returns the bytes that `count` successive transforms extend over, and how far
 * before element 0 of the first transform they begin. */
static int64_t span(const array *a, int64_t count, int64_t *before_p)
{
    int64_t reach = (count - 1) * a->dist;

    *before_p = a->below + (reach < 0 ? -reach : 0);
    return a->below + a->above + (reach < 0 ? -reach : reach);
}

/* Returns how many transforms may be copied at once. */
static int64_t copied_at_once(const array *a)
{
    int64_t before, one = span(a, 1, &before);
    int64_t most = COPY_BYTES > 2 * one ? COPY_BYTES : 2 * one;
    int64_t dist = a->dist < 0 ? -a->dist : a->dist;

    return dist > 0 ? 1 + (most - one) / dist : INT64_MAX;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static stf_status make_copy(array *a, int64_t part)
{
    int64_t before;
    void *memory;
    stf_status status = stfi_alloc_raw((size_t)span(a, part, &before),
                                       "a copy to be checked", &memory);

    if (status == STF_OK)
        a->copy = memory;
    return status;
}

static stf_status open_checker(const stf_fft_desc *full,
                               stf_direction direction, checker *c)
{
    stfi_ft_cache *cache;
    void *memory;
    stf_status status = stfi_device_checks(c->dev, &cache);

    if (status != STF_OK
        || (status = stfi_ft_offline_open(
                cache, full, direction,
                stfi_device_row_sums(c->dev, full->precision), &c->check))
               != STF_OK)
        return status;
    c->part = least(PART, full->batch);
    if (!stfi_host_is_device(c->dev)) {
        c->part = least(c->part,
                        least(copied_at_once(&c->in), copied_at_once(&c->out)));
        if ((status = make_copy(&c->in, c->part)) != STF_OK
            || (status = make_copy(&c->out, c->part)) != STF_OK)
            return status;
    }
    status = stfi_alloc((size_t)c->part * sizeof *c->judgement,
                        "the results of checks", &memory);
    if (status == STF_OK)
        c->judgement = memory;
    return status;
}

static void close_checker(checker *c)
{
    stfi_ft_offline_close(&c->check);
    stfi_dealloc(c->in.copy);
    stfi_dealloc(c->out.copy);
    stfi_dealloc(c->judgement);
}

/* Makes the transforms of a part readable for the host. */
static stf_status fetch(const checker *c, array *a, int64_t first,
                        int64_t count)
{
    int64_t before, bytes = span(a, count, &before);
    const char *from = a->base + first * a->dist;

    if (a->copy == NULL) {
        a->host = from;
        return STF_OK;
    }
    a->host = a->copy + before;
    return c->dev->backend->device->mem_copy(
        c->dev->ctx, a->copy, from - before, (size_t)bytes, STFI_TO_HOST, NULL);
}

static void judge_one(void *arg, int64_t t)
{
    const checker *c = arg;

    c->judgement[t].verdict = stfi_ft_offline_judge(
        &c->check, c->in.host + t * c->in.dist, c->out.host + t * c->out.dist,
        &c->judgement[t].ratio);
}

static void judge_part(checker *c, int64_t count)
{
    int64_t bytes = count * (c->in.above + c->in.below);

    stfi_team_each(bytes > SHARED_BYTES ? c->threads : 1, count, judge_one, c);
}

static void count_one(int64_t signal, const judgement *j, stfi_ft_ledger *l)
{
    const stf_ft_event event = {
        .pass = -1, .signal = signal, .residual = j->ratio};
    stfi_ft_result none = {.failed = 0};

    l->checked++;
    if (j->ratio > l->max_residual)
        l->max_residual = j->ratio;
    if (j->verdict == STFI_FT_UNVERIFIABLE)
        stfi_ft_note(l, &none, STFI_FT_NON_FINITE, &event, 1);
    else if (j->verdict == STFI_FT_FAULTY)
        stfi_ft_note(l, &none, STFI_FT_DETECTED, &event, 1);
}

static stf_status check_by_host(stf_device *dev, const stf_fft_desc *full,
                                stf_direction direction, const void *in,
                                const void *out, stf_ft_report *report_p)
{
    checker c = {.dev = dev,
                 .in = array_of(full, 0, in),
                 .out = array_of(full, 1, out),
                 .threads = stfi_device_threads(dev, full->threads)};
    stfi_ft_ledger ledger;
    stf_status status = open_checker(full, direction, &c);

    memset(&ledger, 0, sizeof ledger);
    for (int64_t first = 0; status == STF_OK && first < full->batch;
         first += c.part) {
        int64_t count = least(c.part, full->batch - first);
        if ((status = fetch(&c, &c.in, first, count)) != STF_OK
            || (status = fetch(&c, &c.out, first, count)) != STF_OK)
            break;
        judge_part(&c, count);
        for (int64_t t = 0; t < count; t++)
            count_one(first + t, &c.judgement[t], &ledger);
    }
    close_checker(&c);
    if (status != STF_OK)
        return status;
    stfi_ft_report_clear(report_p);
    stfi_ft_ledger_report(&ledger, report_p);
    return STF_OK;
}

/* If the device has not enough memory, or no kernel for the check, the host
 * does it. */
stf_status stfi_check_fft(stf_device *dev, const stf_fft_desc *full,
                          stf_direction direction, const void *in,
                          const void *out, stf_ft_report *report_p)
{
    stf_status status = STF_ERR_UNSUPPORTED;

    if (stfi_check_device_is_there(dev))
        status = stfi_check_device(dev, full, direction, in, out, report_p);
    if (status == STF_ERR_UNSUPPORTED || status == STF_ERR_MEMORY
        || status == STF_ERR_COMPILE)
        status = check_by_host(dev, full, direction, in, out, report_p);
    return status;
}
