/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* NVRTC, the run-time compiler of CUDA: a library that is loaded at its first
 * use. */
#ifndef STFI_CUDA_RTC_H
#define STFI_CUDA_RTC_H

#include "backends/gpu/host/device/gpu_rt.h"
#include "backends/gpu/host/kernels/source.h"

extern const stfi_gpu_rtc stfi_cuda_rtc;

/* As stfi_gpu_rtc.compile, for any source. */
stf_status stfi_cuda_compile(const stfi_gpu_source *source, const char *arch,
                             const char *entry, void **image_p,
                             size_t *bytes_p);

#endif
