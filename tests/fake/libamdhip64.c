/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The functions of HIP's runtime, as in fake_gpu.h. With FAKE_OLD it lacks
 * hipModuleLaunchKernel; with FAKE_5 it is one of ROCm 5, which has only the
 * old properties. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fake/hip_driver.h"

struct ihipModule_t {
    int unused;
};
struct ihipModuleSymbol_t {
    int unused;
};

enum { HOME = 1000 }; /* the device of the caller's own */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct ihipModuleSymbol_t function_of_all;
static _Thread_local int current;

static void go_home(void)
{
    current = HOME;
}

static int at_home(void)
{
    return current == HOME;
}

fake_gpu_state fake_gpu = {
    .devices = 1,
    .model = "AMD Instinct MI250X",
    .arch = "gfx90a:sramecc+:xnack-",
    .wave = 64,
    .units = 110,
    .clock_khz = 1600000,
    .bus_bits = 4096,
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
    return current != HOME;
}

hipError_t fake_begin_anywhere(const char *name)
{
    return fake_gpu.fail_call != NULL && strcmp(fake_gpu.fail_call, name) == 0
               ? fake_gpu.fail_code
               : hipSuccess;
}

hipError_t fake_begin_captured(const char *name)
{
    if (fake_inside())
        return fake_begin_anywhere(name);
    fake_add(&fake_gpu.calls_outside, 1);
    return hipErrorInvalidContext;
}

hipError_t fake_begin(const char *name)
{
    return fake_capturing() ? hipErrorStreamCaptureUnsupported
                            : fake_begin_captured(name);
}

static void note_stream(void *stream)
{
    fake_lock();
    fake_gpu.stream = stream;
    fake_unlock();
}

/* ----------------------------------------------------------------- devices */

hipError_t hipInit(unsigned flags)
{
    ANYWHERE();
    return flags == 0 ? hipSuccess : hipErrorInvalidValue;
}

const char *hipGetErrorName(hipError_t code)
{
    static const struct {
        hipError_t code;
        const char *name;
    } names[] = {
#define STFI_HIP_VALUE(name, value) {value, #name},
#include "backends/hip/hip_api.def"
#undef STFI_HIP_VALUE
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code && strncmp(names[i].name, "hipE", 4) == 0)
            return names[i].name;
    return "hipErrorUnknown";
}

/* The runtime has no words for many codes, and repeats their names. */
const char *hipGetErrorString(hipError_t code)
{
    return code == hipErrorECCNotCorrectable
               ? "uncorrectable ECC error encountered"
               : hipGetErrorName(code);
}

hipError_t hipDriverGetVersion(int *version_p)
{
    ANYWHERE();
    *version_p = 70125000;
    return hipSuccess;
}

hipError_t hipGetDeviceCount(int *count_p)
{
    ANYWHERE();
    *count_p = fake_gpu.devices;
    return hipSuccess;
}

hipError_t hipGetDevice(int *device_p)
{
    ANYWHERE();
    *device_p = current;
    return hipSuccess;
}

hipError_t hipSetDevice(int device)
{
    ANYWHERE();
    if (device != HOME && (device < 0 || device >= fake_gpu.devices))
        return hipErrorInvalidDevice;
    current = device;
    return hipSuccess;
}

hipError_t hipDeviceGetName(char *name, int capacity, hipDevice_t device)
{
    ANYWHERE();
    (void)device;
    snprintf(name, (size_t)capacity, "%s", fake_gpu.model);
    return hipSuccess;
}

hipError_t hipDeviceTotalMem(size_t *bytes_p, hipDevice_t device)
{
    ANYWHERE();
    (void)device;
    *bytes_p = (size_t)1 << 31;
    return hipSuccess;
}

hipError_t hipDeviceGetAttribute(int *value_p, hipDeviceAttribute_t which,
                                 int device)
{
    const struct {
        hipDeviceAttribute_t which;
        int value;
    } rows[] = {
        {hipDeviceAttributeMaxThreadsPerBlock, 1024},
        {hipDeviceAttributeMaxThreadsPerMultiProcessor, 2048},
        {hipDeviceAttributeWarpSize, fake_gpu.wave},
        {hipDeviceAttributeMultiprocessorCount, fake_gpu.units},
        {hipDeviceAttributeMemoryClockRate, fake_gpu.clock_khz},
        {hipDeviceAttributeMemoryBusWidth, fake_gpu.bus_bits},
        {hipDeviceAttributeL2CacheSize, 8388608},
        {hipDeviceAttributeMaxSharedMemoryPerBlock, 65536},
    };
    ANYWHERE();

    (void)device;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].which == which) {
            *value_p = rows[i].value;
            return hipSuccess;
        }
    return hipErrorInvalidValue;
}

/* Fills all bytes of the properties, so that a name that is read elsewhere is
 * wrong. */
static void fill_properties(char *properties, size_t bytes, size_t offset)
{
    memset(properties, '?', bytes);
    snprintf(properties + offset, STFI_HIP_ARCH_BYTES, "%s", fake_gpu.arch);
}

#ifndef FAKE_5
hipError_t hipGetDevicePropertiesR0600(void *properties, int device)
{
    ANYWHERE();
    (void)device;
    fill_properties(properties, 1472, STFI_HIP_ARCH_OFFSET_R0600);
    return hipSuccess;
}
#endif

