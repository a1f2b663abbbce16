/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the kernels are compiled for: CUDA, HIP, or the tests' emulation on a
 * host. Only the files of this folder depend on that, and none of them
 * depends on what a kernel does. */
#ifndef STFK_VENDOR_H
#define STFK_VENDOR_H

#if defined(STFK_HOST)
#include "arch/host.h"
#elif defined(STFK_CUDA)
#include "arch/cuda.h"
#elif defined(STFK_HIP)
#include "arch/hip.h"
#else
#error "define STFK_CUDA, STFK_HIP or STFK_HOST"
#endif

#endif
