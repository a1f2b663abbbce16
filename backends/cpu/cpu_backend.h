/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The CPU backend's table of functions. */
#ifndef STFI_CPU_BACKEND_H
#define STFI_CPU_BACKEND_H

#include "backend/backend.h"

extern const stfi_backend stfi_cpu_backend;

#endif
