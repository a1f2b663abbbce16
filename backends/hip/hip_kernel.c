/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Loads and launches kernels by the HIP runtime; see gpu_rt.h. */
#include <stdio.h>

#include "backends/hip/hip_rt.h"
#include "base/alloc.h"

struct stfi_gpu_kernel {
    hipModule_t module;
    hipFunction_t function;
    char entry[128]; /* for messages, may be cut */
};

/* Reads the resources of a function. Its blocks may take all of the memory that
 * a block can have without being prepared for it. */
static hipError_t read_usage(const stfi_gpu_dev *dev, hipFunction_t function,
                             const stfi_gpu_launch *launch,
                             stfi_gpu_usage *usage)
{
    const stfi_hip_driver *driver = dev->driver;
    hipError_t r = driver->hipFuncGetAttribute(
        &usage->registers, HIP_FUNC_ATTRIBUTE_NUM_REGS, function);

    if (r == hipSuccess)
        r = driver->hipFuncGetAttribute(
            &usage->local_bytes, HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function);
    if (r == hipSuccess)
        r = driver->hipFuncGetAttribute(&usage->shared_bytes,
                                        HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                        function);
    if (r == hipSuccess && launch->threads > 0)
        r = driver->hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
            &usage->blocks, function, (int)launch->threads,
            launch->shared_bytes);
    return r;
}

/* Loads a kernel; the device is current. After an error the kernel may have a
 * module, which the caller unloads. */
static stf_status load_kernel(const stfi_gpu_dev *dev, const void *image,
                              const stfi_gpu_launch *launch,
                              stfi_gpu_kernel *kernel, const char *entry,
                              stfi_gpu_usage *usage)
{
    const stfi_hip_driver *driver = dev->driver;
    hipError_t r = driver->hipModuleLoadData(&kernel->module, image);

    if (r != hipSuccess)
        return stfi_hip_error(driver, r, "hip:%d: loading %.60s for %s",
                              dev->index, kernel->entry, dev->arch);
    r = driver->hipModuleGetFunction(&kernel->function, kernel->module, entry);
    if (r != hipSuccess)
        return stfi_hip_error(driver, r, "hip:%d: finding %s in its image",
                              dev->index, kernel->entry);
    r = read_usage(dev, kernel->function, launch, usage);
    if (r != hipSuccess)
        return stfi_hip_error(driver, r,
                              "hip:%d: preparing %s for %u "
                              "threads and %u bytes of shared memory",
                              dev->index, kernel->entry,
                              (unsigned)launch->threads,
                              (unsigned)launch->shared_bytes);
    return STF_OK;
}

stf_status stfi_hip_load(stfi_gpu_dev *dev, const void *image, size_t bytes,
                         const char *entry, const stfi_gpu_launch *launch,
                         stfi_gpu_kernel **kernel_p, stfi_gpu_usage *usage_p)
{
    stfi_gpu_usage usage = {0, 0, 0, 0, 0};
    stfi_gpu_kernel *kernel;
    void *mem = NULL;
    stf_status status;
    int previous;

    (void)bytes; /* The runtime finds the end of an image by itself. */
    if ((status = stfi_alloc(sizeof *kernel, "a kernel", &mem)) != STF_OK)
        return status;
    kernel = mem;
    snprintf(kernel->entry, sizeof kernel->entry, "%s", entry);
    if ((status = stfi_hip_enter(dev, &previous)) == STF_OK) {
        status = load_kernel(dev, image, launch, kernel, entry, &usage);
        if (status != STF_OK && kernel->module != NULL)
            dev->driver->hipModuleUnload(kernel->module);
        stfi_hip_leave(dev, previous);
    }
    if (status != STF_OK) {
        stfi_dealloc(kernel);
        return status;
    }
    *kernel_p = kernel;
    *usage_p = usage;
    return STF_OK;
}

void stfi_hip_unload(stfi_gpu_dev *dev, stfi_gpu_kernel *kernel)
{
    int previous;

    if (kernel == NULL)
        return;
    if (stfi_hip_enter(dev, &previous) == STF_OK) {
        dev->driver->hipModuleUnload(kernel->module);
        stfi_hip_leave(dev, previous);
    }
    stfi_dealloc(kernel);
}

/* Kernels have one parameter, the struct of their arguments, whose size is in
 * their code. */
stf_status stfi_hip_launch(stfi_gpu_dev *dev, const stfi_gpu_kernel *kernel,
                           const stfi_gpu_launch *launch, const void *args,
                           size_t args_bytes, void *stream)
{
    void *params[] = {(void *)(uintptr_t)args};
    int previous;
    stf_status status = stfi_hip_enter(dev, &previous);
    hipError_t r;

    (void)args_bytes;
    if (status != STF_OK)
        return status;
    r = dev->driver->hipModuleLaunchKernel(
        kernel->function, launch->blocks, 1, 1, launch->threads, 1, 1,
        launch->shared_bytes, stream, params, NULL);
    if (r != hipSuccess)
        status = stfi_hip_error(
            dev->driver, r, "hip:%d: launching %s, %u blocks of %u threads",
            dev->index, kernel->entry, (unsigned)launch->blocks,
            (unsigned)launch->threads);
    stfi_hip_leave(dev, previous);
    return status;
}
