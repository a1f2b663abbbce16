/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the host parts of the GPU backends share: the open device, and the
 * kernels loaded on it. */
#ifndef STFI_DEVICE_GPU_CTX_H
#define STFI_DEVICE_GPU_CTX_H

#include <pthread.h>

#include "backends/gpu/host/device/archs.h"
#include "backends/gpu/host/device/gpu_rt.h"
#include "backends/gpu/host/fft/spec.h"

/* A kernel that some executables use. */
typedef struct stfi_gpu_loaded {
    struct stfi_gpu_loaded *next;
    stfi_gpu_kernel *kernel;
    stfi_gpu_usage usage;
    int users;
    char entry[STFI_GPU_ENTRY_BYTES];
} stfi_gpu_loaded;

struct stfi_bctx {
    const stfi_gpu_rt *rt;
    const stfi_gpu_rtc *rtc;
    stfi_gpu_dev *dev;
    int index;
    char arch[STFI_GPU_ARCH_BYTES];
    stfi_caps caps;
    pthread_mutex_t lock;    /* guards `loaded`, its kernels, and count */
    stfi_gpu_loaded *loaded; /* list of kernels, the latest first */
    int count;
};

/* Takes the kernel of a spec, which is loaded once per device, until
 * stfi_gpu_kernel_drop(). Errors: as stfi_gpu_image_get(); DEVICE. */
stf_status stfi_gpu_kernel_take(stfi_bctx *ctx, const stfi_gpu_spec *spec,
                                stfi_gpu_loaded **loaded_p);
void stfi_gpu_kernel_drop(stfi_bctx *ctx, stfi_gpu_loaded *loaded);

/* Unloads all kernels; none may be in use. */
void stfi_gpu_kernels_clear(stfi_bctx *ctx);

#endif
