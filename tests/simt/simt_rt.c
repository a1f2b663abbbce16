/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The driver of the emulated device. All devices share one machine, so one lock
 * guards everything: launches and copies of other threads wait. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/status.h"
#include "tests/simt/guarded.h"
#include "tests/simt/machine.h"
#include "tests/simt/memory.h"
#include "tests/simt/simt.h"
#include "tests/simt/simt_args.h"
#include "tests/simt/simt_kernel.h"

enum { THREADS_PER_UNIT = 2048 };

struct stfi_gpu_dev {
    stfi_caps caps;
    char arch[16];
    stfi_simt_memory memory;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static stfi_simt_counts counts;
static long alloc_countdown, launch_countdown;
static struct {
    char entry[STFI_SIMT_NAME];
    uint32_t most;
} limit; /* of blocks */
static _Thread_local stfi_caps next_caps;

/* ------------------------------------------------- what tests ask and set */

stfi_simt_counts stfi_simt_count(void)
{
    stfi_simt_counts c;

    pthread_mutex_lock(&lock);
    c = counts;
    pthread_mutex_unlock(&lock);
    return c;
}

void stfi_simt_count_compile(void)
{
    pthread_mutex_lock(&lock);
    counts.compiles++;
    pthread_mutex_unlock(&lock);
}

void stfi_simt_fail_alloc_at(long countdown)
{
    pthread_mutex_lock(&lock);
    alloc_countdown = countdown;
    pthread_mutex_unlock(&lock);
}

void stfi_simt_fail_launch_at(long countdown)
{
    pthread_mutex_lock(&lock);
    launch_countdown = countdown;
    pthread_mutex_unlock(&lock);
}

void stfi_simt_limit_blocks(const char *entry, uint32_t most)
{
    pthread_mutex_lock(&lock);
    snprintf(limit.entry, sizeof limit.entry, "%s", entry);
    limit.most = most;
    pthread_mutex_unlock(&lock);
}

void stfi_simt_set_caps(const stfi_caps *caps)
{
    memset(&next_caps, 0, sizeof next_caps);
    if (caps != NULL)
        next_caps = *caps;
}

/* Returns 1 once, when a countdown reaches its end. */
static int is_due(long *countdown)
{
    return *countdown > 0 && --*countdown == 0;
}

/* ---------------------------------------------------------------- devices */

static stf_status probe(int *ndevices_p, const char **reason_p)
{
    *ndevices_p = stfi_simt_missing() == NULL;
    *reason_p = *ndevices_p > 0 ? "" : stfi_simt_missing();
    return STF_OK;
}

static stf_status choose_caps(stfi_caps *caps_p)
{
    const char *name = stfi_env_get("STEADFAST_PRESET");
    const stfi_caps *row = stfi_preset_find(name != NULL ? name : "t4");

    if (next_caps.name[0] != '\0')
        row = &next_caps;
    if (row == NULL || !row->gpu)
        return stfi_error(STF_ERR_ARGUMENT,
                          "STEADFAST_PRESET is \"%s\", "
                          "which is no GPU of presets.def",
                          name);
    if (row->max_threads > STFI_SIMT_MAX_THREADS)
        return stfi_error(STF_ERR_ARGUMENT,
                          "blocks of %d threads are not "
                          "emulated",
                          (int)row->max_threads);
    *caps_p = *row;
    return STF_OK;
}

static stf_status open_device(int index, stfi_gpu_dev **dev_p)
{
    stfi_gpu_dev *dev;
    stfi_caps caps;
    void *mem;
    stf_status status = choose_caps(&caps);

    if (status != STF_OK)
        return status;
    if (index != 0)
        return stfi_error(STF_ERR_ARGUMENT,
                          "device simt:%d does not exist; "
                          "there is 1",
                          index);
    if ((status = stfi_alloc(sizeof *dev, "a device", &mem)) != STF_OK)
        return status;
    dev = mem;
    dev->caps = caps;
    snprintf(dev->arch, sizeof dev->arch, "simt%d", (int)caps.wave);
    pthread_mutex_lock(&lock);
    counts.devices++;
    pthread_mutex_unlock(&lock);
    *dev_p = dev;
    return STF_OK;
}

static void close_device(stfi_gpu_dev *dev)
{
    if (dev == NULL)
        return;
    pthread_mutex_lock(&lock);
    counts.devices--;
    stfi_simt_memory_clear(&dev->memory);
    pthread_mutex_unlock(&lock);
    stfi_dealloc(dev);
}

static stf_status describe(stfi_gpu_dev *dev, stfi_caps *caps_p,
                           stf_device_info *info_p)
{
    stf_device_info info;

    memset(&info, 0, sizeof info);
    snprintf(info.backend, sizeof info.backend, "simt");
    snprintf(info.name, sizeof info.name, "simt:0");
    snprintf(info.model, sizeof info.model, "emulated %s", dev->caps.name);
    snprintf(info.arch, sizeof info.arch, "%s", dev->arch);
    info.available = 1;
    info.compute_units = dev->caps.units;
    info.max_threads = 1;
    info.memory_bytes = (int64_t)1 << 30;
    info.memory_free_bytes = (int64_t)1 << 30;
    info.block_memory_bytes = dev->caps.block_bytes;
    info.l2_bytes = dev->caps.l2_bytes;
    info.bandwidth = dev->caps.bandwidth;
    info.flops_f32 = dev->caps.flops[0];
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
    void *ptr = NULL;

    pthread_mutex_lock(&lock);
    if (!is_due(&alloc_countdown))
        ptr = stfi_simt_memory_add(&dev->memory, bytes);
    counts.allocs += ptr != NULL;
    pthread_mutex_unlock(&lock);
    if (ptr == NULL)
        return stfi_error(STF_ERR_MEMORY,
                          "out of device memory: %zu bytes "
                          "were asked for",
                          bytes);
    *ptr_p = ptr;
    return STF_OK;
}

static void mem_free(stfi_gpu_dev *dev, void *ptr)
{
    if (ptr == NULL)
        return;
    pthread_mutex_lock(&lock);
    counts.frees += stfi_simt_memory_remove(&dev->memory, ptr);
    pthread_mutex_unlock(&lock);
}

static stf_status copy(stfi_gpu_dev *dev, void *dst, const void *src,
                       size_t bytes, stfi_copy_dir dir, void *stream)
{
    int good;

    (void)stream;
    pthread_mutex_lock(&lock);
    good =
        (dir == STFI_TO_HOST || stfi_simt_memory_has(&dev->memory, dst, bytes))
        && (dir == STFI_TO_DEVICE
            || stfi_simt_memory_has(&dev->memory, src, bytes));
    if (good) {
        stfi_simt_memory_lock(&dev->memory, 0);
        memcpy(dst, src, bytes);
        stfi_simt_memory_lock(&dev->memory, 1);
    }
    pthread_mutex_unlock(&lock);
    return good ? STF_OK
                : stfi_error(STF_ERR_DEVICE,
                             "copy of %zu bytes: not all of "
                             "them are device memory",
                             bytes);
}

/* ---------------------------------------------------------------- kernels */

static stf_status check_launch(const stfi_gpu_dev *dev,
                               const stfi_gpu_kernel *k,
                               const stfi_gpu_launch *l)
{
    if (l->threads == 0 || l->threads > (uint32_t)dev->caps.max_threads)
        return stfi_error(STF_ERR_DEVICE,
                          "%s: a block of %u threads; the "
                          "device has up to %d",
                          k->name, l->threads, (int)dev->caps.max_threads);
    if (l->threads > k->max_threads)
        return stfi_error(STF_ERR_DEVICE,
                          "%s: a block of %u threads; it was "
                          "compiled for up to %u",
                          k->name, l->threads, k->max_threads);
    if (l->shared_bytes > dev->caps.block_bytes)
        return stfi_error(STF_ERR_DEVICE,
                          "%s: %u bytes of shared memory; "
                          "the device has %lld",
                          k->name, l->shared_bytes,
                          (long long)dev->caps.block_bytes);
    return STF_OK;
}

static int resident(const stfi_gpu_dev *dev, const stfi_gpu_launch *l)
{
    int64_t blocks = THREADS_PER_UNIT / l->threads;

    if (l->shared_bytes > 0 && dev->caps.block_bytes / l->shared_bytes < blocks)
        blocks = dev->caps.block_bytes / l->shared_bytes;
    return (int)blocks;
}

static void unload(stfi_gpu_dev *dev, stfi_gpu_kernel *k)
{
    (void)dev;
    if (k == NULL)
        return;
    if (stfi_simt_kernel_close(k)) {
        pthread_mutex_lock(&lock);
        counts.unloads++;
        pthread_mutex_unlock(&lock);
    }
    stfi_dealloc(k);
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
    k->shared_bytes = launch->shared_bytes;
    status = stfi_simt_kernel_open(k, entry, image, bytes);
    if (status == STF_OK) {
        pthread_mutex_lock(&lock);
        counts.loads++;
        pthread_mutex_unlock(&lock);
        status = stfi_simt_kernel_enter(k, dev->caps.wave);
    }
    if (status == STF_OK)
        status = check_launch(dev, k, launch);
    if (status != STF_OK) {
        unload(dev, k);
        return status;
    }
    *usage_p = (stfi_gpu_usage){.registers = dev->caps.registers,
                                .blocks = resident(dev, launch)};
    *kernel_p = k;
    return STF_OK;
}

/* ---------------------------------------------------------------- launches */

/* Runs the grid in both orders, each time from the same contents of memory. */
static stf_status run_twice(stfi_gpu_dev *dev, stfi_simt_grid *grid)
{
    char *before = stfi_simt_memory_save(&dev->memory);
    char *ascending = NULL;
    stf_status status = STF_ERR_MEMORY;
    size_t offset;

    if (before != NULL) {
        status = stfi_simt_run(grid);
        ascending = stfi_simt_memory_save(&dev->memory);
    }
    if (before == NULL || ascending == NULL)
        status = stfi_error(STF_ERR_MEMORY, "no memory to emulate a launch");
    if (status == STF_OK) {
        stfi_simt_memory_restore(&dev->memory, before);
        grid->descending = 1;
        status = stfi_simt_run(grid);
    }
    if (status == STF_OK
        && !stfi_simt_memory_equals(&dev->memory, ascending, &offset))
        status = stfi_error(STF_ERR_DEVICE,
                            "%s: the results depend on the "
                            "order of the threads (byte %zu of an array); a "
                            "barrier is missing, or two threads write to one "
                            "place",
                            grid->name, offset);
    free(before);
    free(ascending);
    return status;
}

static stf_status launch_locked(stfi_gpu_dev *dev, const stfi_gpu_kernel *k,
                                const stfi_gpu_launch *l, const void *args,
                                size_t args_bytes)
{
    stfi_simt_grid grid = {
        .name = k->name,
        .entry = k->entry,
        .args = args,
        .blocks = !strcmp(k->name, limit.entry) && l->blocks > limit.most
                      ? limit.most
                      : l->blocks,
        .threads = l->threads,
        .shared_bytes = l->shared_bytes,
        .wave = (uint32_t)dev->caps.wave,
        .overlaps = (int)l->overlaps,
    };
    stf_status status = check_launch(dev, k, l);

    counts.launches++;
    counts.overlaps += l->overlaps != 0;
    if (status == STF_OK && l->blocks == 0)
        status = stfi_error(STF_ERR_DEVICE, "%s: no blocks", k->name);
    if (status == STF_OK && l->shared_bytes > k->shared_bytes)
        status = stfi_error(STF_ERR_DEVICE,
                            "%s: %u bytes of shared memory; "
                            "it was loaded for %u",
                            k->name, l->shared_bytes, k->shared_bytes);
    if (status == STF_OK)
        status = stfi_simt_args_check(&dev->memory, k->name, args, args_bytes);
    if (status == STF_OK && is_due(&launch_countdown))
        status = stfi_error(STF_ERR_DEVICE, "%s: the launch failed", k->name);
    if (status != STF_OK)
        return status;
    stfi_simt_memory_lock(&dev->memory, 0);
    status = run_twice(dev, &grid);
    if (status == STF_OK && !stfi_simt_memory_check(&dev->memory))
        status = stfi_error(STF_ERR_DEVICE,
                            "%s wrote beside an array of the "
                            "device",
                            k->name);
    stfi_simt_memory_lock(&dev->memory, 1);
    return status;
}

static stf_status launch(stfi_gpu_dev *dev, const stfi_gpu_kernel *k,
                         const stfi_gpu_launch *l, const void *args,
                         size_t args_bytes, void *stream)
{
    stf_status status;

    (void)stream;
    pthread_mutex_lock(&lock);
    status = launch_locked(dev, k, l, args, args_bytes);
    pthread_mutex_unlock(&lock);
    return status;
}

static stf_status sync_stream(stfi_gpu_dev *dev, void *stream)
{
    (void)dev;
    (void)stream;
    return STF_OK;
}

/* The emulated device has no meaningful time, so it reports a microsecond for
 * each launch, which suffices to compare amounts of work. */
static stf_status time_work(stfi_gpu_dev *dev, stfi_work *work, void *arg,
                            int count, int replay, double *seconds_p)
{
    long before = stfi_simt_count().launches;
    stf_status status = STF_OK;

    (void)dev;
    (void)replay;
    for (int i = 0; i < count && status == STF_OK; i++)
        status = work(arg, NULL);
    if (status == STF_OK)
        *seconds_p = 1e-6 * (double)(stfi_simt_count().launches - before);
    return status;
}

const stfi_gpu_rt stfi_simt_rt = {
    .name = "simt",
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
