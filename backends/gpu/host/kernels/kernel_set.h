/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The distinct kernels that some problems need on a device, which may be
 * absent: `make` and `steadfast cache warm` compile them beforehand. */
#ifndef STFI_KERNELS_KERNEL_SET_H
#define STFI_KERNELS_KERNEL_SET_H

#include "backends/gpu/host/device/archs.h"
#include "backends/gpu/host/kernels/images.h"
#include "backends/gpu/host/fft/spec.h"

typedef struct stfi_kernel {
    char arch[STFI_GPU_ARCH_BYTES];
    stfi_gpu_spec spec;
} stfi_kernel;

typedef struct stfi_kernel_set {
    int count, capacity;
    stfi_kernel **kernel;
} stfi_kernel_set;

/* Adds the kernels of the passes of a plan for the descriptor, protected as it
 * says, also those of an in-place run, and with an effort above
 * STF_EFFORT_ESTIMATE those of candidates, on a device with `caps` and the
 * architecture `arch`. A set begins as zeros. Errors: as stfi_desc_complete(),
 * stfi_lower(), stfi_gpu_spec_make(); MEMORY. Thread: any, one per set. */
stf_status stfi_kernel_set_add(stfi_kernel_set *set, const stf_fft_desc *desc,
                               const stfi_caps *caps, const char *arch);

/* The same for a matrix product. Errors: as stfi_gemm_desc_complete(),
 * stfi_gpu_gemm_kernels(). */
stf_status stfi_kernel_set_add_product(stfi_kernel_set *set,
                                       const stf_gemm_desc *desc,
                                       const stfi_caps *caps, const char *arch);
void stfi_kernel_set_free(stfi_kernel_set *set);

/* Where stfi_kernel_get() has images from. It gets a kernel as the backend does
 * when it loads one: for fewer and fewer blocks per multiprocessor until the
 * kernel does not spill, so that nothing is left to be compiled later. get()
 * returns an image, which stfi_kernel_get() frees. */
typedef struct stfi_kernel_source {
    stf_status (*get)(void *arg, const stfi_gpu_key *key, void **image_p,
                      size_t *bytes_p);
    void *arg;
    /* Reads an image, such as stfi_cuda_image_usage(). */
    stf_status (*usage)(const void *image, size_t bytes, const char *entry,
                        stfi_gpu_usage *usage_p);
} stfi_kernel_source;

stf_status stfi_kernel_get(const stfi_kernel *kernel,
                           const stfi_kernel_source *source);

#endif
