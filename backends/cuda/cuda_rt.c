/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Devices and memory by the CUDA driver; see gpu_rt.h.
 *
 * Every function pushes the device's context and pops it again, so that it
 * may be called from any thread and leaves the caller's context current. */
#include "backends/cuda/cuda_rt.h"

#include <stdio.h>

#include "base/alloc.h"

/* --------------------------------------------------------------- contexts */

stf_status stfi_cuda_enter(const stfi_gpu_dev *dev)
{
    CUresult r = dev->driver->cuCtxPushCurrent_v2(dev->context);

    return r == CUDA_SUCCESS ? STF_OK
                             : stfi_cuda_error(dev->driver, r,
                                               "cuda:%d: making its context "
                                               "current",
                                               dev->index);
}

void stfi_cuda_leave(const stfi_gpu_dev *dev)
{
    CUcontext popped;

    dev->driver->cuCtxPopCurrent_v2(&popped);
}

/* ---------------------------------------------------------------- devices */

/* The reason why there is no device, for the calling thread. */
static _Thread_local char probe_reason[256];

/* Initialises the driver and counts its devices. Returns NULL, with the reason,
 * if there is no driver or no device. */
static const stfi_cuda_driver *start(int *count_p, const char **reason_p)
{
    const stfi_cuda_driver *driver = stfi_cuda_driver_get(reason_p);
    char text[160];
    int count = 0;
    CUresult r;

    if (driver == NULL)
        return NULL;
    r = driver->cuInit(0);
    if (r == CUDA_SUCCESS)
        r = driver->cuDeviceGetCount(&count);
    if (r == CUDA_SUCCESS && count > 0) {
        *count_p = count;
        *reason_p = "";
        return driver;
    }
    if (r == CUDA_SUCCESS)
        r = CUDA_ERROR_NO_DEVICE;
    snprintf(probe_reason, sizeof probe_reason,
             r == CUDA_ERROR_NO_DEVICE ? "the CUDA driver finds no device: %s"
                                       : "the CUDA driver does not start: %s",
             stfi_cuda_result_text(driver, r, text, sizeof text));
    *reason_p = probe_reason;
    return NULL;
}

static stf_status rt_probe(int *ndevices_p, const char **reason_p)
{
    int count = 0;

    start(&count, reason_p);
    *ndevices_p = count;
    return STF_OK;
}

/* The value of an attribute, or `missing` if the driver is too old to know
 * it. */
static int optional(const stfi_gpu_dev *dev, CUdevice_attribute which,
                    int missing)
{
    int value = 0;
    CUresult r = dev->driver->cuDeviceGetAttribute(&value, which, dev->device);
    return r == CUDA_SUCCESS ? value : missing;
}

/* 1 if kernels of the device can wait for the launch before them by themselves
 * (PTX ISA: griddepcontrol), and graphs can have such launches: CUDA 12.3 and
 * newer. */
static int can_overlap(const stfi_cuda_driver *driver, int major)
{
    int version = 0;

    return major >= 9 && driver->cuLaunchKernelEx != NULL
           && driver->cuDriverGetVersion(&version) == CUDA_SUCCESS
           && version >= 12030;
}

static CUresult attach(stfi_gpu_dev *dev)
{
    CUresult r = dev->driver->cuDeviceGet(&dev->device, dev->index);
    int major = 0, minor = 0;

    if (r == CUDA_SUCCESS)
        r = dev->driver->cuDeviceGetAttribute(
            &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, dev->device);
    if (r == CUDA_SUCCESS)
        r = dev->driver->cuDeviceGetAttribute(
            &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, dev->device);
    if (r == CUDA_SUCCESS)
        r = dev->driver->cuDevicePrimaryCtxRetain(&dev->context, dev->device);
    if (r != CUDA_SUCCESS)
        return r;
    snprintf(dev->arch, sizeof dev->arch, "sm_%d%d", major, minor);
    dev->overlaps = can_overlap(dev->driver, major);
    dev->shared_bytes = optional(
        dev, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 0);
    dev->reserved_bytes =
        optional(dev, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 0);
    return CUDA_SUCCESS;
}

static stf_status rt_open(int index, stfi_gpu_dev **dev_p)
{
    const stfi_cuda_driver *driver;
    const char *reason = "";
    stfi_gpu_dev *dev;
    stf_status status;
    void *mem = NULL;
    int count = 0;
    CUresult r;

    driver = start(&count, &reason);
    if (driver == NULL)
        return stfi_error(STF_ERR_DEVICE, "device cuda:%d is absent: %s", index,
                          reason);
    if (index < 0 || index >= count)
        return stfi_error(STF_ERR_ARGUMENT,
                          "device cuda:%d does not exist; there %s %d", index,
                          count == 1 ? "is" : "are", count);
    if ((status = stfi_alloc(sizeof *dev, "a CUDA device", &mem)) != STF_OK)
        return status;
    dev = mem;
    dev->driver = driver;
    dev->index = index;
    r = attach(dev);
    if (r != CUDA_SUCCESS) {
        stfi_dealloc(dev);
        return stfi_cuda_error(driver, r, "cuda:%d: opening it", index);
    }
    *dev_p = dev;
    return STF_OK;
}

