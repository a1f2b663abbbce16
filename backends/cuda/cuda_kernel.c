/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Loads and launches kernels by the CUDA driver; see gpu_rt.h. */
#include <stdio.h>
#include <string.h>

#include "backends/cuda/cubin.h"
#include "backends/cuda/cuda_rt.h"
#include "base/alloc.h"

enum {
    PLAIN_SHARED_BYTES = 48 * 1024, /* more needs a function attribute */
    LOG_BYTES = 4096
};

struct stfi_gpu_kernel {
    CUmodule module;
    CUfunction function;
    char entry[128]; /* for messages, may be cut */
};

/* Loads the module of an image. The driver's compiler writes its error messages
 * to `log`, the first line of which becomes part of ours. */
static stf_status load_module(const stfi_gpu_dev *dev, const void *image,
                              stfi_gpu_kernel *kernel)
{
    char log[LOG_BYTES] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUresult r = dev->driver->cuModuleLoadDataEx(&kernel->module, image, 2,
                                                 options, values);

    if (r == CUDA_SUCCESS)
        return STF_OK;
    log[sizeof log - 1] = '\0';
    log[strcspn(log, "\n")] = '\0';
    return stfi_cuda_error(
        dev->driver, r, "cuda:%d: loading %.60s for %s%s%.80s", dev->index,
        kernel->entry, dev->arch, log[0] != '\0' ? ": " : "", log);
}

/* Sets the share of the first-level cache that becomes shared memory, so
 * that it has room for all resident blocks and the rest stays cache. The
 * driver's own choice may be too small or too large. */
static CUresult set_carveout(const stfi_gpu_dev *dev, CUfunction function,
                             int block_bytes, int blocks)
{
    int64_t need = (int64_t)blocks * (block_bytes + dev->reserved_bytes);
    int64_t percent;

    if (dev->shared_bytes <= 0 || block_bytes == 0 || blocks == 0)
        return CUDA_SUCCESS;
    percent = (need * 100 + dev->shared_bytes - 1) / dev->shared_bytes;
    return dev->driver->cuFuncSetAttribute(
        function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
        percent < 100 ? (int)percent : 100);
}

/* Reads the resources of a function and prepares it for its launches. */
static CUresult prepare(const stfi_gpu_dev *dev, CUfunction function,
                        const stfi_gpu_launch *launch, stfi_gpu_usage *usage)
{
    const stfi_cuda_driver *driver = dev->driver;
    int dynamic = (int)launch->shared_bytes;
    CUresult r = driver->cuFuncGetAttribute(
        &usage->registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);

    if (r == CUDA_SUCCESS)
        r = driver->cuFuncGetAttribute(
            &usage->local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function);
    if (r == CUDA_SUCCESS)
        r = driver->cuFuncGetAttribute(&usage->shared_bytes,
                                       CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                       function);
    if (r == CUDA_SUCCESS && usage->shared_bytes + dynamic > PLAIN_SHARED_BYTES)
        r = driver->cuFuncSetAttribute(
            function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, dynamic);
    if (r == CUDA_SUCCESS && launch->threads > 0)
        r = driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &usage->blocks, function, (int)launch->threads,
            launch->shared_bytes);
    if (r == CUDA_SUCCESS)
        r = set_carveout(dev, function, usage->shared_bytes + dynamic,
                         usage->blocks);
    return r;
}

/* Loads and prepares a kernel; the device's context is current. After an error
 * the kernel may have a module, which the caller unloads. */
static stf_status load_kernel(const stfi_gpu_dev *dev, const void *image,
                              const stfi_gpu_launch *launch,
                              stfi_gpu_kernel *kernel, const char *entry,
                              stfi_gpu_usage *usage)
{
    stf_status status = load_module(dev, image, kernel);
    CUresult r;

    if (status != STF_OK)
        return status;
    r = dev->driver->cuModuleGetFunction(&kernel->function, kernel->module,
                                         entry);
    if (r != CUDA_SUCCESS)
        return stfi_cuda_error(dev->driver, r,
                               "cuda:%d: finding %s in its image", dev->index,
                               kernel->entry);
    r = prepare(dev, kernel->function, launch, usage);
    if (r != CUDA_SUCCESS)
        return stfi_cuda_error(dev->driver, r,
                               "cuda:%d: preparing %s for %u "
                               "threads and %u bytes of shared memory",
                               dev->index, kernel->entry,
                               (unsigned)launch->threads,
                               (unsigned)launch->shared_bytes);
    return STF_OK;
}

