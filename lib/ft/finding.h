/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Outcomes from residuals, on the host: each attempt at a group of results has
 * a residual, which is compared with its threshold. outcome.h says which
 * outcome follows. */
#ifndef STFI_FT_FINDING_H
#define STFI_FT_FINDING_H

#include "ft/ledger.h"
#include "ft/threshold.h"

/* A residual d and the norm ||x|| of its input, both of data times `unit`. The
 * norm is Inf or NaN if the data contain Inf or NaN. */
typedef struct stfi_ft_group {
    long double re, im;
    long double norm;
    long double unit;
} stfi_ft_group;

/* What is known of a group after some attempts; all zero before the first. */
typedef struct stfi_ft_history {
    long double re, im; /* the last residual */
    double ratio;       /* residual / tau of the first attempt that was not
                           clean, else 0 */
    stfi_ft_state state;
} stfi_ft_history;

/* How often a group is computed again at most. If results still differ then,
 * further attempts are not expected to help. */
enum { STFI_FT_ATTEMPTS = 3 };

/* Takes the residual of the next attempt into account and returns its ratio to
 * the threshold (see stfi_ft_judge()). */
double stfi_ft_look(const stfi_ft_bound *bound, const stfi_ft_group *group,
                    stfi_ft_history *h);

/* Returns the outcome for the group; see stfi_ft_conclude(). */
stfi_ft_outcome stfi_ft_find(const stfi_ft_history *h, stfi_ft_remedy remedy);

/* Returns 1 if outcome a is graver than b. If one group has several outcomes,
 * the gravest counts. */
int stfi_ft_is_graver(stfi_ft_outcome a, stfi_ft_outcome b);

#endif