static void rt_close(stfi_gpu_dev *dev)
{
    if (dev == NULL)
        return;
    dev->driver->cuDevicePrimaryCtxRelease_v2(dev->device);
    stfi_dealloc(dev);
}

static stf_status rt_describe(stfi_gpu_dev *dev, stfi_caps *caps_p,
                              stf_device_info *info_p)
{
    stf_status status = stfi_cuda_enter(dev);

    if (status != STF_OK)
        return status;
    status = stfi_cuda_describe(dev, caps_p, info_p);
    stfi_cuda_leave(dev);
    return status;
}

static const char *rt_arch(const stfi_gpu_dev *dev)
{
    return dev->arch;
}

/* ----------------------------------------------------------------- memory */

static stf_status no_memory(const stfi_gpu_dev *dev, CUresult code,
                            size_t bytes)
{
    size_t free_bytes = 0, total = 0;

    if (code != CUDA_ERROR_OUT_OF_MEMORY
        || dev->driver->cuMemGetInfo_v2(&free_bytes, &total) != CUDA_SUCCESS)
        return stfi_cuda_error(dev->driver, code,
                               "cuda:%d: allocating %zu bytes", dev->index,
                               bytes);
    return stfi_cuda_error(dev->driver, code,
                           "cuda:%d: allocating %zu bytes "
                           "of which %zu are free",
                           dev->index, bytes, free_bytes);
}

static stf_status rt_mem_alloc(stfi_gpu_dev *dev, size_t bytes, void **ptr_p)
{
    stf_status status = stfi_cuda_enter(dev);
    CUdeviceptr ptr = 0;
    CUresult r;

    if (status != STF_OK)
        return status;
    /* The driver refuses to allocate 0 bytes. */
    r = dev->driver->cuMemAlloc_v2(&ptr, bytes > 0 ? bytes : 1);
    if (r != CUDA_SUCCESS)
        status = no_memory(dev, r, bytes);
    else
        *ptr_p = (void *)(uintptr_t)ptr;
    stfi_cuda_leave(dev);
    return status;
}

static void rt_mem_free(stfi_gpu_dev *dev, void *ptr)
{
    if (ptr == NULL
        || dev->driver->cuCtxPushCurrent_v2(dev->context) != CUDA_SUCCESS)
        return;
    dev->driver->cuMemFree_v2((CUdeviceptr)(uintptr_t)ptr);
    stfi_cuda_leave(dev);
}

/* The directions of copies, for error messages. */
static const char *const directions[] = {
    [STFI_TO_DEVICE] = "to the device",
    [STFI_TO_HOST] = "to the host",
    [STFI_ON_DEVICE] = "within the device",
};

/* Starts an asynchronous copy, to keep the stream's order, and waits for it:
 * the driver may still use a host array when an asynchronous call returns. */
static stf_status rt_copy(stfi_gpu_dev *dev, void *dst, const void *src,
                          size_t bytes, stfi_copy_dir dir, void *stream)
{
    const stfi_cuda_driver *driver = dev->driver;
    CUdeviceptr to = (CUdeviceptr)(uintptr_t)dst;
    CUdeviceptr from = (CUdeviceptr)(uintptr_t)src;
    stf_status status;
    CUresult r;

    if (bytes == 0)
        return STF_OK;
    if ((status = stfi_cuda_enter(dev)) != STF_OK)
        return status;
    if (dir == STFI_TO_DEVICE)
        r = driver->cuMemcpyHtoDAsync_v2(to, src, bytes, stream);
    else if (dir == STFI_TO_HOST)
        r = driver->cuMemcpyDtoHAsync_v2(dst, from, bytes, stream);
    else
        r = driver->cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
    if (r == CUDA_SUCCESS)
        r = driver->cuStreamSynchronize(stream);
    if (r != CUDA_SUCCESS)
        status = stfi_cuda_error(driver, r, "cuda:%d: copying %zu bytes %s",
                                 dev->index, bytes, directions[dir]);
    stfi_cuda_leave(dev);
    return status;
}

static stf_status rt_sync(stfi_gpu_dev *dev, void *stream)
{
    stf_status status = stfi_cuda_enter(dev);
    CUresult r;

    if (status != STF_OK)
        return status;
    r = stream != NULL ? dev->driver->cuStreamSynchronize(stream)
                       : dev->driver->cuCtxSynchronize();
    if (r != CUDA_SUCCESS)
        status = stfi_cuda_error(dev->driver, r,
                                 "cuda:%d: waiting for its work", dev->index);
    stfi_cuda_leave(dev);
    return status;
}

const stfi_gpu_rt stfi_cuda_rt = {
    .name = "cuda",
    .probe = rt_probe,
    .open = rt_open,
    .close = rt_close,
    .describe = rt_describe,
    .arch = rt_arch,
    .mem_alloc = rt_mem_alloc,
    .mem_free = rt_mem_free,
    .copy = rt_copy,
    .load = stfi_cuda_load,
    .unload = stfi_cuda_unload,
    .launch = stfi_cuda_launch,
    .sync = rt_sync,
    .time_work = stfi_cuda_time_work,
    .stream_create = stfi_cuda_stream_create,
    .stream_destroy = stfi_cuda_stream_destroy,
    .host_alloc = stfi_cuda_host_alloc,
    .host_free = stfi_cuda_host_free,
    .copy_async = stfi_cuda_copy_async,
};
