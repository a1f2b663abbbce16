/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Bits of registers that flip while stf_execute() runs on the cpu device, from
 * outside of the library and without stf_plan_inject().
 *
 * A timer interrupts an execution at a random time. It is single-stepped from
 * there until, for each campaign, a random number of instructions of its kind
 * has passed; each time, a child process goes on with one flip (trial.h), while
 * the parent steps on and ends the execution without any. Each trial is thus
 * one flip in one execution. The execution before it had another input, so that
 * what is not written holds a wrong result and not the right one.
 *
 * The seed determines the data, and how places and bits are drawn; the time at
 * which a timer strikes is another one in each run.
 *
 * A process has one injector: it owns SIGALRM and SIGTRAP meanwhile. */
#ifndef STFI_TESTS_FLIP_INJECT_H
#define STFI_TESTS_FLIP_INJECT_H

#include "tests/flip/trial.h"

/* Is told of each trial, between executions. */
typedef void flip_observer(const flip_trial *trial, const flip_subject *subject,
                           void *arg);

typedef struct flip_request {
    int64_t trials[FLIP_CAMPAIGNS];
    uint64_t seed;
    flip_observer *observer; /* may be NULL */
    void *arg;
} flip_request;

typedef struct flip_tally {
    int64_t trials[FLIP_CAMPAIGNS];
    int64_t count[FLIP_CAMPAIGNS][FLIP_CLASSES];
    int64_t disturbed; /* executions that differ although they had no flip */
} flip_tally;

/* Why flips cannot be injected in this process, or NULL. */
const char *flip_refusal(void);

/* Makes the trials that are asked for, and adds them to a tally. Returns what
 * is wrong, or NULL. */
const char *flip_inject(flip_subject *subject, const flip_request *request,
                        flip_tally *tally_p);

/* Of a campaign, the errors that nothing tells of: SILENT and CLAIMED. */
int64_t flip_tally_silent(const flip_tally *tally, flip_campaign campaign);

#endif
