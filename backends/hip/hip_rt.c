/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Devices and memory by the HIP runtime; see gpu_rt.h.
 *
 * Every function makes the device current and then the one that was current
 * before, so that it may be called from any thread and leaves the caller's
 * current device alone. Every call's own result is taken: hipGetLastError()
 * means different things in different releases. */
#include "backends/hip/hip_rt.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

/* --------------------------------------------------------- current device */

stf_status stfi_hip_enter(const stfi_gpu_dev *dev, int *previous_p)
{
    int previous = dev->index;
    hipError_t r = dev->driver->hipGetDevice(&previous);

    if (r == hipSuccess && previous != dev->index)
        r = dev->driver->hipSetDevice(dev->index);
    *previous_p = previous;
    return r == hipSuccess
               ? STF_OK
               : stfi_hip_error(dev->driver, r, "hip:%d: making it current",
                                dev->index);
}

void stfi_hip_leave(const stfi_gpu_dev *dev, int previous)
{
    if (previous != dev->index)
        dev->driver->hipSetDevice(previous);
}

/* ---------------------------------------------------------------- devices */

/* The reason why there is no device, for the calling thread. */
static _Thread_local char probe_reason[256];

/* Initialises the runtime and counts its devices. Returns NULL, with the
 * reason, if there is no runtime or no device. Where there is none, older
 * runtimes report an invalid device. */
