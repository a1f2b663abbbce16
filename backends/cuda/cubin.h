/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a compiled kernel needs of a device, read from its image; no driver
 * and no device is asked. */
#ifndef STFI_CUDA_CUBIN_H
#define STFI_CUDA_CUBIN_H

#include "backends/gpu/host/device/gpu_rt.h"

/* Registers, local bytes and static shared bytes of an entry of a cubin, as
 * NVRTC and nvcc make them; usage_p->blocks is 0. Any bytes may be given: none
 * outside of [image, image + bytes) is read.
 * Errors: ARGUMENT (no cubin, damaged, or without that entry). Thread: any. */
stf_status stfi_cubin_usage(const void *image, size_t bytes, const char *entry,
                            stfi_gpu_usage *usage_p);

/* As above, for whatever the compiler yields. If that is PTX, all numbers are 0,
 * since they are not known before the driver compiles it. */
stf_status stfi_cuda_image_usage(const void *image, size_t bytes,
                                 const char *entry, stfi_gpu_usage *usage_p);

#endif