hipError_t hipGetDeviceProperties(void *properties, int device)
{
    ANYWHERE();
    (void)device;
    fill_properties(properties, 792, STFI_HIP_ARCH_OFFSET_OLD);
    return hipSuccess;
}

hipError_t hipDeviceSynchronize(void)
{
    INSIDE();
    fake_add(&fake_gpu.waits, 1);
    return hipSuccess;
}

hipError_t hipStreamSynchronize(hipStream_t stream)
{
    INSIDE();
    (void)stream;
    fake_add(&fake_gpu.waits, 1);
    return hipSuccess;
}

/* ------------------------------------------------------------------ memory */

hipError_t hipMemGetInfo(size_t *free_p, size_t *total_p)
{
    INSIDE();
    *free_p = fake_gpu.free_bytes;
    *total_p = (size_t)1 << 31;
    return hipSuccess;
}

hipError_t hipMalloc(void **ptr_p, size_t bytes)
{
    INSIDE();
    *ptr_p = NULL;
    if (bytes == 0)
        return hipSuccess;
    if (bytes > fake_gpu.free_bytes || (*ptr_p = malloc(bytes)) == NULL)
        return hipErrorOutOfMemory;
    fake_add(&fake_gpu.live_blocks, 1);
    return hipSuccess;
}

/* Functions that release something do so even if they are made to fail. */
hipError_t hipFree(void *ptr)
{
    hipError_t result = fake_begin(__func__);

    if (fake_inside()) {
        fake_add(&fake_gpu.live_blocks, -1);
        free(ptr);
    }
    return result;
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void *src, size_t bytes,
                              hipStream_t stream)
{
    INSIDE();
    note_stream(stream);
    memcpy(dst, src, bytes);
    return hipSuccess;
}

hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t bytes,
                              hipStream_t stream)
{
    INSIDE();
    note_stream(stream);
    memcpy(dst, src, bytes);
    return hipSuccess;
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src,
                              size_t bytes, hipStream_t stream)
{
    INSIDE();
    note_stream(stream);
    memcpy(dst, src, bytes);
    return hipSuccess;
}

hipError_t hipHostMalloc(void **ptr_p, size_t bytes, unsigned flags)
{
    INSIDE();
    if (bytes == 0 || flags != 0)
        return hipErrorInvalidValue;
    *ptr_p = malloc(bytes);
    if (*ptr_p == NULL)
        return hipErrorOutOfMemory;
    fake_add(&fake_gpu.live_blocks, 1);
    return hipSuccess;
}

hipError_t hipHostFree(void *ptr)
{
    hipError_t result = fake_begin(__func__);

    if (fake_inside()) {
        fake_add(&fake_gpu.live_blocks, -1);
        free(ptr);
    }
    return result;
}

/* ----------------------------------------------------------------- kernels */

hipError_t hipModuleLoadData(hipModule_t *module_p, const void *image)
{
    INSIDE();
    (void)image;
    *module_p = malloc(sizeof **module_p);
    if (*module_p == NULL)
        return hipErrorOutOfMemory;
    fake_add(&fake_gpu.live_modules, 1);
    return hipSuccess;
}

hipError_t hipModuleUnload(hipModule_t module)
{
    hipError_t result = fake_begin(__func__);

    if (fake_inside()) {
        fake_add(&fake_gpu.live_modules, -1);
        free(module);
    }
    return result;
}

hipError_t hipModuleGetFunction(hipFunction_t *function_p, hipModule_t module,
                                const char *name)
{
    INSIDE();
    (void)module;
    if (strcmp(name, "absent") == 0)
        return hipErrorNotFound;
    *function_p = &function_of_all;
    return hipSuccess;
}

hipError_t hipFuncGetAttribute(int *value_p, hipFunction_attribute which,
                               hipFunction_t function)
{
    INSIDE();
    (void)function;
    *value_p = which == HIP_FUNC_ATTRIBUTE_NUM_REGS            ? 64
               : which == HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES  ? 16
               : which == HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ? 16
                                                               : -1;
    return hipSuccess;
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks_p, hipFunction_t function, int threads, size_t dynamic_bytes)
{
    size_t by_memory = 65536 / (dynamic_bytes + 128);
    INSIDE();

    (void)function;
    *blocks_p = 2048 / threads;
    if ((size_t)*blocks_p > by_memory)
        *blocks_p = (int)by_memory;
    return hipSuccess;
}

#ifndef FAKE_OLD
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x,
                                 unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned shared_bytes,
                                 hipStream_t stream, void **params,
                                 void **extra)
{
    hipError_t result = fake_begin_captured(__func__);
    size_t bytes;

    if (result != hipSuccess)
        return result;
    if (function != &function_of_all || params == NULL || extra != NULL
        || grid_x == 0 || grid_y * grid_z * block_y * block_z != 1)
        return hipErrorInvalidValue;
    if (fake_capture(stream))
        return hipSuccess;
    bytes = fake_gpu.code_args_bytes;
    fake_lock();
    fake_gpu.launches++;
    fake_gpu.clock += fake_gpu.launch_milliseconds;
    fake_gpu.grid = grid_x;
    fake_gpu.block = block_x;
    fake_gpu.shared_bytes = shared_bytes;
    fake_gpu.stream = stream;
    fake_gpu.args_bytes = bytes;
    memcpy(fake_gpu.args, params[0],
           bytes < FAKE_ARGS_BYTES ? bytes : FAKE_ARGS_BYTES);
    fake_unlock();
    return hipSuccess;
}
#endif
