/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The HIP backend's table of functions. */
#ifndef STFI_HIP_BACKEND_H
#define STFI_HIP_BACKEND_H

#include "backend/backend.h"

extern const stfi_backend stfi_hip_backend;

#endif
