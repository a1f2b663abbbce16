/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* HIP devices: what hip_rt.c, hip_kernel.c, hip_queue.c and hip_describe.c
 * share to implement stfi_gpu_rt. */
#ifndef STFI_HIP_RT_H
#define STFI_HIP_RT_H

#include "backends/gpu/host/device/gpu_rt.h"
#include "backends/hip/hip_driver.h"

extern const stfi_gpu_rt stfi_hip_rt;

/* An open device. HIP has one context per device and process, so that a
 * program's own pointers and streams are valid in it. */
struct stfi_gpu_dev {
    const stfi_hip_driver *driver;
    int index;
    char arch[32]; /* "gfx90a", without features such as ":xnack-" */
};

/* stfi_hip_enter() makes the device the calling thread's current one, and
 * stfi_hip_leave() the one that was before. Calls of the runtime are between
 * the two. Errors: DEVICE, recorded by stfi_hip_enter(). */
stf_status stfi_hip_enter(const stfi_gpu_dev *dev, int *previous_p);
void stfi_hip_leave(const stfi_gpu_dev *dev, int previous);

/* hip_kernel.c: as the fields of stfi_gpu_rt. */
stf_status stfi_hip_load(stfi_gpu_dev *dev, const void *image, size_t bytes,
                         const char *entry, const stfi_gpu_launch *launch,
                         stfi_gpu_kernel **kernel_p, stfi_gpu_usage *usage_p);
void stfi_hip_unload(stfi_gpu_dev *dev, stfi_gpu_kernel *kernel);
stf_status stfi_hip_launch(stfi_gpu_dev *dev, const stfi_gpu_kernel *kernel,
                           const stfi_gpu_launch *launch, const void *args,
                           size_t args_bytes, void *stream);

/* hip_queue.c: as the fields of stfi_gpu_rt. */
stf_status stfi_hip_stream_create(stfi_gpu_dev *dev, void **stream_p);
void stfi_hip_stream_destroy(stfi_gpu_dev *dev, void *stream);
stf_status stfi_hip_host_alloc(stfi_gpu_dev *dev, size_t bytes, void **ptr_p);
void stfi_hip_host_free(stfi_gpu_dev *dev, void *ptr);
stf_status stfi_hip_copy_async(stfi_gpu_dev *dev, void *dst, const void *src,
                               size_t bytes, stfi_copy_dir dir, void *stream);
stf_status stfi_hip_time_work(stfi_gpu_dev *dev, stfi_work *work, void *arg,
                              int count, int replay, double *seconds_p);

/* Starts a copy; the device is current. */
hipError_t stfi_hip_start_copy(const stfi_gpu_dev *dev, void *dst,
                               const void *src, size_t bytes, stfi_copy_dir dir,
                               void *stream);

/* hip_describe.c: as stfi_gpu_rt.describe, while the device is current. */
stf_status stfi_hip_describe(const stfi_gpu_dev *dev, stfi_caps *caps_p,
                             stf_device_info *info_p);

#endif
