/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Public calls on devices: arguments are checked here, work is done in
 * run/. */
#include "base/fp_env.h"
#include "base/status.h"
#include "run/device.h"
#include "run/gemm/kept.h"

static stf_status check(const void *argument, const char *name)
{
    return argument != NULL ? STF_OK
                            : stfi_error(STF_ERR_ARGUMENT, "%s is NULL", name);
}

stf_status stf_device_open(const char *name, stf_device **dev_p)
{
    STFI_FP_GUARD;
    stf_status status = check(dev_p, "dev_p");
    return status != STF_OK ? status : stfi_device_open(name, dev_p);
}

void stf_device_close(stf_device *dev)
{
    stfi_gemm_kept_drop(dev);
    stfi_device_drop(dev);
}

stf_status stf_device_query(const stf_device *dev, stf_device_info *info_p)
{
    STFI_FP_GUARD;
    stf_status status;

    if ((status = check(dev, "dev")) != STF_OK
        || (status = check(info_p, "info_p")) != STF_OK)
        return status;
    return dev->backend->info(dev->ctx, info_p);
}

int stf_device_list(stf_device_info *list, int capacity)
{
    STFI_FP_GUARD;

    return stfi_device_list(list, list != NULL ? capacity : 0);
}

stf_status stf_malloc(stf_device *dev, size_t bytes, void **ptr_p)
{
    stf_status status;

    if ((status = check(dev, "dev")) != STF_OK
        || (status = check(ptr_p, "ptr_p")) != STF_OK)
        return status;
    return dev->backend->device->mem_alloc(dev->ctx, bytes, ptr_p);
}

void stf_free(stf_device *dev, void *ptr)
{
    if (dev != NULL)
        dev->backend->device->mem_free(dev->ctx, ptr);
}

static stf_status copy(stf_device *dev, void *dst, const char *dst_name,
                       const void *src, const char *src_name, size_t bytes,
                       stfi_copy_dir dir)
{
    stf_status status;

    if ((status = check(dev, "dev")) != STF_OK)
        return status;
    if (bytes == 0)
        return STF_OK;
    if ((status = check(dst, dst_name)) != STF_OK
        || (status = check(src, src_name)) != STF_OK)
        return status;
    return dev->backend->device->mem_copy(dev->ctx, dst, src, bytes, dir, NULL);
}

stf_status stf_upload(stf_device *dev, void *dst, const void *host_src,
                      size_t bytes)
{
    return copy(dev, dst, "dst", host_src, "host_src", bytes, STFI_TO_DEVICE);
}

stf_status stf_download(stf_device *dev, void *host_dst, const void *src,
                        size_t bytes)
{
    return copy(dev, host_dst, "host_dst", src, "src", bytes, STFI_TO_HOST);
}

stf_status stf_synchronize(stf_device *dev)
{
    stf_status status = check(dev, "dev");
    return status != STF_OK ? status
                            : dev->backend->queue->sync(dev->ctx, NULL);
}
