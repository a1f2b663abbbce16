/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The CUDA backend's table of functions. */
#ifndef STFI_CUDA_BACKEND_H
#define STFI_CUDA_BACKEND_H

#include "backend/backend.h"

extern const stfi_backend stfi_cuda_backend;

#endif
