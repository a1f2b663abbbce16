/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A CUDA driver for tests: a library with the driver's functions, whose
 * device is host memory. It fails on demand and counts what it is given.
 *
 * A test loads it twice: as the driver, by STEADFAST_CUDA_DRIVER, and by
 * dlopen(), in order to find `fake_cuda`, what both share. */
#ifndef STFI_TESTS_FAKE_CUDA_H
#define STFI_TESTS_FAKE_CUDA_H

#include <stddef.h>

enum { FAKE_ARGS_BYTES = 64 };

typedef struct fake_cuda_state {
    /* Set by the test. */
    int devices;
    const char *model;
    int major, minor; /* compute capability */
    int units, clock_khz, bus_bits;
    size_t free_bytes;         /* of device memory */
    const char *fail_call;     /* this function fails .. */
    int fail_code;             /* .. with this result */
    const char *log;           /* of a failing cuModuleLoadDataEx */
    float launch_milliseconds; /* that a launch takes, by events */

    /* Counted by the driver. */
    int calls_outside; /* of the device's context */
    int live_contexts, live_blocks, live_modules, live_events, live_streams,
        live_graphs;
    int waits; /* for a stream or everything */
    int launches;
    int max_dynamic, carveout; /* attributes of functions, -1: never set */
    unsigned grid, block, shared_bytes;
    void *stream;
    size_t args_bytes;
    unsigned char args[FAKE_ARGS_BYTES];
    float clock; /* milliseconds */

    /* The calling thread's current context, and how many lie below it. */
    void *(*current)(void);
    int (*depth)(void);
    /* Makes a context of the test's own current; NULL takes it away. */
    void (*set_own)(void *context);
} fake_cuda_state;

#endif
