/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The resources that a compiled kernel needs, read from its image without a
 * driver or a device. */
#ifndef STFI_CUDA_CUBIN_H
#define STFI_CUDA_CUBIN_H

#include "backends/gpu/host/device/gpu_rt.h"

/* Reads registers, local bytes, spills and static shared bytes of an entry of a cubin
 * of NVRTC or nvcc; usage_p->blocks is 0. The image may contain anything: no
 * byte outside of [image, image + bytes) is read.
 * Errors: ARGUMENT (no cubin, damaged, or without that entry). Thread: any. */
stf_status stfi_cubin_usage(const void *image, size_t bytes, const char *entry,
                            stfi_gpu_usage *usage_p);

/* Returns how many instructions the code of an entry of a cubin has, without that of
 * the functions that it calls; 0 if there is no such entry. The image may contain
 * anything, as above. Thread: any. */
int stfi_cubin_instructions(const void *image, size_t bytes, const char *entry);

/* As stfi_cubin_usage(), for cubins and PTX. For PTX all numbers are 0, since
 * they are not known before the driver compiles it. */
stf_status stfi_cuda_image_usage(const void *image, size_t bytes,
                                 const char *entry, stfi_gpu_usage *usage_p);

#endif
