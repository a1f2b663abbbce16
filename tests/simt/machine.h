/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The emulated multiprocessor: it runs the blocks of a grid one after the
 * other. The threads of a block are fibers that take turns at barriers and
 * shuffles.
 *
 * A wave runs until none of its threads can continue, then the next wave runs.
 * So a thread that reads what another wave writes sees it in only one of the
 * two orders of threads, unless a barrier of the block stands between them:
 * results that differ between the orders show that a barrier is missing. */
#ifndef STFI_TESTS_SIMT_MACHINE_H
#define STFI_TESTS_SIMT_MACHINE_H

#include <stdint.h>

#include "steadfast.h"
#include "tests/simt/calls.h"

enum { STFI_SIMT_MAX_THREADS = 1024 };

typedef struct stfi_simt_grid {
    const char *name; /* the kernel's name, for messages */
    void (*entry)(const void *args);
    const void *args;
    uint32_t blocks;
    uint32_t threads; /* <= STFI_SIMT_MAX_THREADS */
    uint32_t shared_bytes;
    uint32_t wave;
    int overlaps;   /* 1: it may begin before the launch before it has ended */
    int descending; /* 1: blocks and threads run from the last to the first */
} stfi_simt_grid;

/* The table of calls for a loaded kernel. */
const simt_calls *stfi_simt_calls(void);

/* For what a wave does together: each thread gives a value of up to 32 bytes, and
 * waits for the others; then it can read the values of all until it gives another
 * one. */
unsigned stfi_simt_lane(void);
void stfi_simt_give(const void *value, unsigned bytes);
const void *stfi_simt_given(unsigned lane);

/* Lets block `block` of the launch that comes after `launches` others take itself for
 * block `seen`, until it asks anew. A launch is a run in each order. -1: none. */
void stfi_simt_stray(int launches, uint32_t block, uint32_t seen);

/* Damage to bytes [at, at + bytes) of block memory. Each word of four bytes has a bit of
 * its third byte flipped: in F32 and in the upper half of F64, a high one of the
 * mantissa. It strikes block `block` of the launch that comes after `launches` others,
 * counted as above, when all its threads have met so often before and meet again. */
typedef struct stfi_simt_damage {
    int launches; /* -1: there is none */
    uint32_t block;
    int meetings;
    uint32_t at, bytes;
} stfi_simt_damage;

/* Sets what is to be damaged. Returns how many runs of launches were damaged since the
 * last call. */
int stfi_simt_set_damage(const stfi_simt_damage *damage);

/* Runs the grid. Errors: DEVICE (a barrier or shuffle that not all threads
 * reach, a write beside the shared memory), MEMORY. Thread: one at a time. */
stf_status stfi_simt_run(const stfi_simt_grid *grid);

#endif
