/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Fibers: functions with stacks of their own that run in turn with the code
 * that enters them.
 *
 * Thread: a fiber is entered by one host thread at a time, and left on the
 * thread that entered it. */
#ifndef STFI_TESTS_SIMT_FIBER_H
#define STFI_TESTS_SIMT_FIBER_H

#include <stddef.h>

typedef struct stfi_fiber {
    char *stack;   /* lowest address, above a page without access */
    void *inside;  /* stack pointer at which it was left */
    void *outside; /* stack pointer at which it was entered */
    void (*body)(void *arg);
    void *arg;
    int ended;
    const void *home; /* the stack from which it was entered */
    size_t home_bytes;
    void *fake[2];   /* for the address sanitizer, inside and outside */
    void *thread[2]; /* for the thread sanitizer */
} stfi_fiber;

/* Allocates the stack; returns 0 if there is no memory. */
int stfi_fiber_open(stfi_fiber *f);
void stfi_fiber_close(stfi_fiber *f);

/* Prepares the fiber to run body(arg) from the beginning; its present state is
 * lost. */
void stfi_fiber_set(stfi_fiber *f, void (*body)(void *arg), void *arg);

/* Runs the fiber until it leaves or ends. */
void stfi_fiber_enter(stfi_fiber *f);

/* Called inside a fiber: returns to the code that entered it. */
void stfi_fiber_leave(stfi_fiber *f);

#endif
