/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the files of the fake driver share; see fake_cuda.h. */
#ifndef STFI_TESTS_FAKE_DRIVER_H
#define STFI_TESTS_FAKE_DRIVER_H

#include "backends/cuda/cuda_api.h"
#include "tests/fake/fake_cuda.h"

#define EXPORT __attribute__((visibility("default")))

/* The prototypes of the driver, which is C and has all of them extern. */
#define STFI_CUDA_CALL(name, parameters) EXPORT CUresult name parameters;
#include "backends/cuda/cuda_api.def"
#undef STFI_CUDA_CALL

extern EXPORT fake_cuda_state fake_cuda;

/* Whether the device's context is current in the calling thread. */
int fake_inside(void);

/* Every function begins with one of these: it fails if the test says so; if
 * it needs the device's context and has not got it; and, but for launches, if
 * the calling thread is capturing a stream into a graph. */
CUresult fake_begin_anywhere(const char *name);
CUresult fake_begin_captured(const char *name);
CUresult fake_begin(const char *name);

#define ANYWHERE()                                   \
    CUresult result = fake_begin_anywhere(__func__); \
    if (result != CUDA_SUCCESS)                      \
    return result
#define INSIDE()                            \
    CUresult result = fake_begin(__func__); \
    if (result != CUDA_SUCCESS)             \
    return result

/* Counters are guarded by one lock. */
void fake_lock(void);
void fake_unlock(void);
void fake_add(int *counter, int step);

/* libcuda_queue.c: whether the calling thread is capturing, and whether a
 * launch on the stream became a node of its graph. */
int fake_capturing(void);
int fake_capture(CUstream stream);

#endif
