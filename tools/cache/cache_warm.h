/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast cache warm`: compiles kernels before they are needed. */
#ifndef STFI_CACHE_CACHE_WARM_H
#define STFI_CACHE_CACHE_WARM_H

#include "tools/command/options.h"

/* Compiles the kernels of the problems that the arguments name into the
 * user's cache; returns the exit status. */
int stfi_cache_warm(const stfi_args *args);

#endif
