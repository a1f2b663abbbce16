/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Where a tile's elements are stored in block memory, so that the threads of a
 * wave access different banks. Pure functions. Thread: any. */
#ifndef STFI_GPU_LAYOUT_H
#define STFI_GPU_LAYOUT_H

#include <stdint.h>

#include "fft/schedule.h"

/* How block memory is used by a tile. */
typedef struct stfi_gpu_access {
    int n;     /* elements of a lane, places 0 .. n-1 */
    int extra; /* further places of a lane */
    int lanes;
    int threads; /* threads of a lane */
    int nstages;
    const int *radix;
    int reach[STFI_MAX_STAGES]; /* of each stage: how far apart a butterfly's */
    int spread[STFI_MAX_STAGES]; /* inputs are, and its results */
    int interleave_first; /* how threads share the lanes in the first stage, */
    int interleave; /* and in the others: backends/gpu/kernels/fft/tile.h */
    int sweep;      /* > 0: spectra are moved in blocks of so many elements,
                       lane by lane: backends/gpu/kernels/fft/two.h */
    int natural; /* 1: threads move what they hold to or from natural order even
                       if there is one stage only */
    int unit_bytes;      /* bytes that one access moves */
    double address_cost; /* tuning.def */
    int64_t limit_bytes;
} stfi_gpu_access;

/* Element e of lane l is stored at l * pitch + place(e) * step, where place(e)
 * is e + (e >> shift) * mul or, if `exclusive`, e ^ ((e >> shift) & mul). */
typedef struct stfi_gpu_layout {
    int pitch;
    int step;
    int exclusive;
    int shift;
    int mul;
    int units;        /* units of memory that all lanes take */
    double conflicts; /* average number of accesses that conflicts make of one,
                         at least 1 */
} stfi_gpu_layout;

/* Sets what is said of the stages. */
void stfi_gpu_access_stages(const stfi_pass *p, stfi_gpu_access *access);

/* Finds the layout with the fewest conflicts that fits; returns 0 if none
 * fits. */
int stfi_gpu_layout_choose(const stfi_gpu_access *access,
                           stfi_gpu_layout *layout_p);

/* Sets the layout without gaps, whose conflicts are not counted. None takes
 * less memory: returns 0 if none fits. */
int stfi_gpu_layout_plain(const stfi_gpu_access *access,
                          stfi_gpu_layout *layout_p);

#endif
