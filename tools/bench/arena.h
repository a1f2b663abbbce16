/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The device arrays of a bench, which its problems use one after the other, and
 * the plan of the present problem. Large arrays contain a pattern of some
 * transforms repeatedly, so that little data must be drawn and uploaded. Of the
 * results, only a few transforms are copied back. */
#ifndef STFI_BENCH_ARENA_H
#define STFI_BENCH_ARENA_H

#include <stddef.h>

#include "support/problem/problem.h"
#include "tools/verify/accuracy.h"

typedef struct stfi_arena {
    stf_device *dev;          /* owned by the caller */
    void *in, *out;           /* device memory; the same in place */
    size_t in_room, out_room; /* bytes that are allocated */
    /* The present problem. */
    stf_fft_desc full; /* completed; rows are padded if real and in place */
    stf_direction direction;
    stf_plan *plan;
    int interleaved; /* 1: the batch varies fastest */
    /* Parts of an array that follow one another: transforms, or all of an interleaved
     * batch. */
    int64_t blocks;
    size_t in_bytes, out_bytes;
    int used; /* 1: the input may have been overwritten since it was loaded */
    /* The pattern: blocks laid out as on the device, with which the device's input
     * begins. */
    void *pattern;
    size_t pattern_bytes;
    int64_t distinct; /* number of blocks in it */
} stfi_arena;

void stfi_arena_begin(stfi_arena *a, stf_device *dev);
void stfi_arena_end(stfi_arena *a);

/* Plans a problem and makes room for it; the plan and the data of the previous
 * problem are lost. The input is not loaded yet. Errors: those of planning and
 * allocating. */
stf_status stfi_arena_set(stfi_arena *a, const stfi_problem *problem,
                          stf_direction direction, uint64_t seed);

/* Loads the whole input again, and waits. */
stf_status stfi_arena_load(stfi_arena *a);

/* The root mean square of the first elements of the output.
 * Errors: MEMORY, DEVICE. */
stf_status stfi_arena_size(stfi_arena *a, double *size_p);

/* Runs `work` once on fresh data and adds the errors of at most `count`
 * transforms of the batch, the first and the last among them or, interleaved, some
 * that are equally far apart, to `accuracy`.
 * Errors: those of the work and of stfi_accuracy_add(). */
stf_status stfi_arena_check(stfi_arena *a, stf_status (*work)(void *, void *),
                            void *arg, int count, uint64_t seed,
                            stfi_accuracy *accuracy);

#endif
