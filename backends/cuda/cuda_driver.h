/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The CUDA driver: a library that is loaded when it is first asked for, so
 * that programs run where there is none. */
#ifndef STFI_CUDA_DRIVER_H
#define STFI_CUDA_DRIVER_H

#include "backends/cuda/cuda_api.h"
#include "base/status.h"

/* Its functions, by their symbols. */
typedef struct stfi_cuda_driver {
#define STFI_CUDA_CALL(name, parameters) CUresult(*name) parameters;
#include "backends/cuda/cuda_api.def"
#undef STFI_CUDA_CALL
} stfi_cuda_driver;

/* The driver, loaded once per process from STEADFAST_CUDA_DRIVER or else
 * libcuda.so.1; NULL when it cannot be, and *reason_p says why. Thread: any. */
const stfi_cuda_driver *stfi_cuda_driver_get(const char **reason_p);

/* Records "<what>: <the driver's name and words for code>; <what to do>" and
 * returns the status that stands for code. */
stf_status stfi_cuda_error(const stfi_cuda_driver *driver, CUresult code,
                           const char *what, ...) STFI_PRINTF(3, 4);

/* "NAME (words)" of a result into text, which is returned. */
const char *stfi_cuda_result_text(const stfi_cuda_driver *driver, CUresult code,
                                  char *text, size_t capacity);

#endif
