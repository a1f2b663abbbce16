/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The list of kernels that are loaded on a device, with a driver and a compiler
 * that only count. Each kernel is loaded once. It is unloaded when many kernels
 * are loaded and nobody uses it, and not before. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/gpu/host/device/gpu_ctx.h"
#include "base/alloc.h"
#include "tests/tap.h"

enum { KERNELS = 300 }; /* more than are kept without a user */

static int loads, unloads;
static char code; /* its address is the handle of every kernel */

static stf_status load(stfi_gpu_dev *dev, const void *image, size_t bytes,
                       const char *entry, const stfi_gpu_launch *launch,
                       stfi_gpu_kernel **kernel_p, stfi_gpu_usage *usage_p)
{
    (void)dev, (void)image, (void)bytes, (void)entry, (void)launch;
    loads++;
    *kernel_p = (stfi_gpu_kernel *)(void *)&code;
    memset(usage_p, 0, sizeof *usage_p);
    return STF_OK;
}

static void unload(stfi_gpu_dev *dev, stfi_gpu_kernel *kernel)
{
    (void)dev, (void)kernel;
    unloads++;
}

static stf_status version(char *text, size_t capacity)
{
    snprintf(text, capacity, "1.0");
    return STF_OK;
}

static const char *options(void)
{
    return "";
}

static stf_status compile(const char *arch, const char *entry,
                          const char *config, void **image_p, size_t *bytes_p)
{
    (void)arch, (void)entry, (void)config;
    *bytes_p = 1;
    return stfi_alloc(*bytes_p, "an image", image_p);
}

static const stfi_gpu_rt rt = {.name = "none", .load = load, .unload = unload};
static const stfi_gpu_rtc rtc = {
    .name = "none", .version = version, .options = options, .compile = compile};

static stfi_gpu_loaded *take(stfi_bctx *ctx, int number)
{
    static stfi_gpu_spec spec;
    stfi_gpu_loaded *loaded = NULL;

    snprintf(spec.entry, sizeof spec.entry, "kernel_%d", number);
    spec.resident = spec.hoped = 1;
    return stfi_gpu_kernel_take(ctx, &spec, &loaded) == STF_OK ? loaded : NULL;
}

/* 1 if the list has as many kernels as were counted, each with its name. */
static int is_whole(const stfi_bctx *ctx)
{
    int count = 0;

    for (const stfi_gpu_loaded *k = ctx->loaded; k != NULL; k = k->next)
        count += strncmp(k->entry, "kernel_", 7) == 0;
    return count == ctx->count && count == loads - unloads;
}

static void test_used(stfi_bctx *ctx, stfi_gpu_loaded *loaded[KERNELS])
{
    int same = 1;

    for (int i = 0; i < KERNELS; i++)
        loaded[i] = take(ctx, i);
    tap_ok(loads == KERNELS && unloads == 0 && is_whole(ctx),
           "%d kernels in use are all loaded: %d came, %d went", KERNELS, loads,
           unloads);
    if (unloads > 0)
        return;
    for (int i = 0; i < KERNELS; i++) {
        same &= take(ctx, i) == loaded[i];
        stfi_gpu_kernel_drop(ctx, loaded[i]);
    }
    tap_ok(same && loads == KERNELS, "and each but once");
}

static void test_unused(stfi_bctx *ctx, stfi_gpu_loaded *loaded[KERNELS])
{
    int kept;

    if (unloads > 0)
        return;
    for (int i = 0; i < KERNELS; i++)
        if (i != 0)
            stfi_gpu_kernel_drop(ctx, loaded[i]);
    tap_ok(unloads == 0, "dropped kernels stay");
    for (int i = 0; i < 2 * KERNELS; i++)
        stfi_gpu_kernel_drop(ctx, take(ctx, KERNELS + i));
    kept = ctx->count;
    tap_ok(kept <= KERNELS && kept >= 256 && is_whole(ctx),
           "new ones drive them out: %d are there", kept);
    tap_ok(take(ctx, 0) == loaded[0] && loads == 3 * KERNELS,
           "but not the one in use");
    tap_ok(take(ctx, 1) != NULL && loads == 3 * KERNELS + 1,
           "what went is loaded anew");
}

int main(void)
{
    static stfi_gpu_loaded *loaded[KERNELS];
    static stfi_bctx ctx = {.rt = &rt, .rtc = &rtc, .arch = "none"};

    tap_begin("loaded");
    setenv("STEADFAST_CACHE", "off", 1);
    pthread_mutex_init(&ctx.lock, NULL);
    test_used(&ctx, loaded);
    test_unused(&ctx, loaded);
    stfi_gpu_kernels_clear(&ctx);
    tap_ok(ctx.count == 0 && loads == unloads, "at the end all go");
    pthread_mutex_destroy(&ctx.lock);
    return tap_end();
}
