/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Asynchronous work of HIP devices: streams, asynchronous copies, and timing
 * by events and graphs. */
#include "backends/hip/hip_rt.h"

stf_status stfi_hip_stream_create(stfi_gpu_dev *dev, void **stream_p)
{
    hipStream_t stream = NULL;
    int previous;
    stf_status status = stfi_hip_enter(dev, &previous);
    hipError_t r;

    if (status != STF_OK)
        return status;
    r = dev->driver->hipStreamCreateWithFlags(&stream, hipStreamNonBlocking);
    stfi_hip_leave(dev, previous);
    if (r != hipSuccess)
        return stfi_hip_error(dev->driver, r, "hip:%d: making a stream",
                              dev->index);
    *stream_p = stream;
    return STF_OK;
}

void stfi_hip_stream_destroy(stfi_gpu_dev *dev, void *stream)
{
    int previous;

    if (stream == NULL || stfi_hip_enter(dev, &previous) != STF_OK)
        return;
    dev->driver->hipStreamDestroy(stream);
    stfi_hip_leave(dev, previous);
}

stf_status stfi_hip_host_alloc(stfi_gpu_dev *dev, size_t bytes, void **ptr_p)
{
    int previous;
    stf_status status = stfi_hip_enter(dev, &previous);
    void *ptr = NULL;
    hipError_t r;

    if (status != STF_OK)
        return status;
    r = dev->driver->hipHostMalloc(&ptr, bytes > 0 ? bytes : 1, 0);
    stfi_hip_leave(dev, previous);
    if (r != hipSuccess)
        return stfi_hip_error(dev->driver, r,
                              "hip:%d: allocating %zu bytes "
                              "of page-locked host memory",
                              dev->index, bytes);
    *ptr_p = ptr;
    return STF_OK;
}

void stfi_hip_host_free(stfi_gpu_dev *dev, void *ptr)
{
    int previous;

    if (ptr == NULL || stfi_hip_enter(dev, &previous) != STF_OK)
        return;
    dev->driver->hipHostFree(ptr);
    stfi_hip_leave(dev, previous);
}

stf_status stfi_hip_copy_async(stfi_gpu_dev *dev, void *dst, const void *src,
                               size_t bytes, stfi_copy_dir dir, void *stream)
{
    int previous;
    stf_status status = stfi_hip_enter(dev, &previous);
    hipError_t r = hipSuccess;

    if (status != STF_OK)
        return status;
    if (bytes > 0)
        r = stfi_hip_start_copy(dev, dst, src, bytes, dir, stream);
    stfi_hip_leave(dev, previous);
    return r == hipSuccess
               ? STF_OK
               : stfi_hip_error(dev->driver, r, "hip:%d: copying %zu bytes",
                                dev->index, bytes);
}

/* ------------------------------------------------------------------ timing */

/* The timing of `count` runs of some work, on a stream of its own. */
typedef struct timing {
    const stfi_gpu_dev *dev;
    stfi_work *work;
    void *arg;
    int count;
    hipStream_t stream;
    hipEvent_t begin, end;
    hipGraphExec_t graph; /* all runs as a graph; NULL: call the work itself */
} timing;

static stf_status failed(const timing *t, hipError_t r)
{
    return r == hipSuccess ? STF_OK
                           : stfi_hip_error(t->dev->driver, r, "hip:%d: timing",
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
    const stfi_hip_driver *driver = t->dev->driver;
    hipGraph_t graph = NULL;
    stf_status status;
    hipError_t r = driver->hipStreamBeginCapture(
        t->stream, hipStreamCaptureModeThreadLocal);

    if (r != hipSuccess)
        return failed(t, r);
    status = run_all(t);
    r = driver->hipStreamEndCapture(t->stream, &graph);
    if (status == STF_OK && r == hipSuccess)
        r = driver->hipGraphInstantiateWithFlags(&t->graph, graph, 0);
    if (status == STF_OK && r == hipSuccess)
        r = driver->hipGraphLaunch(t->graph, t->stream);
    if (graph != NULL)
        driver->hipGraphDestroy(graph);
    return status != STF_OK ? status : failed(t, r);
}

static stf_status measure(const timing *t, double *seconds_p)
{
    const stfi_hip_driver *driver = t->dev->driver;
    float milliseconds = 0.0f;
    stf_status status = STF_OK;
    hipError_t r = driver->hipEventRecord(t->begin, t->stream);

    if (r == hipSuccess && t->graph != NULL)
        r = driver->hipGraphLaunch(t->graph, t->stream);
    else if (r == hipSuccess)
        status = run_all(t);
    if (status != STF_OK)
        return status;
    if (r == hipSuccess)
        r = driver->hipEventRecord(t->end, t->stream);
    if (r == hipSuccess)
        r = driver->hipEventSynchronize(t->end);
    if (r == hipSuccess)
        r = driver->hipEventElapsedTime(&milliseconds, t->begin, t->end);
    if (r == hipSuccess)
        *seconds_p = 1e-3 * (double)milliseconds;
    return failed(t, r);
}

static void clear(timing *t)
{
    const stfi_hip_driver *driver = t->dev->driver;

    if (t->graph != NULL)
        driver->hipGraphExecDestroy(t->graph);
    if (t->end != NULL)
        driver->hipEventDestroy(t->end);
    if (t->begin != NULL)
        driver->hipEventDestroy(t->begin);
    if (t->stream != NULL)
        driver->hipStreamDestroy(t->stream);
}

stf_status stfi_hip_time_work(stfi_gpu_dev *dev, stfi_work *work, void *arg,
                              int count, int replay, double *seconds_p)
{
    const stfi_hip_driver *driver = dev->driver;
    timing t = {.dev = dev, .work = work, .arg = arg, .count = count};
    int previous;
    stf_status status = stfi_hip_enter(dev, &previous);
    hipError_t r;

    if (status != STF_OK)
        return status;
    /* The time must not include earlier work of other streams. */
    r = driver->hipDeviceSynchronize();
    if (r == hipSuccess)
        r = driver->hipStreamCreateWithFlags(&t.stream, hipStreamNonBlocking);
    if (r == hipSuccess)
        r = driver->hipEventCreateWithFlags(&t.begin, 0);
    if (r == hipSuccess)
        r = driver->hipEventCreateWithFlags(&t.end, 0);
    status = failed(&t, r);
    if (status == STF_OK && replay)
        status = make_graph(&t);
    if (status == STF_OK)
        status = measure(&t, seconds_p);
    clear(&t);
    stfi_hip_leave(dev, previous);
    return status;
}
