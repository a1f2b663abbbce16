/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Fibers: functions with stacks of their own that take turns with the one who
 * entered them.
 *
 * Thread: a fiber is entered by one host thread at a time, and left on the
 * thread that entered it. */
#ifndef STFI_TESTS_SIMT_FIBER_H
#define STFI_TESTS_SIMT_FIBER_H

#include <stddef.h>

typedef struct stfi_fiber {
    char *stack;   /* lowest address, above a page without access */
    void *inside;  /* where it was left */
    void *outside; /* where it was entered */
    void (*body)(void *arg);
    void *arg;
    int ended;
    const void *home; /* the stack from which it was entered */
    size_t home_bytes;
    void *fake[2];   /* the sanitizer's, inside and outside */
    void *thread[2]; /* the thread sanitizer's */
} stfi_fiber;

/* Gives it a stack; 0 when there is no memory. */
int stfi_fiber_open(stfi_fiber *f);
void stfi_fiber_close(stfi_fiber *f);

/* Makes it ready to run body(arg) from its start; what it did before is
 * forgotten. */
void stfi_fiber_set(stfi_fiber *f, void (*body)(void *arg), void *arg);

/* Runs it until it leaves or ends. */
void stfi_fiber_enter(stfi_fiber *f);

/* Called inside: goes back to the one who entered. */
void stfi_fiber_leave(stfi_fiber *f);

#endif
