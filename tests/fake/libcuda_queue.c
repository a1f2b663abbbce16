/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Streams, events and graphs of the fake CUDA driver. Its clock advances with every
 * launch, and only launches are captured. */
#include <stdlib.h>

#include "tests/fake/driver.h"

struct CUstream_st {
    int unused;
};
struct CUevent_st {
    float clock;
};
struct CUgraph_st {
    int launches;
};
struct CUgraphExec_st {
    int launches;
};

/* ----------------------------------------------------------------- streams */

CUresult cuStreamCreate(CUstream *stream_p, unsigned flags)
{
    INSIDE();
    if (flags != CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    *stream_p = malloc(sizeof **stream_p);
    if (*stream_p == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    fake_add(&fake_gpu.live_streams, 1);
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    CUresult result = fake_begin(__func__);

    if (fake_inside()) {
        fake_add(&fake_gpu.live_streams, -1);
        free(stream);
    }
    return result;
}

/* ------------------------------------------------------------------ graphs */

static _Thread_local CUstream captured;
static _Thread_local int captured_launches;

int fake_capturing(void)
{
    return captured != NULL;
}

int fake_capture(CUstream stream)
{
    if (captured == NULL || stream != captured)
        return 0;
    captured_launches++;
    return 1;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
    INSIDE();
    if (stream == NULL || mode != CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
        return CUDA_ERROR_INVALID_VALUE;
    captured = stream;
    captured_launches = 0;
    return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph_p)
{
    CUresult result = fake_begin_captured(__func__);
    int right = captured != NULL && captured == stream;

    captured = NULL;
    if (result != CUDA_SUCCESS)
        return result;
    if (!right)
        return CUDA_ERROR_INVALID_VALUE;
    *graph_p = malloc(sizeof **graph_p);
    if (*graph_p == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    (*graph_p)->launches = captured_launches;
    fake_add(&fake_gpu.live_graphs, 1);
    return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec_p, CUgraph graph,
                                     unsigned long long flags)
{
    INSIDE();
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    *exec_p = malloc(sizeof **exec_p);
    if (*exec_p == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    (*exec_p)->launches = graph->launches;
    fake_add(&fake_gpu.live_graphs, 1);
    return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    INSIDE();
    fake_lock();
    fake_gpu.launches += exec->launches;
    fake_gpu.clock += (float)exec->launches * fake_gpu.launch_milliseconds;
    fake_gpu.stream = stream;
    fake_unlock();
    return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    CUresult result = fake_begin(__func__);

    if (fake_inside()) {
        fake_add(&fake_gpu.live_graphs, -1);
        free(exec);
    }
    return result;
}

CUresult cuGraphDestroy(CUgraph graph)
{
    CUresult result = fake_begin(__func__);

    if (fake_inside()) {
        fake_add(&fake_gpu.live_graphs, -1);
        free(graph);
    }
    return result;
}

/* ------------------------------------------------------------------ events */

CUresult cuEventCreate(CUevent *event_p, unsigned flags)
{
    INSIDE();
    (void)flags;
    *event_p = calloc(1, sizeof **event_p);
    if (*event_p == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    fake_add(&fake_gpu.live_events, 1);
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    INSIDE();
    (void)stream;
    fake_lock();
    event->clock = fake_gpu.clock;
    fake_unlock();
    return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event)
{
    INSIDE();
    (void)event;
    return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *milliseconds_p, CUevent begin_event,
                            CUevent end_event)
{
    INSIDE();
    *milliseconds_p = end_event->clock - begin_event->clock;
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event)
{
    CUresult result = fake_begin(__func__);

    if (fake_inside()) {
        fake_add(&fake_gpu.live_events, -1);
        free(event);
    }
    return result;
}

#ifndef FAKE_OLD
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **params, void **extra)
{
    const CUlaunchAttribute *at = config->attrs;
    CUresult result;

    if (config->numAttrs != 1
        || at->id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
        return CUDA_ERROR_INVALID_VALUE;
    result = cuLaunchKernel(
        function, config->gridDimX, config->gridDimY, config->gridDimZ,
        config->blockDimX, config->blockDimY, config->blockDimZ,
        config->sharedMemBytes, config->hStream, params, extra);
    fake_lock();
    if (result == CUDA_SUCCESS)
        fake_gpu.overlaps += at->value.programmaticStreamSerializationAllowed;
    fake_unlock();
    return result;
}
#endif
