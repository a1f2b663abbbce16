/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the CUDA backend loads and launches, seen and changed from outside of
 * the library: the linker directs its calls of three functions to hooks.c
 * (--wrap; see tests/local.mk). Thread: one. */
#ifndef STFI_FLIP_HOOKS_H
#define STFI_FLIP_HOOKS_H

#include "backends/gpu/host/device/gpu_rt.h"
#include "tests/flip/gpu/ptx.h"

enum { FLIP_ENTRY_BYTES = 192, FLIP_MAX_KERNELS = 64, FLIP_MAX_LAUNCHES = 64 };

/* A kernel that the library has loaded. */
typedef struct flip_kernel {
    char entry[FLIP_ENTRY_BYTES], arch[16];
    char *config; /* text of its config.h */
    stfi_gpu_dev *dev;
    const stfi_gpu_kernel *loaded;
    stfi_gpu_launch launch; /* as it was loaded for */
    int used;               /* 1: launched while launches were recorded */
} flip_kernel;

typedef struct flip_launch {
    int kernel; /* number of the kernel */
    uint32_t blocks, threads;
} flip_launch;

/* The kernels, and the launches of the last recorded execution. */
typedef struct flip_log {
    int kernels, launches;
    flip_kernel kernel[FLIP_MAX_KERNELS];
    flip_launch launch[FLIP_MAX_LAUNCHES];
} flip_log;

extern flip_log flip;

/* 1: images are not compiled, since no device will run them. */
extern int flip_no_images;

/* Between these two, launches are recorded. */
void flip_record_begin(void);
void flip_record_end(void);

/* Has launch number `launch` of the next execution run another kernel, which
 * takes one more argument. Every execution is announced. */
void flip_arm(int launch, const stfi_gpu_kernel *instead,
              const ptx_strike *strike);
void flip_announce(void);

/* Loads an image with sites in place of kernel number i. */
stf_status flip_load(int i, const void *image, size_t bytes,
                     stfi_gpu_kernel **kernel_p);

#endif
