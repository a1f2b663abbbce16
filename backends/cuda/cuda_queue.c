/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Asynchronous work of CUDA devices: streams, asynchronous copies, and timing
 * by events and graphs. */
#include "backends/cuda/cuda_rt.h"

stf_status stfi_cuda_stream_create(stfi_gpu_dev *dev, void **stream_p)
{
    CUstream stream = NULL;
    stf_status status = stfi_cuda_enter(dev);
    CUresult r;

    if (status != STF_OK)
        return status;
    r = dev->driver->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    stfi_cuda_leave(dev);
    if (r != CUDA_SUCCESS)
        return stfi_cuda_error(dev->driver, r, "cuda:%d: making a stream",
                               dev->index);
    *stream_p = stream;
    return STF_OK;
}

void stfi_cuda_stream_destroy(stfi_gpu_dev *dev, void *stream)
{
    if (stream == NULL || stfi_cuda_enter(dev) != STF_OK)
        return;
    dev->driver->cuStreamDestroy_v2(stream);
    stfi_cuda_leave(dev);
}

stf_status stfi_cuda_host_alloc(stfi_gpu_dev *dev, size_t bytes, void **ptr_p)
{
    stf_status status = stfi_cuda_enter(dev);
    void *ptr = NULL;
    CUresult r;

    if (status != STF_OK)
        return status;
    r = dev->driver->cuMemHostAlloc(&ptr, bytes > 0 ? bytes : 1, 0);
    stfi_cuda_leave(dev);
    if (r != CUDA_SUCCESS)
        return stfi_cuda_error(dev->driver, r,
                               "cuda:%d: allocating %zu bytes "
                               "of page-locked host memory",
                               dev->index, bytes);
    *ptr_p = ptr;
    return STF_OK;
}

void stfi_cuda_host_free(stfi_gpu_dev *dev, void *ptr)
{
    if (ptr == NULL || stfi_cuda_enter(dev) != STF_OK)
        return;
    dev->driver->cuMemFreeHost(ptr);
    stfi_cuda_leave(dev);
}

static CUdeviceptr device_pointer(const void *ptr)
{
    return (CUdeviceptr)(uintptr_t)ptr;
}

stf_status stfi_cuda_copy_async(stfi_gpu_dev *dev, void *dst, const void *src,
                                size_t bytes, stfi_copy_dir dir, void *stream)
{
    const stfi_cuda_driver *driver = dev->driver;
    stf_status status = stfi_cuda_enter(dev);
    CUresult r = CUDA_SUCCESS;

    if (status != STF_OK)
        return status;
    if (bytes > 0 && dir == STFI_TO_DEVICE)
        r = driver->cuMemcpyHtoDAsync_v2(device_pointer(dst), src, bytes,
                                         stream);
    else if (bytes > 0 && dir == STFI_TO_HOST)
        r = driver->cuMemcpyDtoHAsync_v2(dst, device_pointer(src), bytes,
                                         stream);
    else if (bytes > 0)
        r = driver->cuMemcpyDtoDAsync_v2(device_pointer(dst),
                                         device_pointer(src), bytes, stream);
    stfi_cuda_leave(dev);
    return r == CUDA_SUCCESS
               ? STF_OK
               : stfi_cuda_error(driver, r, "cuda:%d: copying %zu bytes",
                                 dev->index, bytes);
}

/* ------------------------------------------------------------------ timing */

/* The timing of `count` runs of some work, on a stream of its own. */
typedef struct timing {
    const stfi_gpu_dev *dev;
    stfi_work *work;
    void *arg;
    int count;
    CUstream stream;
    CUevent begin, end;
    CUgraphExec graph; /* all runs as a graph; NULL: call the work itself */
} timing;

static stf_status failed(const timing *t, CUresult r)
{
    return r == CUDA_SUCCESS
               ? STF_OK
               : stfi_cuda_error(t->dev->driver, r, "cuda:%d: timing",
                                 t->dev->index);
}

static stf_status run_all(const timing *t)
{
    stf_status status = STF_OK;

    for (int i = 0; i < t->count && status == STF_OK; i++)
        status = t->work(t->arg, t->stream);
    return status;
}

/* Captures all runs into one graph and launches it once, since the first launch
 * is slower. */
static stf_status make_graph(timing *t)
{
    const stfi_cuda_driver *driver = t->dev->driver;
    CUgraph graph = NULL;
    stf_status status;
    CUresult r = driver->cuStreamBeginCapture_v2(
        t->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);

    if (r != CUDA_SUCCESS)
        return failed(t, r);
    status = run_all(t);
    r = driver->cuStreamEndCapture(t->stream, &graph);
    if (status == STF_OK && r == CUDA_SUCCESS)
        r = driver->cuGraphInstantiateWithFlags(&t->graph, graph, 0);
    if (status == STF_OK && r == CUDA_SUCCESS)
        r = driver->cuGraphLaunch(t->graph, t->stream);
    if (graph != NULL)
        driver->cuGraphDestroy(graph);
    return status != STF_OK ? status : failed(t, r);
}

static stf_status measure(const timing *t, double *seconds_p)
{
    const stfi_cuda_driver *driver = t->dev->driver;
    float milliseconds = 0.0f;
    stf_status status = STF_OK;
    CUresult r = driver->cuEventRecord(t->begin, t->stream);

    if (r == CUDA_SUCCESS && t->graph != NULL)
        r = driver->cuGraphLaunch(t->graph, t->stream);
    else if (r == CUDA_SUCCESS)
        status = run_all(t);
    if (status != STF_OK)
        return status;
    if (r == CUDA_SUCCESS)
        r = driver->cuEventRecord(t->end, t->stream);
    if (r == CUDA_SUCCESS)
        r = driver->cuEventSynchronize(t->end);
    if (r == CUDA_SUCCESS)
        r = driver->cuEventElapsedTime(&milliseconds, t->begin, t->end);
    if (r == CUDA_SUCCESS)
        *seconds_p = 1e-3 * (double)milliseconds;
    return failed(t, r);
}

static void clear(timing *t)
{
    const stfi_cuda_driver *driver = t->dev->driver;

    if (t->graph != NULL)
        driver->cuGraphExecDestroy(t->graph);
    if (t->end != NULL)
        driver->cuEventDestroy_v2(t->end);
    if (t->begin != NULL)
        driver->cuEventDestroy_v2(t->begin);
    if (t->stream != NULL)
        driver->cuStreamDestroy_v2(t->stream);
}

stf_status stfi_cuda_time_work(stfi_gpu_dev *dev, stfi_work *work, void *arg,
                               int count, int replay, double *seconds_p)
{
    const stfi_cuda_driver *driver = dev->driver;
    timing t = {.dev = dev, .work = work, .arg = arg, .count = count};
    stf_status status = stfi_cuda_enter(dev);
    CUresult r;

    if (status != STF_OK)
        return status;
    /* The time must not include earlier work of other streams. */
    r = driver->cuCtxSynchronize();
    if (r == CUDA_SUCCESS)
        r = driver->cuStreamCreate(&t.stream, CU_STREAM_NON_BLOCKING);
    if (r == CUDA_SUCCESS)
        r = driver->cuEventCreate(&t.begin, 0);
    if (r == CUDA_SUCCESS)
        r = driver->cuEventCreate(&t.end, 0);
    status = failed(&t, r);
    if (status == STF_OK && replay)
        status = make_graph(&t);
    if (status == STF_OK)
        status = measure(&t, seconds_p);
    clear(&t);
    stfi_cuda_leave(dev);
    return status;
}
