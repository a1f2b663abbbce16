/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Measuring which of several choices makes the fastest plan: the model's and
 * candidates that differ from it, on arrays that are made for that, interleaved
 * so that a busy machine slows all of them. What a choice is, and how a plan is
 * made of one, the class of plans says. */
#ifndef STFI_RUN_CONTEST_H
#define STFI_RUN_CONTEST_H

#include "base/type.h"
#include "run/plan.h"

/* The outcome, beside the winner's choice. */
typedef struct stfi_measured {
    int ways;         /* how many were tried, the model's among them */
    double ratio;     /* the winner's time over the model's; 1: it is that */
    double seconds;   /* what it took */
    char reason[128]; /* why nothing was measured, or "" */
} stfi_measured;

/* What a class of plans tells a contest. `subject` is passed to its functions. */
typedef struct stfi_plan_contest {
    stf_device *dev;
    stf_effort effort;
    double effort_seconds; /* 0: the effort's default */
    stf_progress progress; /* of the descriptor */
    void *progress_data;
    size_t
        choice_bytes; /* of a choice, a multiple of 8; all 0 is the model's */
    int most;         /* candidates that list() writes at most */
    void *subject;
    /* Makes a plan that has no workspace. */
    stf_status (*make)(void *subject, const void *choice, stf_plan **plan_p);
    /* Makes what launches need beside a workspace, once, with the model's plan. */
    stf_status (*prepare)(void *subject, const stf_plan *model);
    /* Lists choices that differ from `base`, which the plan was made of, at most
     * `each` of every sort and the likeliest ones first. Returns how many. */
    int (*list)(void *subject, const stf_plan *plan, const void *base, int each,
                void *choices);
    /* Returns 1 if two plans do the same. */
    int (*are_equal)(const stf_plan *a, const stf_plan *b);
    stf_status (*launch)(void *subject, const stf_plan *plan, void *workspace,
                         void *stream);
} stfi_plan_contest;

/* Finds the fastest choice, within about effort_seconds. The model's stays unless
 * another one is clearly faster. What cannot be measured, as memory is short or
 * time, is left out, and the reason says so if nothing is left. Errors: those of
 * the model's plan, MEMORY. */
stf_status stfi_plan_contest_run(const stfi_plan_contest *rules, void *choice_p,
                                 stfi_measured *m_p);

/* Allocates device memory and fills it with random numbers from -1 to 1 of a type,
 * or with zeros. Gets the memory even if filling it fails. Errors: MEMORY, DEVICE. */
stf_status stfi_plan_contest_array(stf_device *dev, const stfi_type *type,
                                   int zeros, size_t bytes, void **array_p);

#endif
