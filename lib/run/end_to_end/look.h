/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* End-to-end checks by host threads: sums over the transforms of an execution,
 * and looks at their residuals. Short transforms have sums and verdicts by the
 * block; only blocks that are not clean at first sight have accounts of their
 * transforms. */
#ifndef STFI_RUN_END_TO_END_LOOK_H
#define STFI_RUN_END_TO_END_LOOK_H

#include <stdatomic.h>

#include "ft/offline.h"
#include "run/end_to_end/form.h"

/* The checks for one form of the arrays, by direction (forward, inverse), and
 * the distance in bytes between its transforms. */
typedef struct stfi_e2e_form {
    stfi_ft_offline check[STFI_E2E_DIRECTIONS];
    int open[STFI_E2E_DIRECTIONS];
    int many[STFI_E2E_DIRECTIONS]; /* 1: sums of many transforms at once */
    int knows_scale;   /* check[].scale is that of launches, which is not so for
                          real to real kinds */
    int64_t component; /* bytes */
    int64_t in_dist, out_dist;
} stfi_e2e_form;

/* The state of the check of one transform. */
typedef struct stfi_e2e_account {
    stfi_ft_group in;
    stfi_ft_history history;
    int changed; /* the input has another sum than before, and the output agrees
                    with neither: a store to a wrong address may have hit the
                    input, of which no right output can be computed */
} stfi_e2e_account;

/* What the checks know of an execution, as all threads see it. */
typedef struct stfi_e2e_look {
    const stfi_e2e_form *form;
    const stfi_ft_offline *check;
    const char *in, *out;
    stfi_e2e_account *account; /* [batch] */
    int64_t batch;
    /* If many transforms are summed up at once: the sums over their input, and
     * which blocks have accounts because not all of their transforms were clean
     * at first sight. Others have none. */
    int many;
    stfi_ft_total *total;     /* [batch] */
    unsigned char *is_opened; /* [blocks of the batch] */
    int threads;
    int repeatable;        /* 1: the input is not overwritten */
    int64_t failed;        /* groups that passes could not repair */
    atomic_int alarms;     /* number of residuals that were not clean */
    atomic_int unclean;    /* the same, in the last execution */
    atomic_int unsettled;  /* transforms that need another attempt */
    _Atomic(double) worst; /* largest residual / tau */
} stfi_e2e_look;

/* Bytes of memory that the accounts of a batch take. */
size_t stfi_e2e_look_bytes(int64_t batch);

/* Lays out the accounts in such memory, and sums up all inputs. */
void stfi_e2e_look_begin(stfi_e2e_look *s, void *memory);

/* Looks at all transforms after an execution. correct: sums that were not clean
 * are made again. */
void stfi_e2e_look_at_all(stfi_e2e_look *s, int correct);

/* 1 if a transform has an account; otherwise it was clean at every look. */
int stfi_e2e_has_account(const stfi_e2e_look *s, int64_t t);

#endif
