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
    stfi_cpu_row row;         /* of a single axis of reals */
} stfi_cpu_shape;

/* Returns 0 if the schedule is none of a compact transform. */
int stfi_cpu_shape_find(const stfi_schedule *s, stfi_cpu_shape *a);

#endif
