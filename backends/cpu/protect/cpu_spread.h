/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows whose elements do not follow each other in memory: padded ones, and those of
 * strided arrays. Sums over memory are made of a copy without gaps. */
#ifndef STFI_PROTECT_CPU_SPREAD_H
#define STFI_PROTECT_CPU_SPREAD_H

#include "ft/sums.h"

typedef struct stfi_cpu_spread {
    int rank;     /* loops over runs; 0: all elements follow each other */
    int64_t span; /* reals from the first to the last and with it */
    size_t run;   /* bytes that follow each other */
    int64_t n[STF_MAX_RANK];
    int64_t step[STF_MAX_RANK];   /* bytes */
    int64_t packed[STF_MAX_RANK]; /* the same without gaps */
} stfi_cpu_spread;

/* Finds where the elements of a side lie. Returns 0 if some steps are negative. */
int stfi_cpu_spread_find(const stfi_ft_side *side, size_t bytes,
                         stfi_cpu_spread *s);

/* Copy rows that are `step` bytes apart to such without gaps, `packed` bytes apart, and
 * to others with the same gaps, of which nothing is read or written. */
void stfi_cpu_spread_gather(const stfi_cpu_spread *s, int64_t rows,
                            const void *from, int64_t step, void *to,
                            int64_t packed);
void stfi_cpu_spread_copy(const stfi_cpu_spread *s, int64_t rows,
                          const void *from, int64_t step, void *to);

#endif
