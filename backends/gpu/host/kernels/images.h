/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compiled kernels. An image is read from a disk cache if one has it; otherwise
 * it is compiled at run time and written to the user's cache. */
#ifndef STFI_KERNELS_IMAGES_H
#define STFI_KERNELS_IMAGES_H

#include "backends/gpu/host/device/gpu_rt.h"

/* A kernel by everything that decides its machine code. */
typedef struct stfi_gpu_key {
    const char *entry;  /* name of the entry point, encodes the parameters */
    const char *config; /* text of config.h */
    const char *arch;   /* "sm_90", "compute_75" */
} stfi_gpu_key;

/* Gets the image of a kernel, which is freed by stfi_dealloc(). If `rtc` has
 * no compiler, only cached kernels are found. *cached_p (may be NULL): 1 if
 * it came from a disk cache. Errors: COMPILE, MEMORY. An unusable cache is
 * no error. Thread: any; many processes may share a cache. */
stf_status stfi_gpu_image_get(const stfi_gpu_rtc *rtc, const stfi_gpu_key *key,
                              void **image_p, size_t *bytes_p, int *cached_p);

/* Gets the image of a kernel for `make`, which fills a site's cache: reads it
 * from `directory` and from no other cache, or compiles it and writes it there.
 * *built_p (may be NULL): 1 if it was there. Errors: COMPILE, MEMORY, IO. */
stf_status stfi_gpu_image_build(const stfi_gpu_rtc *rtc,
                                const stfi_gpu_key *key, const char *directory,
                                void **image_p, size_t *bytes_p, int *built_p);

/* Writes the compiler's name and version, which mark cached kernels, such as
 * "nvrtc 13.0".
 * Errors: COMPILE, saying why there is no compiler. */
enum { STFI_GPU_COMPILER_BYTES = 32 };
stf_status stfi_gpu_compiler(const stfi_gpu_rtc *rtc,
                             char text[STFI_GPU_COMPILER_BYTES]);

#endif
