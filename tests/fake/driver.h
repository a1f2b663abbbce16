/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the source files of the fake CUDA driver share; see fake_gpu.h. */
#ifndef STFI_TESTS_FAKE_DRIVER_H
#define STFI_TESTS_FAKE_DRIVER_H

#include "backends/cuda/cuda_api.h"
#include "tests/fake/fake_gpu.h"

#define EXPORT __attribute__((visibility("default")))

/* Declares a driver function as extern in the library: the driver's interface
 * is C. */
#define STFI_CUDA_CALL(name, parameters) EXPORT CUresult name parameters;
#include "backends/cuda/cuda_api.def"
#undef STFI_CUDA_CALL
#define STFI_CUDA_MAYBE(name, parameters) EXPORT CUresult name parameters;
#include "backends/cuda/cuda_api.def"
#undef STFI_CUDA_MAYBE

extern EXPORT fake_gpu_state fake_gpu;

/* Whether the device's context is current in the calling thread. */
int fake_inside(void);

/* Every driver function begins with one of these. They fail if the test says
 * so, or if the function needs the device's context and it is not current, or
 * (for all but launches) if the calling thread is capturing a stream into a
 * graph. */
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

/* Defined in libcuda_queue.c: whether the calling thread is capturing, and
 * whether a launch on the stream became a node of its graph. */
int fake_capturing(void);
int fake_capture(CUstream stream);

#endif
