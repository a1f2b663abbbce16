/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Streams, asynchronous copies, staging memory and timing; see queue.h. */
#include "run/queue.h"

#include <time.h>

#include "base/alloc.h"

stf_status stfi_stream_create(stf_device *dev, void **stream_p)
{
    if (dev->backend->queue->stream_create != NULL)
        return dev->backend->queue->stream_create(dev->ctx, stream_p);
    *stream_p = NULL;
    return STF_OK;
}

void stfi_stream_destroy(stf_device *dev, void *stream)
{
    if (dev->backend->queue->stream_destroy != NULL && stream != NULL)
        dev->backend->queue->stream_destroy(dev->ctx, stream);
}

stf_status stfi_host_alloc(stf_device *dev, size_t bytes, void **ptr_p)
{
    if (dev->backend->device->host_alloc != NULL)
        return dev->backend->device->host_alloc(dev->ctx, bytes, ptr_p);
    return stfi_alloc_raw(bytes, "a staging buffer", ptr_p);
}

void stfi_host_free(stf_device *dev, void *ptr)
{
    if (dev->backend->device->host_free != NULL)
        dev->backend->device->host_free(dev->ctx, ptr);
    else
        stfi_dealloc(ptr);
}

stf_status stfi_copy_async(stf_device *dev, void *dst, const void *src,
                           size_t bytes, stfi_copy_dir dir, void *stream)
{
    if (dev->backend->queue->copy_async != NULL)
        return dev->backend->queue->copy_async(dev->ctx, dst, src, bytes, dir,
                                               stream);
    return dev->backend->device->mem_copy(dev->ctx, dst, src, bytes, dir,
                                          stream);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

stf_status stfi_time_work(stf_device *dev, stfi_work *work, void *arg,
                          int count, int replay, double *seconds_p)
{
    stf_status status;
    double began;

    if (dev->backend->queue->time_work != NULL)
        return dev->backend->queue->time_work(dev->ctx, work, arg, count,
                                              replay, seconds_p);
    status = dev->backend->queue->sync(dev->ctx, NULL);
    began = now();
    for (int i = 0; i < count && status >= STF_OK; i++)
        status = work(arg, NULL);
    if (status >= STF_OK)
        status = dev->backend->queue->sync(dev->ctx, NULL);
    if (status >= STF_OK)
        *seconds_p = now() - began;
    return status;
}
