/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Drivers of GPUs for tests: libraries with the functions of CUDA's driver and
 * of HIP's runtime, whose device memory is host memory. Functions fail on
 * demand, and calls are counted.
 *
 * A test loads one twice: as the driver, by the environment, and by dlopen(), to
 * find the variable `fake_gpu` that both sides share. */
#ifndef STFI_TESTS_FAKE_GPU_H
#define STFI_TESTS_FAKE_GPU_H

#include <stddef.h>

enum { FAKE_ARGS_BYTES = 64 };

typedef struct fake_gpu_state {
    /* These members are set by the test. */
    int devices;
    const char *model;
    int major, minor; /* compute capability, of CUDA */
    const char *arch; /* name of the architecture, of HIP */
    int wave;
    int units, clock_khz, bus_bits;
    size_t free_bytes;         /* free device memory, in bytes */
    const char *fail_call;     /* this function fails .. */
    int fail_code;             /* .. with this result */
    const char *log;           /* text for the log of a failing
                                * cuModuleLoadDataEx */
    size_t code_args_bytes;    /* the size of arguments that is in a
                                * kernel's code, for launches that do
                                * not tell it */
    float launch_milliseconds; /* the time that events report for a launch */

    /* These members are counted by the driver. */
    int calls_outside; /* calls made while the device was not current */
    int live_contexts, live_blocks, live_modules, live_events, live_streams,
        live_graphs;
    int waits; /* waits for a stream or for the device */
    int launches;
    int overlaps; /* of these, which may begin before the one before has ended */
    int max_dynamic, carveout; /* CUDA's attributes that were set; -1: never */
    unsigned grid, block, shared_bytes;
    void *stream;
    size_t args_bytes;
    unsigned char args[FAKE_ARGS_BYTES];
    float clock; /* present time in milliseconds */

    /* Makes a context or device of the caller's own current in the calling
     * thread, and says whether it still is. */
    void (*go_home)(void);
    int (*at_home)(void);
} fake_gpu_state;

#endif
