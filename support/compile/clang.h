/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Kernels compiled for GPUs of AMD by clang, which needs no GPU, no driver and
 * nothing of ROCm: for the stock set at `make`, and for tests. The kernel
 * sources are those of the source tree, which are the embedded ones. */
#ifndef STFI_COMPILE_CLANG_H
#define STFI_COMPILE_CLANG_H

#include "backends/gpu/host/device/gpu_rt.h"

/* Compiles for "gfx90a", "gfx942", "gfx1100" and others. Its options are those
 * of hipRTC, so that programs find its kernels in a site's cache. Thread: any,
 * after stfi_clang_missing(). */
extern const stfi_gpu_rtc stfi_clang_rtc;

/* The reason why nothing can be compiled (there is no clang, or none that has
 * AMD's targets and linker), or NULL. The compiler is that of the environment's
 * STF_HIP_CLANG, else that of configure --with-hip-arch, else a usual name.
 * Thread: one at a time. */
const char *stfi_clang_missing(void);

/* How many kernels this process has compiled. */
long stfi_clang_compiles(void);

#endif
