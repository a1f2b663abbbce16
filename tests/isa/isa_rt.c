/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The driver of a GPU of AMD that is interpreted; see device.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/gpu/host/device/gpu_backend.h"
#include "backends/gpu/host/end_to_end/end_to_end.h"
#include "backends/gpu/host/fft/exec.h"
#include "backends/gpu/host/gemm/gemm_exec.h"
#include "base/alloc.h"
#include "base/status.h"
#include "run/device.h"
#include "support/compile/clang.h"
#include "tests/isa/device.h"
#include "tests/isa/isa_kernel.h"
#include "tests/simt/memory.h"
#include "tests/simt/simt_args.h"

enum { SHARED_BYTES = 65536 };

struct stfi_gpu_dev {
    stfi_caps caps;
    char arch[16];
    stfi_simt_memory memory;
};

static stfi_isa_counts counts;
static int is_twice;
static stfi_caps next_caps;
static char next_arch[16];

const char *stfi_isa_missing(void)
{
    return stfi_clang_missing() != NULL ? stfi_clang_missing()
                                        : isa_objdump_missing();
}

void stfi_isa_set_twice(int twice)
{
    is_twice = twice;
}

stfi_isa_counts stfi_isa_count(void)
{
    return counts;
}

void stfi_isa_forget_stacks(void)
{
    counts.stack_bytes = 0;
}

/* ---------------------------------------------------------------- devices */

static stf_status probe(int *ndevices_p, const char **reason_p)
{
    *ndevices_p = stfi_isa_missing() == NULL;
    *reason_p = *ndevices_p > 0 ? "" : stfi_isa_missing();
    return STF_OK;
}

static stf_status open_device(int index, stfi_gpu_dev **dev_p)
{
    stfi_gpu_dev *dev;
    void *mem;
    stf_status status = stfi_alloc(sizeof *dev, "a device", &mem);

    (void)index;
    if (status != STF_OK)
        return status;
    dev = mem;
    memset(dev, 0, sizeof *dev);
    dev->caps = next_caps;
    snprintf(dev->arch, sizeof dev->arch, "%s", next_arch);
    *dev_p = dev;
    return STF_OK;
}

static void close_device(stfi_gpu_dev *dev)
{
    if (dev == NULL)
        return;
    stfi_simt_memory_clear(&dev->memory);
    stfi_dealloc(dev);
}

static stf_status describe(stfi_gpu_dev *dev, stfi_caps *caps_p,
                           stf_device_info *info_p)
{
    stf_device_info info;

    memset(&info, 0, sizeof info);
    snprintf(info.backend, sizeof info.backend, "isa");
    snprintf(info.name, sizeof info.name, "isa:0");
    snprintf(info.model, sizeof info.model, "interpreted %s", dev->arch);
    snprintf(info.arch, sizeof info.arch, "%s", dev->arch);
    info.available = 1;
    info.compute_units = dev->caps.units;
    info.max_threads = 1;
    info.memory_bytes = info.memory_free_bytes = (int64_t)1 << 30;
    info.block_memory_bytes = dev->caps.block_bytes;
    info.l2_bytes = dev->caps.l2_bytes;
    info.bandwidth = dev->caps.bandwidth;
    *caps_p = dev->caps;
    *info_p = info;
    return STF_OK;
}

static const char *arch(const stfi_gpu_dev *dev)
{
    return dev->arch;
}

/* ----------------------------------------------------------------- memory */

static stf_status mem_alloc(stfi_gpu_dev *dev, size_t bytes, void **ptr_p)
{
    void *ptr = stfi_simt_memory_add(&dev->memory, bytes);

    if (ptr == NULL)
        return stfi_error(STF_ERR_MEMORY, "out of device memory: %zu bytes",
                          bytes);
    *ptr_p = ptr;
    return STF_OK;
}

static void mem_free(stfi_gpu_dev *dev, void *ptr)
{
    if (ptr != NULL)
        stfi_simt_memory_remove(&dev->memory, ptr);
}

static stf_status copy(stfi_gpu_dev *dev, void *dst, const void *src,
                       size_t bytes, stfi_copy_dir dir, void *stream)
{
    int good =
        (dir == STFI_TO_HOST || stfi_simt_memory_has(&dev->memory, dst, bytes))
        && (dir == STFI_TO_DEVICE
            || stfi_simt_memory_has(&dev->memory, src, bytes));

    (void)stream;
    if (!good)
        return stfi_error(STF_ERR_DEVICE,
                          "copy of %zu bytes: not all are device memory",
                          bytes);
    stfi_simt_memory_lock(&dev->memory, 0);
    memcpy(dst, src, bytes);
    stfi_simt_memory_lock(&dev->memory, 1);
    return STF_OK;
}

/* ---------------------------------------------------------------- kernels */

static void unload(stfi_gpu_dev *dev, stfi_gpu_kernel *k)
{
    (void)dev;
    if (k == NULL)
        return;
    isa_kernel_close(k);
    stfi_dealloc(k);
}

static int resident(const stfi_gpu_dev *dev, const stfi_gpu_launch *l)
{
    int64_t blocks = dev->caps.unit_threads / (int64_t)l->threads;

    if (l->shared_bytes > 0 && SHARED_BYTES / l->shared_bytes < blocks)
        blocks = SHARED_BYTES / l->shared_bytes;
    return blocks > 0 ? (int)blocks : 1;
}

