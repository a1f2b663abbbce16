/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The functions of CUDA's driver, as in fake_gpu.h. With FAKE_OLD it lacks
 * cuLaunchKernel. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fake/driver.h"

struct CUctx_st {
    int unused;
};
struct CUmod_st {
    int unused;
};
struct CUfunc_st {
    int unused;
};

enum { MAX_DEPTH = 16 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct CUctx_st primary, home;
static struct CUfunc_st function_of_all;
static _Thread_local void *stack[MAX_DEPTH];
static _Thread_local int stack_depth;

static void *current(void)
{
    return stack_depth > 0 ? stack[stack_depth - 1] : NULL;
}

static void go_home(void)
{
    stack_depth = 1;
    stack[0] = &home;
}

static int at_home(void)
{
    return stack_depth == 1 && stack[0] == &home;
}

fake_gpu_state fake_gpu = {
    .devices = 1,
    .model = "NVIDIA H200",
    .major = 9,
    .wave = 32,
    .units = 132,
    .clock_khz = 3201000,
    .bus_bits = 6144,
    .free_bytes = (size_t)1 << 30,
    .launch_milliseconds = 0.0625f,
    .max_dynamic = -1,
    .carveout = -1,
    .go_home = go_home,
    .at_home = at_home,
};

void fake_lock(void)
{
    pthread_mutex_lock(&mutex);
}

void fake_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

void fake_add(int *counter, int step)
{
    fake_lock();
    *counter += step;
    fake_unlock();
}

int fake_inside(void)
{
    return current() == &primary;
}

CUresult fake_begin_anywhere(const char *name)
{
    return fake_gpu.fail_call != NULL && strcmp(fake_gpu.fail_call, name) == 0
               ? fake_gpu.fail_code
               : CUDA_SUCCESS;
}

CUresult fake_begin_captured(const char *name)
{
    if (fake_inside())
        return fake_begin_anywhere(name);
    fake_add(&fake_gpu.calls_outside, 1);
    return CUDA_ERROR_INVALID_CONTEXT;
}

CUresult fake_begin(const char *name)
{
    return fake_capturing() ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                            : fake_begin_captured(name);
}

static void note_stream(void *stream)
{
    fake_lock();
    fake_gpu.stream = stream;
    fake_unlock();
}

/* ----------------------------------------------------------------- devices */

CUresult cuInit(unsigned flags)
{
    ANYWHERE();
    return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult code, const char **name_p)
{
    static const struct {
        CUresult code;
        const char *name;
    } names[] = {
#define STFI_CUDA_VALUE(name, value) {value, #name},
#include "backends/cuda/cuda_api.def"
#undef STFI_CUDA_VALUE
    };
    ANYWHERE();

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code && strncmp(names[i].name, "CUDA_", 5) == 0) {
            *name_p = names[i].name;
            return CUDA_SUCCESS;
        }
    *name_p = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult code, const char **text_p)
{
    ANYWHERE();
    *text_p = code == CUDA_ERROR_ECC_UNCORRECTABLE
                  ? "uncorrectable ECC error encountered"
                  : "words of the fake";
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version_p)
{
    ANYWHERE();
    *version_p = 13000;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count_p)
{
    ANYWHERE();
    *count_p = fake_gpu.devices;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device_p, int index)
{
    ANYWHERE();
    if (index < 0 || index >= fake_gpu.devices)
        return CUDA_ERROR_INVALID_DEVICE;
    *device_p = index;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int capacity, CUdevice device)
{
    ANYWHERE();
    (void)device;
    snprintf(name, (size_t)capacity, "%s", fake_gpu.model);
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes_p, CUdevice device)
{
    ANYWHERE();
    (void)device;
    *bytes_p = (size_t)1 << 31;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value_p, CUdevice_attribute which,
                              CUdevice device)
{
    const struct {
        CUdevice_attribute which;
        int value;
    } rows[] = {
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 1536},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, fake_gpu.wave},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, fake_gpu.units},
        {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, fake_gpu.clock_khz},
        {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, fake_gpu.bus_bits},
        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 62914560},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, fake_gpu.major},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, fake_gpu.minor},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
        {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
    };
    ANYWHERE();

    (void)device;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].which == which) {
            *value_p = rows[i].value;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

/* ---------------------------------------------------------------- contexts */

CUresult cuDevicePrimaryCtxRetain(CUcontext *context_p, CUdevice device)
{
    ANYWHERE();
    (void)device;
    fake_add(&fake_gpu.live_contexts, 1);
    *context_p = &primary;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    (void)device;
    fake_add(&fake_gpu.live_contexts, -1);
    return fake_begin_anywhere(__func__);
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    ANYWHERE();
    if (stack_depth == MAX_DEPTH)
        return CUDA_ERROR_OUT_OF_MEMORY;
    stack[stack_depth++] = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context_p)
{
    CUresult result = fake_begin_captured(__func__);

    if (result != CUDA_SUCCESS)
        return result;
    *context_p = stack[--stack_depth];
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    INSIDE();
    fake_add(&fake_gpu.waits, 1);
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    INSIDE();
    (void)stream;
    fake_add(&fake_gpu.waits, 1);
    return CUDA_SUCCESS;
}

/* ------------------------------------------------------------------ memory */

CUresult cuMemGetInfo_v2(size_t *free_p, size_t *total_p)
{
    INSIDE();
    *free_p = fake_gpu.free_bytes;
    *total_p = (size_t)1 << 31;
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *ptr_p, size_t bytes)
{
    void *ptr;
    INSIDE();

    if (bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (bytes > fake_gpu.free_bytes || (ptr = malloc(bytes)) == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    fake_add(&fake_gpu.live_blocks, 1);
    *ptr_p = (CUdeviceptr)(size_t)ptr;
    return CUDA_SUCCESS;
}

/* Functions that release something do so even if they are made to fail. */
CUresult cuMemFree_v2(CUdeviceptr ptr)
{
    CUresult result = fake_begin(__func__);

    if (fake_inside()) {
        fake_add(&fake_gpu.live_blocks, -1);
        free((void *)(size_t)ptr);
    }
    return result;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes,
                              CUstream stream)
{
    INSIDE();
    note_stream(stream);
    memcpy((void *)(size_t)dst, src, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes,
                              CUstream stream)
{
    INSIDE();
    note_stream(stream);
    memcpy(dst, (const void *)(size_t)src, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                              CUstream stream)
{
    INSIDE();
    note_stream(stream);
    memcpy((void *)(size_t)dst, (const void *)(size_t)src, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **ptr_p, size_t bytes, unsigned flags)
{
    INSIDE();
    if (bytes == 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    *ptr_p = malloc(bytes);
    if (*ptr_p == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    fake_add(&fake_gpu.live_blocks, 1);
    return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *ptr)
{
    CUresult result = fake_begin(__func__);

    if (fake_inside()) {
        fake_add(&fake_gpu.live_blocks, -1);
        free(ptr);
    }
    return result;
}

/* ----------------------------------------------------------------- kernels */

CUresult cuModuleLoadDataEx(CUmodule *module_p, const void *image,
                            unsigned count, CUjit_option *options,
                            void **values)
{
    CUresult result = fake_begin(__func__);
    size_t room = 0;
    char *log = NULL;

    (void)image;
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
            log = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            room = (size_t)values[i];
    }
    if (result != CUDA_SUCCESS) {
        if (log != NULL && fake_gpu.log != NULL)
            snprintf(log, room, "%s", fake_gpu.log);
        return result;
    }
    *module_p = malloc(sizeof **module_p);
    if (*module_p == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    fake_add(&fake_gpu.live_modules, 1);
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module)
{
    CUresult result = fake_begin(__func__);

    if (fake_inside()) {
        fake_add(&fake_gpu.live_modules, -1);
        free(module);
    }
    return result;
}

CUresult cuModuleGetFunction(CUfunction *function_p, CUmodule module,
                             const char *name)
{
    INSIDE();
    (void)module;
    if (strcmp(name, "absent") == 0)
        return CUDA_ERROR_NOT_FOUND;
    *function_p = &function_of_all;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value_p, CUfunction_attribute which,
                            CUfunction function)
{
    INSIDE();
    (void)function;
    *value_p = which == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 64
               : which == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES  ? 16
               : which == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ? 128
                                                              : -1;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which,
                            int value)
{
    INSIDE();
    (void)function;
    fake_lock();
    if (which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        fake_gpu.max_dynamic = value;
    else if (which == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
        fake_gpu.carveout = value;
    else
        result = CUDA_ERROR_INVALID_VALUE;
    fake_unlock();
    return result;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks_p,
                                                     CUfunction function,
                                                     int threads,
                                                     size_t dynamic_bytes)
{
    size_t by_memory = 233472 / (dynamic_bytes + 128 + 1024);
    INSIDE();

    (void)function;
    *blocks_p = 2048 / threads;
    if ((size_t)*blocks_p > by_memory)
        *blocks_p = (int)by_memory;
    return CUDA_SUCCESS;
}

#ifndef FAKE_OLD
static int is_buffer(void **extra)
{
    return extra != NULL
           && (size_t)extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT
           && (size_t)extra[2] == CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT
           && (size_t)extra[4] == CU_LAUNCH_PARAM_END_AS_INT;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                        unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void **params, void **extra)
{
    CUresult result = fake_begin_captured(__func__);
    size_t bytes;

    if (result != CUDA_SUCCESS)
        return result;
    if (function != &function_of_all || grid_x == 0
        || grid_y * grid_z * block_y * block_z != 1
        || (params != NULL ? extra != NULL : !is_buffer(extra)))
        return CUDA_ERROR_INVALID_VALUE;
    if (fake_capture(stream))
        return CUDA_SUCCESS;
    bytes = params != NULL ? fake_gpu.code_args_bytes : *(size_t *)extra[3];
    fake_lock();
    fake_gpu.launches++;
    fake_gpu.clock += fake_gpu.launch_milliseconds;
    fake_gpu.grid = grid_x;
    fake_gpu.block = block_x;
    fake_gpu.shared_bytes = shared_bytes;
    fake_gpu.stream = stream;
    fake_gpu.args_bytes = bytes;
    memcpy(fake_gpu.args, params != NULL ? params[0] : extra[1],
           bytes < FAKE_ARGS_BYTES ? bytes : FAKE_ARGS_BYTES);
    fake_unlock();
    return CUDA_SUCCESS;
}
#endif
