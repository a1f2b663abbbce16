/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The HIP runtime: a library that is loaded at its first use, so that programs
 * also run where there is none. */
#ifndef STFI_HIP_DRIVER_H
#define STFI_HIP_DRIVER_H

#include "backends/hip/hip_api.h"
#include "base/status.h"

/* The runtime's functions, with the names of their symbols. */
typedef struct stfi_hip_driver {
#define STFI_HIP_CALL(name, parameters) hipError_t(*name) parameters;
#define STFI_HIP_TEXT(name) const char *(*name)(hipError_t);
#include "backends/hip/hip_api.def"
#undef STFI_HIP_TEXT
#undef STFI_HIP_CALL
    stfi_hip_properties_call *properties;
    size_t arch_offset; /* of the architecture's name in the properties */
} stfi_hip_driver;

/* The runtime, which is loaded once per process from STEADFAST_HIP_DRIVER or
 * else by one of the names in stfi_hip_driver_files. NULL if it cannot be
 * loaded; then *reason_p says why. Thread: any. */
const stfi_hip_driver *stfi_hip_driver_get(const char **reason_p);

/* File names of the runtime, the newest release first; the last is NULL. */
extern const char *const stfi_hip_driver_files[];

/* Opens the first of some libraries: one that the program has loaded, since two
 * HIP runtimes in a process know nothing of each other's pointers and streams;
 * else one that the loader finds; else one in the folder of ROCm that was there
 * when the library was configured. Returns NULL if there is none.
 * Thread: any. */
void *stfi_hip_open_first(const char *const *files);

/* Records "<what>: <the runtime's name and description of code>; <what to do>"
 * as the error message, and returns the status that code means. */
stf_status stfi_hip_error(const stfi_hip_driver *driver, hipError_t code,
                          const char *what, ...) STFI_PRINTF(3, 4);

/* Writes "NAME, code (description)" of a result to text, and returns text. */
const char *stfi_hip_result_text(const stfi_hip_driver *driver, hipError_t code,
                                 char *text, size_t capacity);

#endif
