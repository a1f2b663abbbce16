/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* HIP's runtime over CUDA's driver, so that the host code of the HIP backend
 * runs from end to end on a GPU of NVIDIA: asynchronous work, streams, graphs.
 * A device says that it is a gfx1100 with waves of 32 and 64 KB of block memory.
 * It tells nothing about HIP's own behaviour or about code for AMD. The driver
 * is libcuda.so.1, or what STF_ON_CUDA_DRIVER names. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/cuda_api.h"
#include "backends/hip/hip_api.h"

#define EXPORT __attribute__((visibility("default")))
#define STFI_HIP_CALL(name, parameters) EXPORT hipError_t name parameters;
#define STFI_HIP_TEXT(name) EXPORT const char *name(hipError_t code);
#include "backends/hip/hip_api.def"
#undef STFI_HIP_TEXT
#undef STFI_HIP_CALL
EXPORT stfi_hip_properties_call hipGetDevicePropertiesR0600;

enum { MOST_DEVICES = 16, BLOCK_BYTES = 65536 };

typedef struct driver {
#define STFI_CUDA_CALL(name, parameters) CUresult(*name) parameters;
#include "backends/cuda/cuda_api.def"
#undef STFI_CUDA_CALL
} driver;

static const struct {
    const char *name;
    size_t offset;
} calls[] = {
#define STFI_CUDA_CALL(name, parameters) {#name, offsetof(driver, name)},
#include "backends/cuda/cuda_api.def"
#undef STFI_CUDA_CALL
};

static driver cu;
static int loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static CUcontext contexts[MOST_DEVICES]; /* guarded by the mutex */
static _Thread_local int current;

