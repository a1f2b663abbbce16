/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* One problem made ready to be run; see trial.h. */
#include "support/harness/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/oracle/naive.h"
#include "support/problem/component.h"
#include "base/status.h"
#include "fft/desc.h"

enum {
    GUARD_BYTES = 256,
    POISON = 0xff /* all bits set is a NaN in every precision */
};

int stfi_trial_parts(const stfi_trial *t, int output)
{
    const stfi_kind *kind = stfi_kind_get(t->full.kind);

    return (output ? kind->real_out : kind->real_in) ? 1 : 2;
}

int64_t stfi_trial_elements(const stfi_trial *t, int output)
{
    int64_t count = 1;
    int a;

    for (a = 0; a < t->full.rank; a++)
        count *= stfi_desc_extent(&t->full, a, output);
    return count;
}

int64_t stfi_trial_place(const stfi_trial *t, int output, int64_t b, int64_t i,
                         int part)
{
    const stf_layout *l = output ? &t->full.out : &t->full.in;
    int64_t at = b * l->dist;
    int a;

    for (a = t->full.rank - 1; a >= 0; a--) {
        int64_t e = stfi_desc_extent(&t->full, a, output);
        at += i % e * l->stride[a];
        i /= e;
    }
    return at * stfi_trial_parts(t, output) + part;
}

long double stfi_trial_get(const stfi_trial *t, const void *array,
                           int64_t place)
{
    return stfi_type_read(t->full.precision, array, place);
}

void stfi_trial_set(const stfi_trial *t, void *array, int64_t place,
                    long double value)
{
    stfi_type_write(t->full.precision, array, place, value);
}

static const stfi_fenced *array_of(const stfi_trial *t, int output)
{
    return &t->array[output && !t->problem.in_place];
}

void *stfi_trial_array(const stfi_trial *t, int output)
{
    const stfi_fenced *a = array_of(t, output);

    return a->block + a->origin * (int64_t)t->component_bytes;
}

static void mark(stfi_trial *t, int output)
{
    stfi_fenced *a = &t->array[output && !t->problem.in_place];
    int64_t count = stfi_trial_elements(t, output), b, i;
    int c;

    for (b = 0; b < t->full.batch; b++)
        for (i = 0; i < count; i++)
            for (c = 0; c < stfi_trial_parts(t, output); c++)
                a->mine[a->origin + stfi_trial_place(t, output, b, i, c)] = 1;
}

/* The element at the mirrored index, (n_a - i_a) mod n_a, on every axis but the
 * last, whose index stays the same; for half spectra. */
static int64_t mirrored(const stfi_trial *t, int64_t i)
{
    const stf_fft_desc *d = &t->full;
    int64_t pitch = stfi_desc_extent(d, d->rank - 1, 0), m = i % pitch;
    int a;

    i /= pitch;
    for (a = d->rank - 2; a >= 0; a--) {
        m += (d->n[a] - i % d->n[a]) % d->n[a] * pitch;
        i /= d->n[a];
        pitch *= d->n[a];
    }
    return m;
}

/* Makes the planes of a half spectrum that hold both an element and its mirror
 * image conjugate-even, since otherwise no real signal has this spectrum. A
 * spectrum of rank 1 stays as it is: the transform ignores the imaginary parts
 * that should be 0 there. */
static void make_hermitian(stfi_trial *t, void *in)
{
    const stf_fft_desc *d = &t->full;
    int64_t row = stfi_desc_extent(d, d->rank - 1, 0);
    int64_t count = stfi_trial_elements(t, 0), b, i, m;

    if (d->kind != STF_C2R || d->rank == 1)
        return;
    for (b = 0; b < d->batch; b++)
        for (i = 0; i < count; i++) {
            int64_t k = i % row;
            m = mirrored(t, i);
            if ((k != 0 && 2 * k != d->n[d->rank - 1]) || m > i)
                continue;
            stfi_trial_set(
                t, in, stfi_trial_place(t, 0, b, i, 0),
                stfi_trial_get(t, in, stfi_trial_place(t, 0, b, m, 0)));
            stfi_trial_set(t, in, stfi_trial_place(t, 0, b, i, 1),
                           m == i ? 0
                                  : -stfi_trial_get(
                                      t, in, stfi_trial_place(t, 0, b, m, 1)));
        }
}

static void fill(stfi_trial *t)
{
    char *in = stfi_trial_array(t, 0);
    int64_t count = stfi_trial_elements(t, 0), b, i;
    uint64_t state = t->seed;

    for (b = 0; b < t->full.batch; b++)
        for (i = 0; i < count; i++) {
            int64_t at = stfi_trial_place(t, 0, b, i, 0);
            stfi_random_fill(t->full.precision,
                             in + at * (int64_t)t->component_bytes,
                             stfi_trial_parts(t, 0), &state);
        }
    make_hermitian(t, in);
}

/* Extends low..high to the lowest component of an array and the end of the
 * highest one, relative to element 0. */
