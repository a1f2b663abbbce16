/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* From residuals to outcomes on the host: the looks at one group of results,
 * with the residual that each is compared with. What they come to is said in
 * outcome.h. */
#ifndef STFI_FT_FINDING_H
#define STFI_FT_FINDING_H

#include "ft/ledger.h"
#include "ft/threshold.h"

/* A residual d and the norm ||x|| that it is held against, both of data times
 * unit. Of data with Inf or NaN the norm is one. */
typedef struct stfi_ft_group {
    long double re, im;
    long double norm;
    long double unit;
} stfi_ft_group;

/* What is known of a group after some looks; all zero before the first. */
typedef struct stfi_ft_history {
    long double re, im; /* the last residual */
    double ratio;       /* of the first that was not clean, else 0 */
    stfi_ft_state state;
} stfi_ft_history;

/* So often a group is computed again at most: what still changes then is not
 * to be had. */
enum { STFI_FT_ATTEMPTS = 3 };

/* Takes the residual of the next look into account and returns its ratio (see
 * stfi_ft_judge()). */
double stfi_ft_look(const stfi_ft_bound *bound, const stfi_ft_group *group,
                    stfi_ft_history *h);

/* What the group has come to; see stfi_ft_conclude(). */
stfi_ft_outcome stfi_ft_find(const stfi_ft_history *h, stfi_ft_remedy remedy);

/* Of several outcomes of one thing the graver one counts. */
int stfi_ft_is_graver(stfi_ft_outcome a, stfi_ft_outcome b);

#endif