static const stfi_hip_driver *start(int *count_p, const char **reason_p)
{
    const stfi_hip_driver *driver = stfi_hip_driver_get(reason_p);
    char text[160];
    int count = 0;
    hipError_t r;

    if (driver == NULL)
        return NULL;
    r = driver->hipInit(0);
    if (r == hipSuccess)
        r = driver->hipGetDeviceCount(&count);
    if (r == hipSuccess && count > 0) {
        *count_p = count;
        *reason_p = "";
        return driver;
    }
    if (r == hipSuccess || r == hipErrorInvalidDevice)
        r = hipErrorNoDevice;
    snprintf(probe_reason, sizeof probe_reason,
             r == hipErrorNoDevice ? "the HIP runtime finds no device: %s"
                                   : "the HIP runtime does not start: %s",
             stfi_hip_result_text(driver, r, text, sizeof text));
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

/* Reads the architecture. Code for the plain name, without the features after
 * the colon, runs in every mode of the device. */
static hipError_t read_arch(stfi_gpu_dev *dev)
{
    char properties[STFI_HIP_PROPERTIES_BYTES] = {0};
    const char *name = properties + dev->driver->arch_offset;
    hipError_t r = dev->driver->properties(properties, dev->index);

    if (r != hipSuccess)
        return r;
    properties[dev->driver->arch_offset + STFI_HIP_ARCH_BYTES - 1] = '\0';
    snprintf(dev->arch, sizeof dev->arch, "%.*s", (int)strcspn(name, ":"),
             name);
    return hipSuccess;
}

static stf_status rt_open(int index, stfi_gpu_dev **dev_p)
{
    const stfi_hip_driver *driver;
    const char *reason = "";
    stfi_gpu_dev *dev;
    stf_status status;
    void *mem = NULL;
    int count = 0;
    hipError_t r;

    driver = start(&count, &reason);
    if (driver == NULL)
        return stfi_error(STF_ERR_DEVICE, "device hip:%d is absent: %s", index,
                          reason);
    if (index < 0 || index >= count)
        return stfi_error(STF_ERR_ARGUMENT,
                          "device hip:%d does not exist; there %s %d", index,
                          count == 1 ? "is" : "are", count);
    if ((status = stfi_alloc(sizeof *dev, "a HIP device", &mem)) != STF_OK)
        return status;
    dev = mem;
    dev->driver = driver;
    dev->index = index;
    r = read_arch(dev);
    if (r != hipSuccess) {
        stfi_dealloc(dev);
        return stfi_hip_error(driver, r, "hip:%d: opening it", index);
    }
    *dev_p = dev;
    return STF_OK;
}

static void rt_close(stfi_gpu_dev *dev)
{
    stfi_dealloc(dev);
}

static stf_status rt_describe(stfi_gpu_dev *dev, stfi_caps *caps_p,
                              stf_device_info *info_p)
{
    int previous;
    stf_status status = stfi_hip_enter(dev, &previous);

    if (status != STF_OK)
        return status;
    status = stfi_hip_describe(dev, caps_p, info_p);
    stfi_hip_leave(dev, previous);
    return status;
}

static const char *rt_arch(const stfi_gpu_dev *dev)
{
    return dev->arch;
}

/* ----------------------------------------------------------------- memory */

static stf_status no_memory(const stfi_gpu_dev *dev, hipError_t code,
                            size_t bytes)
{
    size_t free_bytes = 0, total = 0;

    if (code != hipErrorOutOfMemory
        || dev->driver->hipMemGetInfo(&free_bytes, &total) != hipSuccess)
        return stfi_hip_error(dev->driver, code, "hip:%d: allocating %zu bytes",
                              dev->index, bytes);
    return stfi_hip_error(dev->driver, code,
                          "hip:%d: allocating %zu bytes "
                          "of which %zu are free",
                          dev->index, bytes, free_bytes);
}

static stf_status rt_mem_alloc(stfi_gpu_dev *dev, size_t bytes, void **ptr_p)
{
    void *ptr = NULL;
    int previous;
    stf_status status = stfi_hip_enter(dev, &previous);
    hipError_t r;

    if (status != STF_OK)
        return status;
    /* For 0 bytes the runtime gives no pointer. */
    r = dev->driver->hipMalloc(&ptr, bytes > 0 ? bytes : 1);
    if (r != hipSuccess)
        status = no_memory(dev, r, bytes);
    else
        *ptr_p = ptr;
    stfi_hip_leave(dev, previous);
    return status;
}

static void rt_mem_free(stfi_gpu_dev *dev, void *ptr)
{
    int previous;

    if (ptr == NULL || stfi_hip_enter(dev, &previous) != STF_OK)
        return;
    dev->driver->hipFree(ptr);
    stfi_hip_leave(dev, previous);
}

hipError_t stfi_hip_start_copy(const stfi_gpu_dev *dev, void *dst,
                               const void *src, size_t bytes, stfi_copy_dir dir,
                               void *stream)
{
    /* The runtime takes a source that it does not write as one that it may. */
    void *from = (void *)(uintptr_t)src;

    if (dir == STFI_TO_DEVICE)
        return dev->driver->hipMemcpyHtoDAsync(dst, from, bytes, stream);
    if (dir == STFI_TO_HOST)
        return dev->driver->hipMemcpyDtoHAsync(dst, from, bytes, stream);
    return dev->driver->hipMemcpyDtoDAsync(dst, from, bytes, stream);
}

/* The directions of copies, for error messages. */
static const char *const directions[] = {
    [STFI_TO_DEVICE] = "to the device",
    [STFI_TO_HOST] = "to the host",
    [STFI_ON_DEVICE] = "within the device",
};

/* Starts an asynchronous copy, to keep the stream's order, and waits for it:
 * the runtime may still use a host array when an asynchronous call returns. */
static stf_status rt_copy(stfi_gpu_dev *dev, void *dst, const void *src,
                          size_t bytes, stfi_copy_dir dir, void *stream)
{
    stf_status status;
    int previous;
    hipError_t r;

    if (bytes == 0)
        return STF_OK;
    if ((status = stfi_hip_enter(dev, &previous)) != STF_OK)
        return status;
    r = stfi_hip_start_copy(dev, dst, src, bytes, dir, stream);
    if (r == hipSuccess)
        r = dev->driver->hipStreamSynchronize(stream);
    if (r != hipSuccess)
        status = stfi_hip_error(dev->driver, r, "hip:%d: copying %zu bytes %s",
                                dev->index, bytes, directions[dir]);
    stfi_hip_leave(dev, previous);
    return status;
}

static stf_status rt_sync(stfi_gpu_dev *dev, void *stream)
{
    int previous;
    stf_status status = stfi_hip_enter(dev, &previous);
    hipError_t r;

    if (status != STF_OK)
        return status;
    r = stream != NULL ? dev->driver->hipStreamSynchronize(stream)
                       : dev->driver->hipDeviceSynchronize();
    if (r != hipSuccess)
        status = stfi_hip_error(dev->driver, r, "hip:%d: waiting for its work",
                                dev->index);
    stfi_hip_leave(dev, previous);
    return status;
}

const stfi_gpu_rt stfi_hip_rt = {
    .name = "hip",
    .probe = rt_probe,
    .open = rt_open,
    .close = rt_close,
    .describe = rt_describe,
    .arch = rt_arch,
    .mem_alloc = rt_mem_alloc,
    .mem_free = rt_mem_free,
    .copy = rt_copy,
    .load = stfi_hip_load,
    .unload = stfi_hip_unload,
    .launch = stfi_hip_launch,
    .sync = rt_sync,
    .time_work = stfi_hip_time_work,
    .stream_create = stfi_hip_stream_create,
    .stream_destroy = stfi_hip_stream_destroy,
    .host_alloc = stfi_hip_host_alloc,
    .host_free = stfi_hip_host_free,
    .copy_async = stfi_hip_copy_async,
};
