/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The check of a finished transform: does e^T y equal r^T x? Each transform of
 * the batch has a residual of its own, so an error belongs to the transform
 * whose residual is too large. With several axes, e and r are products of one
 * vector per axis. */
#ifndef STFI_FT_OFFLINE_H
#define STFI_FT_OFFLINE_H

#include "ft/finding.h"
#include "ft/sums.h"
#include "ft/weights/vector.h"

typedef struct stfi_ft_offline {
    stfi_ft_cache *cache;
    const stfi_ft_vector *vector[STF_MAX_RANK];
    const stfi_ft_summer *summer;
    stfi_ft_side in, out;
    double scale;
    stfi_ft_bound bound;
} stfi_ft_offline;

/* Returns 1 if a completed descriptor asks for end-to-end checks. */
int stfi_ft_is_end_to_end(const stf_ft_desc *ft);

/* Makes a check for transforms of the completed descriptor. The cache must
 * outlive it. `rows`: functions for adjacent elements of that precision
 * (sums.h), or NULL. Errors: MEMORY, UNSUPPORTED (precision). */
stf_status stfi_ft_offline_open(stfi_ft_cache *cache, const stf_fft_desc *full,
                                stf_direction direction,
                                const stfi_ft_rows *rows,
                                stfi_ft_offline *check_p);

/* The same with the vectors of these keys, one for each axis. */
stf_status
stfi_ft_offline_open_by(stfi_ft_cache *cache, const stf_fft_desc *full,
                        stf_direction direction, const stfi_ft_key *key,
                        const stfi_ft_rows *rows, stfi_ft_offline *check_p);

/* Returns a side with its extents alone: rank, n, below, parts and halved. */
stfi_ft_side stfi_ft_side_extents(const stf_fft_desc *full, int output);
void stfi_ft_offline_close(stfi_ft_offline *check);

/* Check one transform in two steps. The first sums over its input x; the second
 * is called when y has been computed, perhaps in place of x, and returns the
 * residual and the norm. x and y point at element 0. Thread: any; with OpenMP,
 * threads of the calling team share a long sum. */
stfi_ft_group stfi_ft_offline_in(const stfi_ft_offline *check, const void *x);
stfi_ft_group stfi_ft_offline_out(const stfi_ft_offline *check,
                                  const stfi_ft_group *in, const void *y);

/* Sums over many transforms at once, for checks of which
 * stfi_ft_offline_is_many() is 1. These are over the input or the output (1) of
 * `count` transforms, whose element 0 is every `apart` bytes from x on. Equal
 * data have equal sums. */
int stfi_ft_offline_is_many(const stfi_ft_offline *check);
void stfi_ft_offline_many(const stfi_ft_offline *check, int output,
                          const void *x, int64_t apart, int64_t count,
                          stfi_ft_total *totals);

/* Returns 1 if the sums over the inputs of `count` of these transforms can be
 * judged: no square overflowed or vanished. */
int stfi_ft_offline_are_usual(const stfi_ft_offline *check,
                              const stfi_ft_total *in, int64_t count);

/* The same as stfi_ft_offline_in(), from sums that are usual. */
stfi_ft_group stfi_ft_offline_group(const stfi_ft_offline *check,
                                    const stfi_ft_total *in);

/* Returns 1 if all of `count` transforms are clean, by their sums over the input,
 * which are usual, and over the output; raises *worst_p to the largest residual
 * / tau then. If it returns 0, some may yet be clean. */
int stfi_ft_offline_are_clean(const stfi_ft_offline *check,
                              const stfi_ft_total *in, const stfi_ft_total *out,
                              int64_t count, double *worst_p);

/* Lets a plan round as often as its passes do: to halves, at more stages of matrix
 * units than others have. */
void stfi_ft_offline_allow(stfi_ft_offline *check, const stf_fft_desc *full,
                           double roundings);

/* Checks one transform; x and y point at element 0 of its input and output.
 * *ratio_p is as from stfi_ft_judge(). Thread: any. */
stfi_ft_verdict stfi_ft_offline_judge(const stfi_ft_offline *check,
                                      const void *x, const void *y,
                                      double *ratio_p);

#endif
