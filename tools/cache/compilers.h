/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The compilers of kernels for GPUs that need not be present. */
#ifndef STFI_TOOLS_COMPILERS_H
#define STFI_TOOLS_COMPILERS_H

#include "backends/gpu/host/device/gpu_rt.h"

/* The run-time compiler for an architecture; NULL if this build has none. */
const stfi_gpu_rtc *stfi_compiler_of(const char *arch);

/* Reads the resources that an image of that architecture needs, as
 * stfi_kernel_source.usage; one that reports none where this build reads no
 * images. */
typedef stf_status stfi_usage_reader(const void *image, size_t bytes,
                                     const char *entry,
                                     stfi_gpu_usage *usage_p);
stfi_usage_reader *stfi_usage_reader_of(const char *arch);

#endif