static void load(void)
{
    const char *named = getenv("STF_ON_CUDA_DRIVER");
    void *library =
        dlopen(named != NULL ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

    for (size_t i = 0; library != NULL && i < sizeof calls / sizeof *calls;
         i++) {
        void *symbol = dlsym(library, calls[i].name);
        if (symbol == NULL)
            return;
        memcpy((char *)&cu + calls[i].offset, &symbol, sizeof symbol);
    }
    loaded = library != NULL;
}

/* Makes the context of the thread's device current, which is retained at its
 * first use and never released, as HIP's are. */
static hipError_t enter(void)
{
    CUcontext context;
    CUresult r = CUDA_SUCCESS;

    pthread_mutex_lock(&mutex);
    if (contexts[current] == NULL)
        r = cu.cuDevicePrimaryCtxRetain(&contexts[current], current);
    context = contexts[current];
    pthread_mutex_unlock(&mutex);
    return r == CUDA_SUCCESS ? cu.cuCtxPushCurrent_v2(context) : r;
}

static hipError_t leave(hipError_t result)
{
    CUcontext popped;

    cu.cuCtxPopCurrent_v2(&popped);
    return result;
}

/* A call within the context of the thread's device. Results that both vendors
 * have are the same numbers. */
#define INSIDE(call)                                          \
    do {                                                      \
        hipError_t entered = enter();                         \
        return entered != hipSuccess ? entered : leave(call); \
    } while (0)

/* ----------------------------------------------------------------- devices */

hipError_t hipInit(unsigned flags)
{
    pthread_once(&once, load);
    return loaded ? cu.cuInit(flags) : hipErrorNoDevice;
}

const char *hipGetErrorName(hipError_t code)
{
    const char *name = NULL;

    return loaded && cu.cuGetErrorName(code, &name) == CUDA_SUCCESS ? name
                                                                    : NULL;
}

const char *hipGetErrorString(hipError_t code)
{
    const char *text = NULL;

    return loaded && cu.cuGetErrorString(code, &text) == CUDA_SUCCESS ? text
                                                                      : NULL;
}

hipError_t hipDriverGetVersion(int *version_p)
{
    *version_p = 70000000;
    return hipSuccess;
}

hipError_t hipGetDeviceCount(int *count_p)
{
    hipError_t r = cu.cuDeviceGetCount(count_p);

    if (r == hipSuccess && *count_p > MOST_DEVICES)
        *count_p = MOST_DEVICES;
    return r;
}

hipError_t hipGetDevice(int *device_p)
{
    *device_p = current;
    return hipSuccess;
}

hipError_t hipSetDevice(int device)
{
    int count = 0;
    hipError_t r = hipGetDeviceCount(&count);

    if (r == hipSuccess && (device < 0 || device >= count))
        r = hipErrorInvalidDevice;
    if (r == hipSuccess)
        current = device;
    return r;
}

hipError_t hipDeviceGetName(char *name, int capacity, hipDevice_t device)
{
    return cu.cuDeviceGetName(name, capacity, device);
}

hipError_t hipDeviceTotalMem(size_t *bytes_p, hipDevice_t device)
{
    return cu.cuDeviceTotalMem_v2(bytes_p, device);
}

hipError_t hipDeviceGetAttribute(int *value_p, hipDeviceAttribute_t which,
                                 int device)
{
    static const struct {
        hipDeviceAttribute_t hip;
        CUdevice_attribute cuda;
    } rows[] = {
        {hipDeviceAttributeMultiprocessorCount,
         CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
        {hipDeviceAttributeWarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE},
        {hipDeviceAttributeMaxThreadsPerBlock,
         CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
        {hipDeviceAttributeMaxThreadsPerMultiProcessor,
         CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
        {hipDeviceAttributeL2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
        {hipDeviceAttributeMemoryClockRate,
         CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
        {hipDeviceAttributeMemoryBusWidth,
         CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].hip == which)
            return cu.cuDeviceGetAttribute(value_p, rows[i].cuda, device);
    if (which != hipDeviceAttributeMaxSharedMemoryPerBlock)
        return hipErrorInvalidValue;
    *value_p = BLOCK_BYTES;
    return hipSuccess;
}

hipError_t hipGetDevicePropertiesR0600(void *properties, int device)
{
    (void)device;
    snprintf((char *)properties + STFI_HIP_ARCH_OFFSET_R0600,
             STFI_HIP_ARCH_BYTES, "gfx1100");
    return hipSuccess;
}

hipError_t hipDeviceSynchronize(void)
{
    INSIDE(cu.cuCtxSynchronize());
}

/* ------------------------------------------------------------------ memory */

static CUdeviceptr device_pointer(const void *ptr)
{
    return (CUdeviceptr)(size_t)ptr;
}

static CUstream stream_of(hipStream_t stream)
{
    return (CUstream)(void *)stream;
}

hipError_t hipMemGetInfo(size_t *free_p, size_t *total_p)
{
    INSIDE(cu.cuMemGetInfo_v2(free_p, total_p));
}

hipError_t hipMalloc(void **ptr_p, size_t bytes)
{
    CUdeviceptr ptr = 0;
    hipError_t r = enter();

    if (r != hipSuccess)
        return r;
    r = leave(bytes > 0 ? cu.cuMemAlloc_v2(&ptr, bytes) : CUDA_SUCCESS);
    *ptr_p = (void *)(size_t)ptr;
    return r;
}

hipError_t hipFree(void *ptr)
{
    INSIDE(cu.cuMemFree_v2(device_pointer(ptr)));
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void *src, size_t bytes,
                              hipStream_t stream)
{
    INSIDE(cu.cuMemcpyHtoDAsync_v2(device_pointer(dst), src, bytes,
                                   stream_of(stream)));
}

hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t bytes,
                              hipStream_t stream)
{
    INSIDE(cu.cuMemcpyDtoHAsync_v2(dst, device_pointer(src), bytes,
                                   stream_of(stream)));
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src,
                              size_t bytes, hipStream_t stream)
{
    INSIDE(cu.cuMemcpyDtoDAsync_v2(device_pointer(dst), device_pointer(src),
                                   bytes, stream_of(stream)));
}

hipError_t hipHostMalloc(void **ptr_p, size_t bytes, unsigned flags)
{
    INSIDE(cu.cuMemHostAlloc(ptr_p, bytes, flags));
}

hipError_t hipHostFree(void *ptr)
{
    INSIDE(cu.cuMemFreeHost(ptr));
}

/* ----------------------------------------------------------------- kernels */

hipError_t hipModuleLoadData(hipModule_t *module_p, const void *image)
{
    INSIDE(cu.cuModuleLoadDataEx((CUmodule *)(void *)module_p, image, 0, NULL,
                                 NULL));
}

hipError_t hipModuleUnload(hipModule_t module)
{
    INSIDE(cu.cuModuleUnload((CUmodule)(void *)module));
}

/* HIP's blocks may have all of their memory without being prepared for it. */
hipError_t hipModuleGetFunction(hipFunction_t *function_p, hipModule_t module,
                                const char *name)
{
    CUfunction function = NULL;
    hipError_t r = enter();

    if (r != hipSuccess)
        return r;
    r = cu.cuModuleGetFunction(&function, (CUmodule)(void *)module, name);
    if (r == hipSuccess)
        r = cu.cuFuncSetAttribute(
            function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            BLOCK_BYTES);
    if (r == hipSuccess)
        *function_p = (hipFunction_t)(void *)function;
    return leave(r);
}

/* Both number the attributes that are asked for in the same way. */
hipError_t hipFuncGetAttribute(int *value_p, hipFunction_attribute which,
                               hipFunction_t function)
{
    INSIDE(cu.cuFuncGetAttribute(value_p, which, (CUfunction)(void *)function));
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks_p, hipFunction_t function, int threads, size_t dynamic_bytes)
{
    INSIDE(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks_p, (CUfunction)(void *)function, threads, dynamic_bytes));
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x,
                                 unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned shared_bytes,
                                 hipStream_t stream, void **params,
                                 void **extra)
{
    INSIDE(cu.cuLaunchKernel((CUfunction)(void *)function, grid_x, grid_y,
                             grid_z, block_x, block_y, block_z, shared_bytes,
                             stream_of(stream), params, extra));
}

/* ------------------------------------------------- streams, graphs, events */

hipError_t hipStreamCreateWithFlags(hipStream_t *stream_p, unsigned flags)
{
    INSIDE(cu.cuStreamCreate((CUstream *)(void *)stream_p, flags));
}

hipError_t hipStreamDestroy(hipStream_t stream)
{
    INSIDE(cu.cuStreamDestroy_v2(stream_of(stream)));
}

hipError_t hipStreamSynchronize(hipStream_t stream)
{
    INSIDE(cu.cuStreamSynchronize(stream_of(stream)));
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode)
{
    INSIDE(cu.cuStreamBeginCapture_v2(stream_of(stream), mode));
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph_p)
{
    INSIDE(
        cu.cuStreamEndCapture(stream_of(stream), (CUgraph *)(void *)graph_p));
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec_p,
                                        hipGraph_t graph,
                                        unsigned long long flags)
{
    INSIDE(cu.cuGraphInstantiateWithFlags((CUgraphExec *)(void *)exec_p,
                                          (CUgraph)(void *)graph, flags));
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream)
{
    INSIDE(cu.cuGraphLaunch((CUgraphExec)(void *)exec, stream_of(stream)));
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec)
{
    INSIDE(cu.cuGraphExecDestroy((CUgraphExec)(void *)exec));
}

hipError_t hipGraphDestroy(hipGraph_t graph)
{
    INSIDE(cu.cuGraphDestroy((CUgraph)(void *)graph));
}

hipError_t hipEventCreateWithFlags(hipEvent_t *event_p, unsigned flags)
{
    INSIDE(cu.cuEventCreate((CUevent *)(void *)event_p, flags));
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)
{
    INSIDE(cu.cuEventRecord((CUevent)(void *)event, stream_of(stream)));
}

hipError_t hipEventSynchronize(hipEvent_t event)
{
    INSIDE(cu.cuEventSynchronize((CUevent)(void *)event));
}

hipError_t hipEventElapsedTime(float *milliseconds_p, hipEvent_t begin,
                               hipEvent_t end)
{
    INSIDE(cu.cuEventElapsedTime(milliseconds_p, (CUevent)(void *)begin,
                                 (CUevent)(void *)end));
}

hipError_t hipEventDestroy(hipEvent_t event)
{
    INSIDE(cu.cuEventDestroy_v2((CUevent)(void *)event));
}
