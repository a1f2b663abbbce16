/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Plans of any class: a device, what runs there, and a workspace. A class of
 * plans, such as that of Fourier transforms (fft/fft_plan.h), is a table of
 * functions and a struct of its own that begins with a stf_plan. What all plans
 * have in common is done here and in protect.h, so that a class says only what
 * is its own. How a plan is executed is not in the table: what is passed
 * differs from class to class, so each has calls of its own for that. */
#ifndef STFI_RUN_PLAN_H
#define STFI_RUN_PLAN_H

#include "run/device.h"

typedef struct stfi_plan_class {
    const char *name; /* what its plans are, for messages: "transforms" */
    /* Makes what runs, and sets plan->workspace_bytes: at most so many, as far
     * as that can be. Where it fails, unmake() follows. */
    stf_status (*make)(stf_plan *, size_t most_bytes);
    /* Frees what make() made, whole or in part or not at all. */
    void (*unmake)(stf_plan *);
    /* 1 if the workspace can be smaller; *most_p is what make() is to be
     * asked for next. */
    int (*can_be_cut)(const stf_plan *, size_t *most_p);
    /* Frees what else the class has, after unmake(). The head and the memory
     * of the plan are the caller's. */
    void (*destroy)(stf_plan *);
    /* As snprintf(): returns the length of the whole text. */
    size_t (*describe)(const stf_plan *, char *text, size_t capacity);

    /* Protection. All NULL: plans of the class are never protected. */

    /* Adds what checks found to the report, and with reset forgets it. What
     * was launched is done. Errors: DEVICE. */
    stf_status (*report)(stf_plan *, int reset, stf_ft_report *sum);
    /* Errors: ARGUMENT (the plan computes no such value). */
    stf_status (*check_fault)(const stf_plan *, const stf_fault *);
    /* The next execution suffers these valid faults. Errors: MEMORY, DEVICE. */
    stf_status (*inject)(stf_plan *, const stf_fault *fault, int count);
    /* 1 if what an execution did not run may still have faults to suffer. */
    int (*may_keep_faults)(const stf_plan *);
    stf_fault (*draw_fault)(const stf_plan *, uint64_t seed);
} stfi_plan_class;

/* The head of every plan. */
struct stf_plan {
    const stfi_plan_class *class;
    stf_device *dev;
    stf_ft_desc ft; /* the protection that it has, complete */
    int armed;      /* the next execution has faults to suffer */
    size_t workspace_bytes;
    void *workspace; /* NULL: executions bring theirs */
};

/* Allocates a plan of a class, all of whose `bytes` are 0 but for the head,
 * and keeps the device. stfi_plan_destroy() takes it back, however little of
 * it was made since. Errors: MEMORY. */
stf_status stfi_plan_open(stf_device *dev, const stfi_plan_class *class,
                          size_t bytes, const stf_ft_desc *ft,
                          stf_plan **plan_p);

/* Makes what runs. `workspace`: 1 if the plan shall have one, which may be cut
 * where memory is short; 0 if executions bring theirs. */
stf_status stfi_plan_make(stf_plan *plan, int workspace);

void stfi_plan_destroy(stf_plan *plan); /* NULL is a no-op */

/* Errors: ARGUMENT (of another class). `call` is what was asked of it. */
stf_status stfi_plan_is_of(const stf_plan *plan, const stfi_plan_class *class,
                           const char *call);

/* As stf_plan_describe(). */
stf_status stfi_plan_describe(const stf_plan *plan, char *text,
                              size_t capacity);

#endif
