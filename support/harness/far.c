/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A device whose memory the host cannot reach; see far.h. */
#include "support/harness/far.h"

#include <stdio.h>
#include <string.h>

#include "backends/cpu/cpu_backend.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/team.h"
#include "device/tuning.h"

/* The offset between real addresses and those that the host sees. It leads
 * beyond all addresses that a process may map. */
static const uintptr_t AWAY = (uintptr_t)1 << 61;

/* The size of an allocation is stored in a header in front of it. */
enum { HEADER_BYTES = 64 };

/* The schedules are those of a GPU, and the kernels those of a CPU, which have no two
 * signals of odd length in a lane. */
struct stfi_bctx {
    stfi_bctx *cpu;
    stfi_caps caps;
    stfi_tuning tuning;
};

static stfi_far_count counted;
static size_t bytes_now;

stfi_far_count stfi_far_counted(void)
{
    return counted;
}

void stfi_far_reset(size_t limit_bytes)
{
    counted.launches = 0;
    counted.most_bytes = bytes_now;
    counted.limit_bytes = limit_bytes;
}

static long launches_left; /* launches until one fails; 0: none will */

void stfi_far_fail_launch_at(long countdown)
{
    launches_left = countdown;
}

static long remarks_left; /* launches until next_remark is due; 0: never */
static stf_status next_remark;

void stfi_far_remark_at(long countdown, stf_status remark)
{
    remarks_left = countdown;
    next_remark = remark;
}

static void *away(void *near)
{
    return (void *)((uintptr_t)near + AWAY);
}

static void *near_of(const void *far)
{
    return (void *)((uintptr_t)far - AWAY);
}

static stf_status far_probe(int *ndevices_p, const char **reason_p)
{
    (void)reason_p;
    *ndevices_p = 1;
    *reason_p = "";
    return STF_OK;
}

static stf_status open_preset(const char *preset, stfi_bctx **bctx_p)
{
    const stfi_caps *caps = stfi_preset_find(preset);
    stfi_bctx *ctx;
    void *memory;
    stf_status status;

    if (caps == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "there is no preset %s", preset);
    if ((status = stfi_alloc(sizeof *ctx, "a device", &memory)) != STF_OK)
        return status;
    ctx = memory;
    ctx->caps = *caps;
    ctx->tuning = *stfi_tuning_of(caps);
    memset(ctx->tuning.r2c_two_signals, 0, sizeof ctx->tuning.r2c_two_signals);
    memset(ctx->tuning.c2r_two_signals, 0, sizeof ctx->tuning.c2r_two_signals);
    for (int i = 0; i < 2; i++)
        ctx->tuning.r2r_two_least[i] = ctx->tuning.r2c_two_checked[i] =
            ctx->tuning.c2r_two_checked[i] = INT32_MAX;
    ctx->caps.tuning = &ctx->tuning;
    ctx->caps.axes = 0; /* a CPU has no such passes */
    status = stfi_cpu_backend.open(0, &ctx->cpu);
    if (status != STF_OK) {
        stfi_dealloc(ctx);
        return status;
    }
    *bctx_p = ctx;
    return STF_OK;
}

static stf_status far_open(int device, stfi_bctx **bctx_p)
{
    if (device != 0)
        return stfi_error(STF_ERR_ARGUMENT, "there is one far device");
    return open_preset("h200", bctx_p);
}

static void far_close(stfi_bctx *ctx)
{
    stfi_cpu_backend.close(ctx->cpu);
    stfi_dealloc(ctx);
}

static stf_status far_caps(const stfi_bctx *ctx, stfi_caps *caps_p)
{
    *caps_p = ctx->caps;
    caps_p->folds = 0; /* the CPU executes its passes */
    return STF_OK;
}

static stf_status far_info(const stfi_bctx *ctx, stf_device_info *info_p)
{
    stf_status status = stfi_cpu_backend.info(ctx->cpu, info_p);

    snprintf(info_p->backend, sizeof info_p->backend, "far");
    snprintf(info_p->name, sizeof info_p->name, "far:0");
    info_p->bandwidth = ctx->caps.bandwidth;
    return status;
}

static stf_status far_supports(const stfi_bctx *ctx, stf_precision precision,
                               const stfi_pass *p)
{
    if (precision == STF_F80)
        return stfi_error(STF_ERR_UNSUPPORTED, "f80 is for the cpu device");
    return stfi_cpu_backend.fft->supports(ctx->cpu, precision, p);
}

static stf_status far_mem_alloc(stfi_bctx *ctx, size_t bytes, void **ptr_p)
{
    void *memory;
    stf_status status;

    if (counted.limit_bytes > 0 && bytes_now + bytes > counted.limit_bytes)
        return stfi_error(STF_ERR_MEMORY, "%zu bytes are too many", bytes);
    status = stfi_cpu_backend.device->mem_alloc(ctx->cpu, bytes + HEADER_BYTES,
                                                &memory);
    if (status != STF_OK)
        return status;
    memcpy(memory, &bytes, sizeof bytes);
    bytes_now += bytes;
    if (bytes_now > counted.most_bytes)
        counted.most_bytes = bytes_now;
    counted.allocations++;
    *ptr_p = away((char *)memory + HEADER_BYTES);
    return STF_OK;
}

