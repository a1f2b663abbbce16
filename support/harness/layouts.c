/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The layouts of arrays in which problems are tested; see
 * stfi_trial_layout(). */
#include <string.h>

#include "fft/desc.h"
#include "support/harness/trial.h"

typedef struct layout_kind {
    const char *name;
    int batch_first; /* the batch has the smallest stride */
    int gaps;        /* strides leave room between elements */
    int negative;    /* some strides are negative */
    int permuted;    /* axes lie in random order */
} layout_kind;

static const layout_kind kinds[] = {
    {"interleaved", 1, 0, 0, 0},
    {"gaps", 0, 1, 0, 0},
    {"negative", 0, 1, 1, 0},
    {"mixed", 0, 1, 1, 1},
};

static const layout_kind *find(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name))
            return &kinds[i];
    return NULL;
}

/* order[] lists axes from the smallest stride to the largest; the batch is
 * axis `rank`. */
static void choose_order(const layout_kind *kind, int rank, int *order,
                         uint64_t *state)
{
    int i, j, swap;

    for (i = 0; i <= rank; i++)
        order[i] = kind->batch_first ? (i == 0 ? rank : rank - i)
                                     : (i == rank ? rank : rank - 1 - i);
    for (i = rank; kind->permuted && i > 0; i--) {
        j = (int)(stfi_random_u64(state) % (uint64_t)(i + 1));
        swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}

static void lay_out(const layout_kind *kind, const stf_fft_desc *d, int output,
                    stf_layout *l, uint64_t *state)
{
    int order[STF_MAX_RANK + 1], i;
    int64_t stride = 1;

    memset(l, 0, sizeof *l);
    choose_order(kind, d->rank, order, state);
    for (i = 0; i <= d->rank; i++) {
        int a = order[i];
        int64_t e = a == d->rank ? d->batch : stfi_desc_extent(d, a, output);
        int64_t *place = a == d->rank ? &l->dist : &l->stride[a];
        if (kind->gaps)
            stride += (int64_t)(stfi_random_u64(state) % 3);
        *place = stride;
        stride *= e;
        /* The "negative" layout always reverses the first axis, so that at
         * least one axis is reversed. */
        if (kind->negative && (i == 0 || stfi_random_u64(state) % 2))
            *place = -*place;
    }
}

/* Gives rows of real to real kinds as much room as those of R2C have in place. What is
 * behind a row is not part of the array. */
static int pad_reals(stfi_problem *p)
{
    stf_fft_desc *d = &p->desc;
    int64_t stride = 1;

    for (int a = d->rank - 1; a >= 0; a--) {
        d->in.stride[a] = stride;
        stride *= a == d->rank - 1 ? (d->n[a] / 2 + 1) * 2 : d->n[a];
    }
    d->in.dist = stride;
    d->out = d->in;
    return 1;
}

/* Lays real rows out as in place, whatever the place. */
static int pad(stfi_problem *p)
{
    stf_fft_desc full;

    if (stfi_kind_is_r2r(p->desc.kind))
        return pad_reals(p);
    if (!stfi_desc_padded(&p->desc, &full))
        return 0;
    p->desc.in = full.in;
    p->desc.out = full.out;
    return 1;
}

int stfi_trial_layout(stfi_problem *p, const char *layout, uint64_t *state)
{
    const layout_kind *kind = find(layout);

    memset(&p->desc.in, 0, sizeof p->desc.in);
    memset(&p->desc.out, 0, sizeof p->desc.out);
    if (!kind)
        return !strcmp(layout, "padded") ? pad(p) : !strcmp(layout, "packed");
    if (p->in_place && (p->desc.kind == STF_R2C || p->desc.kind == STF_C2R))
        return 0;
    lay_out(kind, &p->desc, 0, &p->desc.in, state);
    if (p->in_place)
        p->desc.out = p->desc.in;
    else
        lay_out(kind, &p->desc, 1, &p->desc.out, state);
    return 1;
}
