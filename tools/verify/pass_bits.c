/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Hashes of passes; see pass_bits.h. */
#include "tools/verify/pass_bits.h"

#include <string.h>

#include "base/alloc.h"
#include "run/device.h"
#include "run/fft/fft_plan.h"

typedef struct prefix {
    stfi_setup *setup;
    const stfi_fft_plan *plan;
    stfi_schedule *schedule; /* of the first passes */
    char *host;              /* a copy of the workspace */
    size_t work_bytes;       /* of it that passes write */
} prefix;

/* Executes the first passes, from an empty workspace. */
static stf_status execute(const prefix *p)
{
    stfi_setup *t = p->setup;
    stf_device *dev = t->dev;
    const stfi_fft_ops *fft = dev->backend->fft;
    stfi_buffers buffers = {
        .in = t->in, .out = t->out, .work = p->plan->head.workspace};
    stfi_exec *exec = NULL;
    stf_status status = stfi_setup_load(t, 1);

    stfi_fft_plan_direct(p->plan, t->direction, &buffers);
    memset(p->host, 0, p->work_bytes);
    if (status == STF_OK && p->work_bytes > 0)
        status =
            stf_upload(dev, p->plan->head.workspace, p->host, p->work_bytes);
    if (status == STF_OK)
        status = stfi_fft_plan_part(p->plan, p->schedule, &exec);
    if (status >= STF_OK)
        status = fft->launch(exec, &buffers, NULL);
    if (status >= STF_OK)
        status = stf_synchronize(dev);
    fft->destroy(exec);
    return status < STF_OK ? status : STF_OK;
}

/* Returns where element e of a lane lies, which begins at `base`. */
static int64_t element_at(const stfi_side *side, int64_t base, int64_t e)
{
    return base
           + (side->block > 0 ? e % side->block * side->stride
                                    + e / side->block * side->block_stride
                              : e * side->stride);
}

static int64_t lane_at(const stfi_pass *p, int64_t lane)
{
    int64_t base = 0;

    for (int l = 0; l < p->nloops; l++) {
        base += lane % p->loop_n[l] * p->store.loop_stride[l];
        lane /= p->loop_n[l];
    }
    return base;
}

/* Returns how many elements a lane stores: of each of its signals if it has
 * two. */
static int64_t stored_elements(const stfi_pass *p)
{
    const int padded =
        p->conv == STFI_CONV_RADER || p->conv == STFI_CONV_BLUESTEIN;
    const int64_t n = padded ? p->signal : p->n;

    switch (stfi_op_get(p->op)->stores) {
    case STFI_LANE_SPECTRUM: return n + 1;
    case STFI_LANE_TWO_SPECTRA: return n / 2 + 1;
    default: return n;
    }
}

/* Hashes what a pass has stored to the workspace, lane by lane: gaps and
 * strides are the machine's own. */
static stfi_hash hash_lanes(const stfi_schedule *s, const stfi_pass *p,
                            const char *work)
{
    const size_t real =
        stfi_type_get(stfi_schedule_format(s, p->store.buf))->bytes;
    const size_t own = stfi_values_bytes(stfi_schedule_format(s, p->store.buf));
    const int signals = stfi_op_get(p->op)->two ? 2 : 1;
    const int64_t lanes = stfi_pass_lanes(p), n = stored_elements(p);
    stfi_hash hash = stfi_hash_begin();

    for (int64_t l = 0; l < lanes * signals; l++) {
        int64_t base = lane_at(p, l / signals) + l % signals * p->store.pair;
        for (int64_t e = 0; e < n; e++) {
            const char *at =
                work + (size_t)element_at(&p->store, base, e) * 2 * real;
            hash = stfi_hash_add(hash, at, own);
            hash = stfi_hash_add(hash, at + real, own);
        }
    }
    return hash;
}

/* Hashes the result of the last of the first passes. */
static stf_status hash_result(const prefix *p, stfi_hash *hash_p)
{
    const stfi_schedule *s = p->schedule;
    const stfi_pass *last = &s->pass[s->npasses - 1];
    stfi_setup *t = p->setup;
    stfi_digest digest;
    stf_status status;

    if (last->store.buf == STFI_BUF_WORK0
        || last->store.buf == STFI_BUF_WORK1) {
        const size_t from = last->store.buf == STFI_BUF_WORK1
                                ? stfi_schedule_slot_bytes(s, 0)
                                : 0;
        status = stf_download(t->dev, p->host, p->plan->head.workspace,
                              p->work_bytes);
        if (status == STF_OK)
            *hash_p = hash_lanes(s, last, p->host + from);
        return status;
    }
    status = stfi_setup_fetch(t);
    if (status == STF_OK)
        status = stfi_digest_compute(&t->full, t->host_out, "-", 0, &digest);
    if (status == STF_OK)
        *hash_p = digest.bits;
    return status;
}

/* 1 if each pass stores all transforms at once, and elements to the workspace
 * by strides. Lanes of passes without a tile share what they store. */
static int has_bits(const stfi_schedule *s)
{
    for (int i = 0; i < s->npasses; i++) {
        const stfi_side *to = &s->pass[i].store;
        if (to->buf != STFI_BUF_OUT && to->buf != STFI_BUF_IN
            && (to->form != STFI_FORM_COMPLEX || to->order != STFI_ORDER_NONE
                || to->limit > 0 || to->rows > 0
                || stfi_op_is_pairs(s->pass[i].op)))
            return 0;
    }
    return s->chunk == s->batch && s->slots == 1;
}

stf_status stfi_pass_bits_add(stfi_setup *t, stfi_digest *digest)
{
    prefix p = {.setup = t, .plan = stfi_fft_plan_of(t->plan)};
    const stfi_schedule *s = p.plan->schedule;
    stfi_hash bits[STFI_MAX_PASSES];
    stf_status status;
    void *one = NULL, *host = NULL;

    if (t->in_place || !has_bits(s))
        return STF_OK;
    p.work_bytes = stfi_schedule_work_bytes(s);
    status = stfi_alloc(sizeof *s, "a schedule", &one);
    if (status == STF_OK)
        status = stfi_alloc(p.work_bytes + 1, "a workspace", &host);
    p.schedule = one;
    p.host = host;
    for (int i = 0; status == STF_OK && i < s->npasses; i++) {
        *p.schedule = *s;
        p.schedule->npasses = i + 1;
        status = execute(&p);
        if (status == STF_OK)
            status = hash_result(&p, &bits[i]);
    }
    if (status == STF_OK)
        stfi_digest_set_passes(s, bits, digest);
    stfi_dealloc(host);
    stfi_dealloc(one);
    return status;
}
