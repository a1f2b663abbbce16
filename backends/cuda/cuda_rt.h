/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* CUDA devices: what cuda_rt.c, cuda_kernel.c, cuda_queue.c and cuda_describe.c
 * share to implement stfi_gpu_rt. */
#ifndef STFI_CUDA_RT_H
#define STFI_CUDA_RT_H

#include "backends/cuda/cuda_driver.h"
#include "backends/gpu/host/device/gpu_rt.h"

extern const stfi_gpu_rt stfi_cuda_rt;

/* An open device. Its context is the primary one, which the CUDA runtime uses,
 * too, so that a program's own pointers and streams are valid in it. */
struct stfi_gpu_dev {
    const stfi_cuda_driver *driver;
    CUdevice device;
    CUcontext context;
    int index;
    int shared_bytes;   /* of shared memory per multiprocessor */
    int reserved_bytes; /* bytes of these that each resident block loses
                                           to the driver */
    char arch[16];
    int overlaps; /* 1 if launches may begin before the one before has ended */
};

/* stfi_cuda_enter() makes the device's context current, and stfi_cuda_leave()
 * the one that was current before. Calls of the driver are between the two.
 * Errors: DEVICE, recorded by stfi_cuda_enter(). */
stf_status stfi_cuda_enter(const stfi_gpu_dev *dev);
void stfi_cuda_leave(const stfi_gpu_dev *dev);

/* cuda_kernel.c: as the fields of stfi_gpu_rt. */
stf_status stfi_cuda_load(stfi_gpu_dev *dev, const void *image, size_t bytes,
                          const char *entry, const stfi_gpu_launch *launch,
                          stfi_gpu_kernel **kernel_p, stfi_gpu_usage *usage_p);
void stfi_cuda_unload(stfi_gpu_dev *dev, stfi_gpu_kernel *kernel);
stf_status stfi_cuda_launch(stfi_gpu_dev *dev, const stfi_gpu_kernel *kernel,
                            const stfi_gpu_launch *launch, const void *args,
                            size_t args_bytes, void *stream);

/* cuda_queue.c: as the fields of stfi_gpu_rt. */
stf_status stfi_cuda_stream_create(stfi_gpu_dev *dev, void **stream_p);
void stfi_cuda_stream_destroy(stfi_gpu_dev *dev, void *stream);
stf_status stfi_cuda_host_alloc(stfi_gpu_dev *dev, size_t bytes, void **ptr_p);
void stfi_cuda_host_free(stfi_gpu_dev *dev, void *ptr);
stf_status stfi_cuda_copy_async(stfi_gpu_dev *dev, void *dst, const void *src,
                                size_t bytes, stfi_copy_dir dir, void *stream);
stf_status stfi_cuda_time_work(stfi_gpu_dev *dev, stfi_work *work, void *arg,
                               int count, int replay, double *seconds_p);

/* cuda_describe.c: as stfi_gpu_rt.describe, within the device's context. */
stf_status stfi_cuda_describe(const stfi_gpu_dev *dev, stfi_caps *caps_p,
                              stf_device_info *info_p);

#endif