static stf_status load(stfi_gpu_dev *dev, const void *image, size_t bytes,
                       const char *entry, const stfi_gpu_launch *launch,
                       stfi_gpu_kernel **kernel_p, stfi_gpu_usage *usage_p)
{
    stfi_gpu_kernel *k;
    void *mem;
    stf_status status = stfi_alloc(sizeof *k, "a kernel", &mem);

    if (status != STF_OK)
        return status;
    k = mem;
    status = isa_kernel_open(k, image, bytes, entry);
    if (status == STF_OK
        && k->info.lds_bytes + (int64_t)launch->shared_bytes > SHARED_BYTES)
        status = stfi_error(STF_ERR_DEVICE, "%s: %d + %u bytes of block memory",
                            entry, k->info.lds_bytes, launch->shared_bytes);
    if (status != STF_OK) {
        unload(dev, k);
        return status;
    }
    counts.kernels++;
    *usage_p = (stfi_gpu_usage){.registers = k->info.vgprs,
                                .local_bytes = k->info.scratch_bytes,
                                .shared_bytes = k->info.lds_bytes,
                                .blocks = resident(dev, launch)};
    *kernel_p = k;
    return STF_OK;
}

/* Runs the grid in both orders, each time from the same contents of memory. */
static stf_status run_twice(stfi_gpu_dev *dev, const stfi_gpu_kernel *k,
                            const stfi_gpu_launch *l, const void *args,
                            size_t bytes)
{
    char *before = stfi_simt_memory_save(&dev->memory), *after = NULL;
    stf_status status = STF_ERR_MEMORY;
    size_t offset = 0;

    if (before != NULL)
        status = isa_kernel_run(k, dev->arch, &dev->memory, l, args, bytes, 0,
                                &counts);
    if (status == STF_OK)
        after = stfi_simt_memory_save(&dev->memory);
    if (after != NULL) {
        stfi_simt_memory_restore(&dev->memory, before);
        status = isa_kernel_run(k, dev->arch, &dev->memory, l, args, bytes, 1,
                                &counts);
        if (status == STF_OK
            && !stfi_simt_memory_equals(&dev->memory, after, &offset))
            status = stfi_error(STF_ERR_DEVICE,
                                "%s: the results depend on the order of the "
                                "waves (byte %zu of an array)",
                                k->name, offset);
    }
    free(before);
    free(after);
    return status;
}

static stf_status launch(stfi_gpu_dev *dev, const stfi_gpu_kernel *k,
                         const stfi_gpu_launch *l, const void *args,
                         size_t args_bytes, void *stream)
{
    stf_status status;

    (void)stream;
    counts.launches++;
    status = stfi_simt_args_check(&dev->memory, k->name, args, args_bytes);
    if (status != STF_OK)
        return status;
    stfi_simt_memory_lock(&dev->memory, 0);
    status = is_twice ? run_twice(dev, k, l, args, args_bytes)
                      : isa_kernel_run(k, dev->arch, &dev->memory, l, args,
                                       args_bytes, 0, &counts);
    stfi_simt_memory_lock(&dev->memory, 1);
    return status;
}

static stf_status sync_stream(stfi_gpu_dev *dev, void *stream)
{
    (void)dev;
    (void)stream;
    return STF_OK;
}

/* An interpreted device has no time of its own: a launch takes a
 * microsecond. */
static stf_status time_work(stfi_gpu_dev *dev, stfi_work *work, void *arg,
                            int count, int replay, double *seconds_p)
{
    const long before = counts.launches;
    stf_status status = STF_OK;

    (void)dev;
    (void)replay;
    for (int i = 0; i < count && status == STF_OK; i++)
        status = work(arg, NULL);
    if (status == STF_OK)
        *seconds_p = 1e-6 * (double)(counts.launches - before);
    return status;
}

const stfi_gpu_rt stfi_isa_rt = {
    .name = "isa",
    .probe = probe,
    .open = open_device,
    .close = close_device,
    .describe = describe,
    .arch = arch,
    .mem_alloc = mem_alloc,
    .mem_free = mem_free,
    .copy = copy,
    .load = load,
    .unload = unload,
    .launch = launch,
    .sync = sync_stream,
    .time_work = time_work,
    .copy_async = copy,
};

/* ------------------------------------------------------------- the backend */

static stf_status open_context(int device, stfi_bctx **bctx_p)
{
    return stfi_gpu_open(&stfi_isa_rt, &stfi_clang_rtc, device, bctx_p);
}

static const stfi_device_ops device_table = {
    .mem_alloc = stfi_gpu_mem_alloc,
    .mem_free = stfi_gpu_mem_free,
    .mem_copy = stfi_gpu_mem_copy,
};

static const stfi_queue_ops queue_table = {
    .sync = stfi_gpu_sync,
    .time_work = stfi_gpu_time_work,
};

const stfi_backend stfi_isa_backend = {
    .abi = STFI_BACKEND_ABI,
    .name = "isa",
    .priority = 0,
    .probe = probe,
    .open = open_context,
    .close = stfi_gpu_close,
    .caps = stfi_gpu_caps,
    .info = stfi_gpu_info,
    .last_error = stfi_gpu_last_error,
    .device = &device_table,
    .queue = &queue_table,
    .fft = &stfi_gpu_fft_table,
    .e2e = &stfi_gpu_e2e_table,
    .gemm = &stfi_gpu_gemm_table,
};

stf_status stfi_isa_device_open(const stfi_caps *caps, const char *name,
                                stf_device **dev_p)
{
    stf_device *dev;
    void *mem;
    stf_status status = stfi_alloc(sizeof *dev, "a device", &mem);

    if (status != STF_OK)
        return status;
    dev = mem;
    dev->backend = &stfi_isa_backend;
    atomic_init(&dev->references, 1);
    next_caps = *caps;
    snprintf(next_arch, sizeof next_arch, "%s", name);
    status = stfi_isa_backend.open(0, &dev->ctx);
    if (status != STF_OK) {
        stfi_dealloc(dev);
        return status;
    }
    *dev_p = dev;
    return STF_OK;
}