static void reach(const stfi_trial *t, int output, int64_t *low, int64_t *high)
{
    int64_t lowest, span = stfi_problem_span(&t->full, output, &lowest);
    int parts = stfi_trial_parts(t, output);

    if (lowest * parts < *low)
        *low = lowest * parts;
    if ((lowest + span) * parts > *high)
        *high = (lowest + span) * parts;
}

static stf_status open_array(stfi_trial *t, int which, int shift)
{
    stfi_fenced *a = &t->array[which];
    int64_t guard = GUARD_BYTES / (int64_t)t->component_bytes;
    int64_t low = 0, high = 0;
    size_t bytes;

    reach(t, which, &low, &high);
    if (t->problem.in_place)
        reach(t, 1, &low, &high);
    a->origin = guard + shift - low;
    a->components = a->origin + high + guard;
    bytes = (size_t)a->components * t->component_bytes;
    bytes = (bytes + 63) / 64 * 64;
    a->block = aligned_alloc(64, bytes);
    a->image = malloc(bytes);
    a->mine = calloc((size_t)a->components, 1);
    if (!a->block || !a->image || !a->mine)
        return stfi_error(STF_ERR_MEMORY, "trial: no memory for %zu bytes",
                          bytes);
    return STF_OK;
}

stf_status stfi_trial_open(stfi_trial *t, const stfi_problem *p, int shift,
                           uint64_t seed)
{
    stf_status status = STF_OK;
    int which, a;

    memset(t, 0, sizeof *t);
    t->problem = *p;
    if (!p->in_place || !stfi_desc_padded(&p->desc, &t->full))
        status = stfi_desc_complete(&p->desc, &t->full);
    if (status)
        return status;
    t->component_bytes = stfi_type_get(t->full.precision)->bytes;
    t->points = 1;
    for (a = 0; a < t->full.rank; a++)
        t->points *= t->full.n[a];
    for (which = 0; which <= !p->in_place && !status; which++)
        status = open_array(t, which, shift);
    if (status) {
        stfi_trial_close(t);
        return status;
    }
    mark(t, 0);
    mark(t, 1);
    stfi_trial_renew(t, seed);
    return STF_OK;
}

void stfi_trial_renew(stfi_trial *t, uint64_t seed)
{
    int which;

    t->seed = seed;
    for (which = 0; which <= !t->problem.in_place; which++)
        memset(t->array[which].block, POISON,
               (size_t)t->array[which].components * t->component_bytes);
    fill(t);
    for (which = 0; which <= !t->problem.in_place; which++)
        memcpy(t->array[which].image, t->array[which].block,
               (size_t)t->array[which].components * t->component_bytes);
}

void stfi_trial_close(stfi_trial *t)
{
    int which;

    for (which = 0; which < 2; which++) {
        free(t->array[which].block);
        free(t->array[which].image);
        free(t->array[which].mine);
    }
    memset(t->array, 0, sizeof t->array);
}

void stfi_trial_reset(stfi_trial *t)
{
    int which;

    for (which = 0; which <= !t->problem.in_place; which++)
        memcpy(t->array[which].block, t->array[which].image,
               (size_t)t->array[which].components * t->component_bytes);
}

static size_t array_bytes(const stfi_trial *t, int which)
{
    return (size_t)t->array[which].components * t->component_bytes;
}

void stfi_remote_close(stfi_remote *r)
{
    stf_free(r->dev, r->array[0]);
    stf_free(r->dev, r->array[1]);
    stf_plan_destroy(r->plan);
}

stf_status stfi_remote_open(const stfi_trial *t, stf_device *dev,
                            stfi_remote *r)
{
    stf_status status;
    int which;

    memset(r, 0, sizeof *r);
    r->dev = dev;
    status = stf_plan_fft(dev, &t->problem.desc, &r->plan);
    for (which = 0; which <= !t->problem.in_place && !status; which++)
        status = stf_malloc(dev, array_bytes(t, which), &r->array[which]);
    return status ? status : stfi_remote_load(t, r);
}

stf_status stfi_remote_load(const stfi_trial *t, const stfi_remote *r)
{
    stf_status status = STF_OK;
    int which;

    for (which = 0; which <= !t->problem.in_place && !status; which++)
        status = stf_upload(r->dev, r->array[which], t->array[which].block,
                            array_bytes(t, which));
    return status;
}

stf_status stfi_remote_fetch(stfi_trial *t, const stfi_remote *r)
{
    stf_status status = stf_synchronize(r->dev);
    int which;

    for (which = 0; which <= !t->problem.in_place && !status; which++)
        status = stf_download(r->dev, t->array[which].block, r->array[which],
                              array_bytes(t, which));
    return status;
}

void *stfi_remote_element(const stfi_trial *t, const stfi_remote *r, int output)
{
    int which = output && !t->problem.in_place;

    return (char *)r->array[which]
           + t->array[which].origin * (int64_t)t->component_bytes;
}

