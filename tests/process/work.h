/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Work for tests of what surrounds the library: every public call, on problems
 * that are long enough for several threads. What an execution gives must equal
 * in every bit what one thread gave in an ordinary environment. */
#ifndef STFI_TESTS_WORK_H
#define STFI_TESTS_WORK_H

#include "steadfast.h"

typedef enum work_result {
    WORK_RIGHT,
    WORK_REFUSED, /* by a status, with a message */
    WORK_WRONG
} work_result;

/* Draws the inputs and computes the right outputs; returns 0 if that fails.
 * Nothing of it takes a second thread. */
int work_open(void);
void work_close(void);

/* Makes every public call but those on devices, and prints what was wrong or
 * refused. It allocates nothing of its own. */
work_result work_do(stf_device *dev, int threads);

/* The same on a device that it opens and closes. */
work_result work_do_all(int threads);

/* Executes on host arrays, on a device of any kind. */
work_result work_do_host(stf_device *dev, int threads);

#endif
