/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* hipRTC, the run-time compiler of HIP: a library that is loaded at its first
 * use. It needs no device. */
#ifndef STFI_HIP_RTC_H
#define STFI_HIP_RTC_H

#include "backends/gpu/host/device/gpu_rt.h"
#include "backends/gpu/host/kernels/source.h"

/* Its version is that of hipRTC; where that is the "9.0" of many releases, the
 * version of the compiler's library comgr follows. */
extern const stfi_gpu_rtc stfi_hip_rtc;

/* As stfi_gpu_rtc.compile, for any source. */
stf_status stfi_hip_compile(const stfi_gpu_source *source, const char *arch,
                            const char *entry, void **image_p, size_t *bytes_p);

#endif
