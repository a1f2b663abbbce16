/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the source files of the fake HIP runtime share; see fake_gpu.h. */
#ifndef STFI_TESTS_FAKE_HIP_DRIVER_H
#define STFI_TESTS_FAKE_HIP_DRIVER_H

#include "backends/hip/hip_api.h"
#include "tests/fake/fake_gpu.h"

#define EXPORT __attribute__((visibility("default")))

/* Declares the runtime's functions as extern in the library: its interface is
 * C. */
#define STFI_HIP_CALL(name, parameters) EXPORT hipError_t name parameters;
#define STFI_HIP_TEXT(name) EXPORT const char *name(hipError_t code);
#include "backends/hip/hip_api.def"
#undef STFI_HIP_TEXT
#undef STFI_HIP_CALL
EXPORT stfi_hip_properties_call hipGetDevicePropertiesR0600;
EXPORT stfi_hip_properties_call hipGetDeviceProperties;

extern EXPORT fake_gpu_state fake_gpu;

/* Whether a device of the library's choice is current in the calling thread,
 * and not the caller's own. */
int fake_inside(void);

/* Every function of the runtime begins with one of these. They fail if the test
 * says so, or if the function needs its device and that is not current, or (for
 * all but launches) if the calling thread is capturing a stream into a
 * graph. */
hipError_t fake_begin_anywhere(const char *name);
hipError_t fake_begin_captured(const char *name);
hipError_t fake_begin(const char *name);

#define ANYWHERE()                                     \
    hipError_t result = fake_begin_anywhere(__func__); \
    if (result != hipSuccess)                          \
    return result
#define INSIDE()                              \
    hipError_t result = fake_begin(__func__); \
    if (result != hipSuccess)                 \
    return result

/* Counters are guarded by one lock. */
void fake_lock(void);
void fake_unlock(void);
void fake_add(int *counter, int step);

/* Defined in libamdhip64_queue.c: whether the calling thread is capturing, and
 * whether a launch on the stream became a node of its graph. */
int fake_capturing(void);
int fake_capture(hipStream_t stream);

#endif
