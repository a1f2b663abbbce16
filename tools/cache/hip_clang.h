/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The compiler of ready-made kernels for AMD's GPUs: clang, which configure has
 * found. It needs no GPU, no driver and nothing of ROCm. */
#ifndef STFI_TOOLS_HIP_CLANG_H
#define STFI_TOOLS_HIP_CLANG_H

#include "backends/gpu/host/device/gpu_rt.h"

/* Its options are those of hipRTC, so that the kernels are found in a site's
 * cache by programs that would compile them with hipRTC. Thread: one at a
 * time. */
extern const stfi_gpu_rtc stfi_hip_clang_rtc;

#endif
