/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A CUDA driver for tests: a library with the driver's functions, whose device
 * memory is host memory. Functions fail on demand, and calls are counted.
 *
 * A test loads it twice: as the driver, by STEADFAST_CUDA_DRIVER, and by
 * dlopen(), to find the variable `fake_cuda` that both sides share. */
#ifndef STFI_TESTS_FAKE_CUDA_H
#define STFI_TESTS_FAKE_CUDA_H

#include <stddef.h>

enum { FAKE_ARGS_BYTES = 64 };

typedef struct fake_cuda_state {
    /* These members are set by the test. */
    int devices;
    const char *model;
    int major, minor; /* compute capability */
    int units, clock_khz, bus_bits;
    size_t free_bytes;         /* free device memory, in bytes */
    const char *fail_call;     /* this function fails .. */
    int fail_code;             /* .. with this result */
    const char *log;           /* text for the log of a failing
                                * cuModuleLoadDataEx */
    float launch_milliseconds; /* the time that events report for a launch */

    /* These members are counted by the driver. */
    int calls_outside; /* calls made without the device's context */
    int live_contexts, live_blocks, live_modules, live_events, live_streams,
        live_graphs;
    int waits; /* waits for a stream or for the device */
    int launches;
    int max_dynamic, carveout; /* attributes that were set; -1: never */
    unsigned grid, block, shared_bytes;
    void *stream;
    size_t args_bytes;
    unsigned char args[FAKE_ARGS_BYTES];
    float clock; /* present time in milliseconds */

    /* The calling thread's current context, and the number of contexts on its
     * stack below it. */
    void *(*current)(void);
    int (*depth)(void);
    /* Makes a context of the test's own current; NULL makes none current. */
    void (*set_own)(void *context);
} fake_cuda_state;

#endif
