/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The check of a finished transform: does e^T y equal r^T x? Each transform of
 * the batch has a residual of its own, so that whose residual is too large has
 * the error. Of several axes, e and r are products of vectors per axis. */
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

/* Makes a check of transforms of the completed descriptor, which the cache has
 * to outlive. Errors: MEMORY, UNSUPPORTED (precision). */
stf_status stfi_ft_offline_open(stfi_ft_cache *cache, const stf_fft_desc *full,
                                stf_direction direction,
                                stfi_ft_offline *check_p);
void stfi_ft_offline_close(stfi_ft_offline *check);

/* Of one transform, first what its input comes to, x being at element 0, and
 * then, when y has been made of it (in place, maybe), the residual and its
 * norm. Thread: any; with OpenMP, the threads of the team share long ones. */
stfi_ft_group stfi_ft_offline_in(const stfi_ft_offline *check, const void *x);
stfi_ft_group stfi_ft_offline_out(const stfi_ft_offline *check,
                                  const stfi_ft_group *in, const void *y);

/* Checks one transform; x and y are at element 0 of its input and output.
 * *ratio_p as stfi_ft_judge(). Thread: any. */
stfi_ft_verdict stfi_ft_offline_judge(const stfi_ft_offline *check,
                                      const void *x, const void *y,
                                      double *ratio_p);

#endif
