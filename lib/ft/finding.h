/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* From residuals to findings: what the attempts at one group of results say
 * about it. A transform is deterministic: what comes out the same again is
 * not a soft error. */
#ifndef STFI_FT_FINDING_H
#define STFI_FT_FINDING_H

#include "backend/backend.h"
#include "ft/threshold.h"

/* A residual d and the norm ||x|| that it is held against, both of data times
 * unit. Of data with Inf or NaN the norm is one. */
typedef struct stfi_ft_group {
    long double re, im;
    long double norm;
    long double unit;
} stfi_ft_group;

/* What is known of a group after some attempts; all zero before the first. */
typedef struct stfi_ft_history {
    long double re, im;    /* the last residual */
    double ratio;          /* of the first that was not clean, else 0 */
    unsigned char verdict; /* stfi_ft_verdict of the last */
    unsigned char looks;
    unsigned char same;    /* the last is as the one before */
    unsigned char changed; /* some attempt differs from the one before */
    unsigned char alarmed; /* some attempt was not clean */
} stfi_ft_history;

/* So often a group is computed again at most: what still changes then is not
 * to be had. */
enum { STFI_FT_ATTEMPTS = 3 };

/* Of several about one thing the later counts. */
typedef enum stfi_ft_finding {
    STFI_FT_RECHECKED,
    STFI_FT_NON_FINITE_INPUT,
    STFI_FT_OVERFLOWED,
    STFI_FT_DETECTED, /* reported only */
    STFI_FT_RECOMPUTED,
    STFI_FT_UNCORRECTABLE
} stfi_ft_finding;

/* Takes the residual of the next attempt into account and returns its ratio
 * (see stfi_ft_judge()). */
double stfi_ft_look(const stfi_ft_bound *bound, const stfi_ft_group *group,
                    stfi_ft_history *h);

/* 1 if another attempt would tell nothing new. */
int stfi_ft_is_settled(const stfi_ft_history *h);

/* What a group of which some attempt was not clean has come to. */
stfi_ft_finding stfi_ft_classify(const stfi_ft_history *h);

/* The same where there is one attempt only and nothing to be repaired; 0: not
 * worth a note, as it may be rounding. */
int stfi_ft_classify_once(const stfi_ft_history *h, stfi_ft_finding *found_p);

/* Notes a finding. located: the event's signal is the one at fault, not only
 * the first of the group. */
void stfi_ft_note(stfi_ft_ledger *ledger, stfi_ft_finding finding,
                  const stf_ft_event *event, int located);

#endif
