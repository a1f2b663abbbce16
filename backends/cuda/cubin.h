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

/* Where the code of an entry of a cubin is, in the section that has that of the
 * functions which it calls, too. */
enum { STFI_CUBIN_HELPERS = 32 };
typedef struct stfi_cubin_code {
    const unsigned char *section; /* inside the image */
    size_t begin, end;            /* offsets of the entry's code */
    int wide_jumps; /* 1: targets of jumps have 8 bits more, as from sm_90 on */
    /* Functions of the compiler's own, such as divisions: where they begin. */
    int helpers;
    size_t helper[STFI_CUBIN_HELPERS];
} stfi_cubin_code;

/* Finds the code of an entry. The image may contain anything, as above. Errors:
 * ARGUMENT (there is no such entry, or it has more helpers). Thread: any. */
stf_status stfi_cubin_code_of(const void *image, size_t bytes,
                              const char *entry, stfi_cubin_code *code_p);

/* As stfi_cubin_usage(), for cubins and PTX. For PTX all numbers are 0, since
 * they are not known before the driver compiles it. */
stf_status stfi_cuda_image_usage(const void *image, size_t bytes,
                                 const char *entry, stfi_gpu_usage *usage_p);

#endif