static void far_mem_free(stfi_bctx *ctx, void *ptr)
{
    char *memory;
    size_t bytes;

    if (ptr == NULL)
        return;
    memory = (char *)near_of(ptr) - HEADER_BYTES;
    memcpy(&bytes, memory, sizeof bytes);
    bytes_now -= bytes;
    counted.allocations--;
    stfi_cpu_backend.device->mem_free(ctx->cpu, memory);
}

static stf_status far_mem_copy(stfi_bctx *ctx, void *dst, const void *src,
                               size_t bytes, stfi_copy_dir dir, void *stream)
{
    (void)ctx, (void)stream;
    memmove(dir == STFI_TO_HOST ? dst : near_of(dst),
            dir == STFI_TO_DEVICE ? src : near_of(src), bytes);
    return STF_OK;
}

static stf_status far_stream_create(stfi_bctx *ctx, void **stream_p)
{
    counted.streams++;
    *stream_p = &ctx->cpu;
    return STF_OK;
}

static void far_stream_destroy(stfi_bctx *ctx, void *stream)
{
    (void)ctx, (void)stream;
    counted.streams--;
}

static stf_status far_exec_create(stfi_bctx *ctx, const stfi_schedule *s,
                                  int threads, const stfi_exec *like,
                                  stfi_exec **exec_p)
{
    return stfi_cpu_backend.fft->create(ctx->cpu, s, threads, like, exec_p);
}

static stf_status far_exec_launch(stfi_exec *x, const stfi_buffers *b,
                                  void *stream)
{
    stfi_buffers near = *b;
    stf_status status;

    near.in = near_of(b->in);
    near.out = near_of(b->out);
    near.work = near_of(b->work);
    if (launches_left > 0 && --launches_left == 0)
        return stfi_error(STF_ERR_DEVICE, "this launch was to fail");
    counted.launches++;
    status = stfi_cpu_backend.fft->launch(x, &near, stream);
    return status == STF_OK && remarks_left > 0 && --remarks_left == 0
               ? next_remark
               : status;
}

static stf_status far_exec_time(stfi_exec *x, const stfi_buffers *b, int reps,
                                double *seconds_p)
{
    stfi_buffers near = *b;

    near.in = near_of(b->in);
    near.out = near_of(b->out);
    near.work = near_of(b->work);
    return stfi_cpu_backend.fft->time(x, &near, reps, seconds_p);
}

static stf_status far_sync(stfi_bctx *ctx, void *stream)
{
    return stfi_cpu_backend.queue->sync(ctx->cpu, stream);
}

static const char *far_last_error(const stfi_bctx *ctx)
{
    (void)ctx;
    return "";
}

static const stfi_device_ops device_table = {
    .mem_alloc = far_mem_alloc,
    .mem_free = far_mem_free,
    .mem_copy = far_mem_copy,
};

static const stfi_queue_ops queue_table = {
    .sync = far_sync,
    .stream_create = far_stream_create,
    .stream_destroy = far_stream_destroy,
};

static stfi_fft_ops fft_table = {
    .supports = far_supports,
    .create = far_exec_create,
    .launch = far_exec_launch,
    .time = far_exec_time,
};

static const stfi_backend far_backend = {
    .abi = STFI_BACKEND_ABI,
    .name = "far",
    .probe = far_probe,
    .open = far_open,
    .close = far_close,
    .caps = far_caps,
    .info = far_info,
    .last_error = far_last_error,
    .device = &device_table,
    .queue = &queue_table,
    .fft = &fft_table,
};

stf_status stfi_far_open(const char *preset, stf_device **dev_p)
{
    stf_device *dev;
    void *memory;
    stf_status status = stfi_alloc(sizeof *dev, "a device", &memory);

    if (status != STF_OK)
        return status;
    dev = memory;
    /* These functions of the cpu's table take no pointers to translate. */
    fft_table.destroy = stfi_cpu_backend.fft->destroy;
    fft_table.workspace = stfi_cpu_backend.fft->workspace;
    fft_table.ledger = stfi_cpu_backend.fft->ledger;
    fft_table.inject = stfi_cpu_backend.fft->inject;
    dev->backend = &far_backend;
    atomic_init(&dev->references, 1);
    status = stfi_team_default(&dev->threads);
    if (status == STF_OK)
        status = open_preset(preset, &dev->ctx);
    if (status != STF_OK) {
        stfi_dealloc(dev);
        return status;
    }
    *dev_p = dev;
    return STF_OK;
}
