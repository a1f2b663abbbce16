/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The CUDA driver: a library that is loaded at its first use, so that programs
 * also run where there is none. */
#ifndef STFI_CUDA_DRIVER_H
#define STFI_CUDA_DRIVER_H

#include "backends/cuda/cuda_api.h"
#include "base/status.h"

/* The driver's functions, with the names of their symbols. */
typedef struct stfi_cuda_driver {
#define STFI_CUDA_CALL(name, parameters) CUresult(*name) parameters;
#include "backends/cuda/cuda_api.def"
#undef STFI_CUDA_CALL
#define STFI_CUDA_MAYBE(name, parameters) CUresult(*name) parameters;
#include "backends/cuda/cuda_api.def"
#undef STFI_CUDA_MAYBE
} stfi_cuda_driver;

/* The driver, which is loaded once per process from STEADFAST_CUDA_DRIVER or
 * else libcuda.so.1. NULL if it cannot be loaded; then *reason_p says why.
 * Thread: any. */
const stfi_cuda_driver *stfi_cuda_driver_get(const char **reason_p);

/* Records "<what>: <the driver's name and description of code>; <what to do>"
 * as the error message, and returns the status that code means. */
stf_status stfi_cuda_error(const stfi_cuda_driver *driver, CUresult code,
                           const char *what, ...) STFI_PRINTF(3, 4);

/* Writes "NAME, code (description)" of a result to text, and returns text. */
const char *stfi_cuda_result_text(const stfi_cuda_driver *driver, CUresult code,
                                  char *text, size_t capacity);

#endif
