/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Streams, events and graphs of the fake HIP runtime. Its clock advances with every
 * launch, and only launches are captured. */
#include <stdlib.h>

#include "tests/fake/hip_driver.h"

struct ihipStream_t {
    int unused;
};
struct ihipEvent_t {
    float clock;
};
struct ihipGraph {
    int launches;
};
struct hipGraphExec {
    int launches;
};

/* ----------------------------------------------------------------- streams */

hipError_t hipStreamCreateWithFlags(hipStream_t *stream_p, unsigned flags)
{
    INSIDE();
    if (flags != hipStreamNonBlocking)
        return hipErrorInvalidValue;
    *stream_p = malloc(sizeof **stream_p);
    if (*stream_p == NULL)
        return hipErrorOutOfMemory;
    fake_add(&fake_gpu.live_streams, 1);
    return hipSuccess;
}

hipError_t hipStreamDestroy(hipStream_t stream)
{
    hipError_t result = fake_begin(__func__);

    if (fake_inside()) {
        fake_add(&fake_gpu.live_streams, -1);
        free(stream);
    }
    return result;
}

/* ------------------------------------------------------------------ graphs */

static _Thread_local hipStream_t captured;
static _Thread_local int captured_launches;

int fake_capturing(void)
{
    return captured != NULL;
}

int fake_capture(hipStream_t stream)
{
    if (captured == NULL || stream != captured)
        return 0;
    captured_launches++;
    return 1;
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode)
{
    INSIDE();
    if (stream == NULL || mode != hipStreamCaptureModeThreadLocal)
        return hipErrorInvalidValue;
    captured = stream;
    captured_launches = 0;
    return hipSuccess;
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph_p)
{
    hipError_t result = fake_begin_captured(__func__);
    int right = captured != NULL && captured == stream;

    captured = NULL;
    if (result != hipSuccess)
        return result;
    if (!right)
        return hipErrorInvalidValue;
    *graph_p = malloc(sizeof **graph_p);
    if (*graph_p == NULL)
        return hipErrorOutOfMemory;
    (*graph_p)->launches = captured_launches;
    fake_add(&fake_gpu.live_graphs, 1);
    return hipSuccess;
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec_p,
                                        hipGraph_t graph,
                                        unsigned long long flags)
{
    INSIDE();
    if (flags != 0)
        return hipErrorInvalidValue;
    *exec_p = malloc(sizeof **exec_p);
    if (*exec_p == NULL)
        return hipErrorOutOfMemory;
    (*exec_p)->launches = graph->launches;
    fake_add(&fake_gpu.live_graphs, 1);
    return hipSuccess;
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream)
{
    INSIDE();
    fake_lock();
    fake_gpu.launches += exec->launches;
    fake_gpu.clock += (float)exec->launches * fake_gpu.launch_milliseconds;
    fake_gpu.stream = stream;
    fake_unlock();
    return hipSuccess;
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec)
{
    hipError_t result = fake_begin(__func__);

    if (fake_inside()) {
        fake_add(&fake_gpu.live_graphs, -1);
        free(exec);
    }
    return result;
}

hipError_t hipGraphDestroy(hipGraph_t graph)
{
    hipError_t result = fake_begin(__func__);

    if (fake_inside()) {
        fake_add(&fake_gpu.live_graphs, -1);
        free(graph);
    }
    return result;
}

/* ------------------------------------------------------------------ events */

hipError_t hipEventCreateWithFlags(hipEvent_t *event_p, unsigned flags)
{
    INSIDE();
    (void)flags;
    *event_p = calloc(1, sizeof **event_p);
    if (*event_p == NULL)
        return hipErrorOutOfMemory;
    fake_add(&fake_gpu.live_events, 1);
    return hipSuccess;
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)
{
    INSIDE();
    (void)stream;
    fake_lock();
    event->clock = fake_gpu.clock;
    fake_unlock();
    return hipSuccess;
}

hipError_t hipEventSynchronize(hipEvent_t event)
{
    INSIDE();
    (void)event;
    return hipSuccess;
}

hipError_t hipEventElapsedTime(float *milliseconds_p, hipEvent_t begin_event,
                               hipEvent_t end_event)
{
    INSIDE();
    *milliseconds_p = end_event->clock - begin_event->clock;
    return hipSuccess;
}

hipError_t hipEventDestroy(hipEvent_t event)
{
    hipError_t result = fake_begin(__func__);

    if (fake_inside()) {
        fake_add(&fake_gpu.live_events, -1);
        free(event);
    }
    return result;
}
