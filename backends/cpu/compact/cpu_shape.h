/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a schedule of a compact transform computes. */
#ifndef STFI_CPU_SHAPE_H
#define STFI_CPU_SHAPE_H

#include "backends/cpu/compact/cpu_compact.h"

/* The axes of a packed array, the last one first. */
typedef struct stfi_cpu_shape {
    stfi_cpu_compact_form form;
    int rank;
    int64_t n[STFI_MAX_PASSES];
    int64_t elements;
    int64_t pitch;            /* reals from row to row of an array of reals */
    const stfi_pass *checked; /* the pass that has a check, or NULL */
    int split_reals;          /* one axis of reals in several passes */
    int alone;                /* arrays are computed one by one, */
    int paired;               /* of pairs of reals */
    int inside;               /* many rows have vectors inside of each */
    int convolved;            /* one axis, whose length has a convolution, */
    int64_t conv_lanes; /* which passes compute in so many lanes; 0: slowly */
    stfi_cpu_row row;   /* of a single axis of reals */
} stfi_cpu_shape;

/* 1 if an array of reals has several rows. */
static inline int stfi_cpu_has_rows(const stfi_cpu_shape *a)
{
    return a->form != STFI_CPU_COMPLEX && a->elements > a->n[0];
}

/* Returns the points of the transform of a pass, which may be a convolution. */
static inline int64_t stfi_cpu_points(const stfi_pass *p)
{
    return p->conv == STFI_CONV_NONE ? p->n : p->signal;
}

/* 1 if passes p to q are the levels of a convolution along one axis. */
static inline int stfi_cpu_are_spread(const stfi_pass *p, const stfi_pass *q)
{
    return q > p && p->load.chirp > 0 && p->load.chirp == q->store.chirp
           && p[(q - p) / 2].conv == STFI_CONV_SPREAD && p->nloops == 2
           && q->nloops == 2;
}

/* Returns the distance between the elements that the first level of such a convolution
 * loads, or the last one stores. */
static inline int64_t stfi_cpu_spread_step(const stfi_pass *p)
{
    return p->loop_n[p->batch_loop == 0];
}

/* 1 if a pass is a transform of its lanes, and no more. */
static inline int stfi_cpu_transforms(const stfi_pass *p)
{
    return p->op == STFI_OP_FFT
           || (p->op == STFI_OP_CONV && p->conv != STFI_CONV_SPREAD);
}

/* Returns 0 if the schedule is none of a compact transform. */
int stfi_cpu_shape_find(const stfi_schedule *s, stfi_cpu_shape *a);

#endif