stf_status stfi_cuda_load(stfi_gpu_dev *dev, const void *image, size_t bytes,
                          const char *entry, const stfi_gpu_launch *launch,
                          stfi_gpu_kernel **kernel_p, stfi_gpu_usage *usage_p)
{
    stfi_gpu_usage usage = {0, 0, 0, 0, 0}, stated;
    stfi_gpu_kernel *kernel;
    void *mem = NULL;
    stf_status status;

    if ((status = stfi_alloc(sizeof *kernel, "a kernel", &mem)) != STF_OK)
        return status;
    kernel = mem;
    snprintf(kernel->entry, sizeof kernel->entry, "%s", entry);
    if ((status = stfi_cuda_enter(dev)) == STF_OK) {
        status = load_kernel(dev, image, launch, kernel, entry, &usage);
        if (status != STF_OK && kernel->module != NULL)
            dev->driver->cuModuleUnload(kernel->module);
        stfi_cuda_leave(dev);
    }
    if (status != STF_OK) {
        stfi_dealloc(kernel);
        return status;
    }
    /* The driver does not tell what the code does. */
    if (stfi_cuda_image_usage(image, bytes, entry, &stated) == STF_OK)
        usage.spills = stated.spills;
    *kernel_p = kernel;
    *usage_p = usage;
    return STF_OK;
}

void stfi_cuda_unload(stfi_gpu_dev *dev, stfi_gpu_kernel *kernel)
{
    if (kernel == NULL)
        return;
    if (dev->driver->cuCtxPushCurrent_v2(dev->context) == CUDA_SUCCESS) {
        dev->driver->cuModuleUnload(kernel->module);
        stfi_cuda_leave(dev);
    }
    stfi_dealloc(kernel);
}

/* Launches as cuLaunchKernel() does. What a kernel waits for by itself may still
 * run then, where the device has this. */
static CUresult launch_on(const stfi_gpu_dev *dev,
                          const stfi_gpu_kernel *kernel,
                          const stfi_gpu_launch *launch, CUstream stream,
                          void **extra)
{
    CUlaunchAttribute overlap = {
        .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
        .value = {.programmaticStreamSerializationAllowed = 1},
    };
    const CUlaunchConfig config = {
        .gridDimX = launch->blocks,
        .gridDimY = 1,
        .gridDimZ = 1,
        .blockDimX = launch->threads,
        .blockDimY = 1,
        .blockDimZ = 1,
        .sharedMemBytes = launch->shared_bytes,
        .hStream = stream,
        .attrs = &overlap,
        .numAttrs = 1,
    };

    if (launch->overlaps && dev->overlaps)
        return dev->driver->cuLaunchKernelEx(&config, kernel->function, NULL,
                                             extra);
    return dev->driver->cuLaunchKernel(
        kernel->function, launch->blocks, 1, 1, launch->threads, 1, 1,
        launch->shared_bytes, stream, NULL, extra);
}

stf_status stfi_cuda_launch(stfi_gpu_dev *dev, const stfi_gpu_kernel *kernel,
                            const stfi_gpu_launch *launch, const void *args,
                            size_t args_bytes, void *stream)
{
    void *extra[] = {(void *)(uintptr_t)CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT,
                     (void *)(uintptr_t)args,
                     (void *)(uintptr_t)CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT,
                     &args_bytes,
                     (void *)(uintptr_t)CU_LAUNCH_PARAM_END_AS_INT};
    stf_status status = stfi_cuda_enter(dev);
    CUresult r;

    if (status != STF_OK)
        return status;
    r = launch_on(dev, kernel, launch, stream, extra);
    if (r != CUDA_SUCCESS)
        status = stfi_cuda_error(
            dev->driver, r, "cuda:%d: launching %s, %u blocks of %u threads",
            dev->index, kernel->entry, (unsigned)launch->blocks,
            (unsigned)launch->threads);
    stfi_cuda_leave(dev);
    return status;
}
