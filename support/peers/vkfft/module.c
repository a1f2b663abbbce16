/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* VkFFT on CUDA, as a module that is opened at run time. It is not linked with
 * CUDA's libraries, which the opener has loaded before. Plans live in the
 * device's primary context, which is where our arrays are. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

/* Kernels of halves include CUDA's header by its full path, where it was when this
 * was built. */
#define CUDA_TOOLKIT_ROOT_DIR STF_VKFFT_CUDA
#define VKFFT_BACKEND 1
#include <vkFFT.h>

#include "support/peers/vkfft/module.h"

typedef struct plan {
    VkFFTApplication app;
    CUdevice device;
    CUcontext context;
    cudaStream_t stream;
    void *in, *out;
    uint64_t in_bytes, out_bytes;
} plan;

static uint64_t bytes_of(const stfi_vkfft_problem *q)
{
    uint64_t bytes = (uint64_t)q->batch * (uint64_t)q->component_bytes
                     * (q->dct != 0 || q->dst != 0 ? 1 : 2);

    for (int a = 0; a < q->rank; a++)
        bytes *= (uint64_t)q->n[a];
    return bytes;
}

static void configure(plan *p, const stfi_vkfft_problem *q,
                      VkFFTConfiguration *c)
{
    uint64_t stride = 1;

    c->FFTdim = (uint64_t)q->rank;
    for (int a = 0; a < 3; a++)
        c->size[a] = a < q->rank ? (uint64_t)q->n[a] : 1;
    c->numberBatches = (uint64_t)q->batch;
    c->device = &p->device;
    c->stream = &p->stream;
    c->num_streams = 1;
    c->doublePrecision = q->component_bytes == 8;
    c->halfPrecision = q->component_bytes == 2;
    c->performDCT = (uint64_t)q->dct;
#ifdef STF_VKFFT_DST
    c->performDST = (uint64_t)q->dst;
#endif
    c->makeForwardPlanOnly = 1;
    c->buffer = &p->out;
    c->bufferSize = &p->out_bytes;
    if (p->in == p->out)
        return;
    c->isInputFormatted = 1;
    c->inputBuffer = &p->in;
    c->inputBufferSize = &p->in_bytes;
    for (int a = 0; a < 3; a++) {
        stride *= c->size[a];
        c->inputBufferStride[a] = stride;
    }
}

static int enter(const plan *p)
{
    return -(int)cuCtxPushCurrent(p->context);
}

static void leave(void)
{
    CUcontext ours;

    cuCtxPopCurrent(&ours);
}

static int open_device(plan *p, int device)
{
    CUresult result = cuInit(0);

    if (result == CUDA_SUCCESS)
        result = cuDeviceGet(&p->device, device);
    if (result == CUDA_SUCCESS)
        result = cuDevicePrimaryCtxRetain(&p->context, p->device);
    return -(int)result;
}

static int make(const stfi_vkfft_problem *q, void **plan_p)
{
    plan *p = calloc(1, sizeof *p);
    VkFFTConfiguration c;
    int result;

    if (p == NULL)
        return VKFFT_ERROR_MALLOC_FAILED;
    memset(&c, 0, sizeof c);
    p->in = q->in;
    p->out = q->out;
    p->in_bytes = p->out_bytes = bytes_of(q);
    configure(p, q, &c);
    result = open_device(p, q->device);
    if (result == 0 && (result = enter(p)) == 0) {
        result = (int)initializeVkFFT(&p->app, c);
        leave();
    }
    if (result == 0)
        *plan_p = p;
    else {
        if (p->context != NULL)
            cuDevicePrimaryCtxRelease(p->device);
        free(p);
    }
    return result;
}

static int execute(void *opaque, void *stream)
{
    plan *p = opaque;
    VkFFTLaunchParams launch;
    int result = enter(p);

    if (result != 0)
        return result;
    memset(&launch, 0, sizeof launch);
    launch.buffer = &p->out;
    if (p->in != p->out)
        launch.inputBuffer = &p->in;
    p->stream = (cudaStream_t)stream;
    result = (int)VkFFTAppend(&p->app, -1, &launch);
    leave();
    return result;
}

static void destroy(void *opaque)
{
    plan *p = opaque;

    if (enter(p) == 0) {
        deleteVkFFT(&p->app);
        leave();
    }
    cuDevicePrimaryCtxRelease(p->device);
    free(p);
}

__attribute__((visibility("default"))) const stfi_vkfft_module *stfi_vkfft(void)
{
    static stfi_vkfft_module module = {
        .make = make,
        .execute = execute,
        .destroy = destroy,
#ifdef STF_VKFFT_DST
        .has_dst = 1,
#endif
    };

    /* Before that, what it generates for CUDA has types of Vulkan. */
    module.has_half = VkFFTGetVersion() >= 10300;
    return &module;
}
