/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Plans of any class: a device, what runs there, and a workspace. A class of
 * plans, such as that of Fourier transforms (fft/fft_plan.h), is a table of
 * functions and a struct of its own that begins with a stf_plan. What all plans
 * have in common is done here and in protect.h, so that a class implements only
 * what differs. Execution is not in the table: its arguments differ from class
 * to class, so each class has functions of its own for it. */
#ifndef STFI_RUN_PLAN_H
#define STFI_RUN_PLAN_H

#include "run/device.h"

typedef struct stfi_plan_class {
    const char *name; /* what its plans compute, for messages: "transforms" */
    /* Decides how executions work, with a workspace of `most_bytes` at most if
     * that is possible, and sets plan->workspace_bytes as far as it is known
     * before make(). Takes little time and memory. If it fails, as if make()
     * does, the caller calls unmake(). */
    stf_status (*design)(stf_plan *, size_t most_bytes);
    /* Makes what executions need, as designed, and sets
     * plan->workspace_bytes. */
    stf_status (*make)(stf_plan *);
    /* Frees what design() and make() made, even if that is only a part or nothing. */
    void (*unmake)(stf_plan *);
    /* Returns 1 if the workspace can be smaller; *most_p is the limit to pass
     * to design() next. */
    int (*can_be_cut)(const stf_plan *, size_t *most_p);
    /* Frees what else the class has allocated, after unmake(). The caller frees
     * the head and the memory of the plan. */
    void (*destroy)(stf_plan *);
    /* As snprintf(): returns the length of the whole text. */
    size_t (*describe)(const stf_plan *, char *text, size_t capacity);

    /* Protection. All of these are NULL if plans of the class are never
     * protected. */

    /* Adds what checks found to the report, and with `reset` clears it. The
     * caller has waited for all launches. Errors: DEVICE. */
    stf_status (*report)(stf_plan *, int reset, stf_ft_report *sum);
    /* Errors: ARGUMENT (the plan computes no such value). */
    stf_status (*check_fault)(const stf_plan *, const stf_fault *);
    /* Lets the next execution suffer these faults, which were checked. Errors:
     * MEMORY, DEVICE. */
    stf_status (*inject)(stf_plan *, const stf_fault *fault, int count);
    /* Returns 1 if an executable that an execution did not run may still have
     * faults to suffer. */
    int (*may_keep_faults)(const stf_plan *);
    stf_fault (*draw_fault)(const stf_plan *, uint64_t seed);
} stfi_plan_class;

/* The head of every plan. */
struct stf_plan {
    const stfi_plan_class *class;
    stf_device *dev;
    stf_ft_desc ft; /* its protection, completed */
    int armed;      /* the next execution has faults to suffer */
    size_t workspace_bytes;
    void *workspace; /* NULL: each execution passes one */
};

/* Allocates a plan of a class with `bytes` bytes, all 0 but for the head, and
 * adds a reference to the device. stfi_plan_destroy() frees it at any later
 * stage of making it. Errors: MEMORY. */
stf_status stfi_plan_open(stf_device *dev, const stfi_plan_class *class,
                          size_t bytes, const stf_ft_desc *ft,
                          stf_plan **plan_p);

/* Makes what executions need. workspace: 1 if the plan has a workspace of its
 * own, which is made smaller if memory is short; 0 if each execution passes
 * one. */
stf_status stfi_plan_make(stf_plan *plan, int workspace);

void stfi_plan_destroy(stf_plan *plan); /* NULL is a no-op */

/* Checks the class of a plan. Errors: ARGUMENT (the plan is of another class);
 * the message names `call`, the function that was called. */
stf_status stfi_plan_is_of(const stf_plan *plan, const stfi_plan_class *class,
                           const char *call);

/* As stf_plan_describe(). */
stf_status stfi_plan_describe(const stf_plan *plan, char *text,
                              size_t capacity);

#endif