stf_status stfi_trial_run(stfi_trial *t, stf_device *dev,
                          stf_direction direction)
{
    stfi_remote r;
    stf_status status = stfi_remote_open(t, dev, &r);

    if (!status)
        status = stf_execute(r.plan, direction, stfi_remote_element(t, &r, 0),
                             stfi_remote_element(t, &r, 1));
    if (!status)
        status = stfi_remote_fetch(t, &r);
    stfi_remote_close(&r);
    return status;
}

stf_status stfi_trial_run_host(stfi_trial *t, stf_device *dev,
                               stf_direction direction)
{
    stf_plan *plan = NULL;
    stf_status status = stf_plan_fft(dev, &t->problem.desc, &plan);

    if (!status)
        status = stf_execute_host(plan, direction, stfi_trial_array(t, 0),
                                  stfi_trial_array(t, 1));
    stf_plan_destroy(plan);
    return status;
}

const char *stfi_trial_damage(const stfi_trial *t)
{
    const stfi_fenced *a = array_of(t, 1);
    size_t bytes = t->component_bytes;
    int64_t i;

    for (i = 0; i < a->components; i++)
        if (!a->mine[i]
            && memcmp(a->block + (size_t)i * bytes,
                      a->image + (size_t)i * bytes, bytes))
            return "wrote between or beside the elements of the output";
    a = &t->array[0];
    if (!t->problem.in_place
        && memcmp(a->block, a->image, (size_t)a->components * bytes))
        return "wrote into the input";
    return NULL;
}

int stfi_trial_is_direct(const stfi_trial *t)
{
    int64_t work = 0;
    int a;

    for (a = 0; a < t->full.rank; a++)
        work += t->full.n[a];
    work *= t->points * t->full.batch;
    return work <= (t->full.precision == STF_F80 ? 1 << 19 : 1 << 22);
}

/* Transforms the input as it was before the run, widened to F80, by an F80 plan
 * of one thread without protection. */
static stf_status run_f80(const stfi_trial *t, stf_device *cpu,
                          stf_direction direction, const void *in,
                          long double *want)
{
    const stfi_fenced *a = &t->array[0];
    stf_fft_desc d = t->full;
    stf_plan *plan = NULL;
    stf_status status;
    long double *wide = malloc((size_t)a->components * sizeof *wide);
    int64_t i;

    if (!wide)
        return stfi_error(STF_ERR_MEMORY, "trial: no memory");
    for (i = 0; i < a->components; i++)
        wide[i] = a->mine[i] ? stfi_trial_get(t, in, i - a->origin) : NAN;
    d.precision = STF_F80;
    d.compute = STF_COMPUTE_NATIVE;
    d.threads = 1;
    d.ft = stf_fft_desc_default().ft; /* F80 has no protection */
    status = stf_plan_fft(cpu, &d, &plan);
    if (!status)
        status = stf_execute(plan, direction, wide + a->origin, want);
    stf_plan_destroy(plan);
    free(wide);
    return status;
}

stf_status stfi_trial_want(const stfi_trial *t, stf_device *cpu,
                           stf_direction direction, stfi_source source,
                           long double **want_p)
{
    const stfi_fenced *a = array_of(t, 1), *in = &t->array[0];
    const void *first = in->image + in->origin * (int64_t)t->component_bytes;
    long double *want = malloc((size_t)a->components * sizeof *want);
    stf_status status;
    int direct = source == STFI_SOURCE_DIRECT
                 || (source == STFI_SOURCE_AUTO && stfi_trial_is_direct(t));

    if (!want)
        return stfi_error(STF_ERR_MEMORY, "trial: no memory");
    status = direct
                 ? stfi_naive_fft(&t->full, direction, first, want + a->origin)
                 : run_f80(t, cpu, direction, first, want + a->origin);
    *want_p = want + a->origin;
    if (status)
        free(want);
    return status;
}

void stfi_trial_free_want(const stfi_trial *t, long double *want)
{
    if (want)
        free(want - array_of(t, 1)->origin);
}

const char *stfi_trial_name(const stfi_trial *t, char *text, size_t capacity)
{
    const stf_layout *l[2] = {&t->full.in, &t->full.out};
    size_t used;
    int which, a;

    stfi_problem_print(&t->problem, text, capacity);
    for (which = 0; which < 2; which++) {
        used = strlen(text);
        used += (size_t)snprintf(text + used, capacity - used, " %s [",
                                 which ? "out" : "in");
        for (a = 0; a < t->full.rank && used < capacity; a++)
            used += (size_t)snprintf(text + used, capacity - used, "%lld ",
                                     (long long)l[which]->stride[a]);
        if (used < capacity)
            snprintf(text + used, capacity - used, "dist %lld]",
                     (long long)l[which]->dist);
    }
    used = strlen(text);
    snprintf(text + used, capacity - used,
             " at %d scale %g %g threads %d data seed %llu",
             (int)((size_t)stfi_trial_array(t, 0) % 64), t->full.scale_forward,
             t->full.scale_inverse, (int)t->full.threads,
             (unsigned long long)t->seed);
    return text;
}
