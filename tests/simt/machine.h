/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The emulated multiprocessor: runs the blocks of a grid one after the other,
 * the threads of a block as fibers that take turns at barriers and shuffles.
 *
 * A wave runs until none of its threads can go on, then comes the next one.
 * So a thread that needs what another wave has written sees it in one order
 * of threads only, unless a barrier of the block stands between them: results
 * that differ between the orders tell of a missing barrier. */
#ifndef STFI_TESTS_SIMT_MACHINE_H
#define STFI_TESTS_SIMT_MACHINE_H

#include <stdint.h>

#include "steadfast.h"
#include "tests/simt/calls.h"

enum { STFI_SIMT_MAX_THREADS = 1024 };

typedef struct stfi_simt_grid {
    const char *name; /* of the kernel, for messages */
    void (*entry)(const void *args);
    const void *args;
    uint32_t blocks;
    uint32_t threads; /* <= STFI_SIMT_MAX_THREADS */
    uint32_t shared_bytes;
    uint32_t wave;
    int descending; /* blocks and threads from the last */
} stfi_simt_grid;

/* Points a loaded kernel to this machine. */
const simt_calls *stfi_simt_calls(void);

/* Runs the grid. Errors: DEVICE (a barrier or shuffle that not all threads
 * reach, a write beside the shared memory), MEMORY. Thread: one at a time. */
stf_status stfi_simt_run(const stfi_simt_grid *grid);

#endif
