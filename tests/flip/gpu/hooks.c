/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Stands between the CUDA backend and its driver; see hooks.h. */
#include "tests/flip/gpu/hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/cuda_rt.h"
#include "backends/gpu/host/kernels/images.h"
#include "base/alloc.h"

enum { MAX_ARGUMENT_BYTES = 4096, NO_IMAGE_BYTES = 64, BLOCK_SHARE = 4 };

flip_log flip;
int flip_no_images;

static struct {
    int recording;
    int next;                       /* number of the next launch */
    int launch;                     /* the one to be struck; -1: none */
    const stfi_gpu_kernel *instead; /* what it runs */
    ptx_strike strike;
} hooks = {.launch = -1};

/* The names are the linker's. */
stf_status __real_stfi_gpu_image_get(const stfi_gpu_rtc *rtc,
                                     const stfi_gpu_key *key, void **image_p,
                                     size_t *bytes_p, int *cached_p);
stf_status __wrap_stfi_gpu_image_get(const stfi_gpu_rtc *rtc,
                                     const stfi_gpu_key *key, void **image_p,
                                     size_t *bytes_p, int *cached_p);
stf_status __real_stfi_cuda_load(stfi_gpu_dev *dev, const void *image,
                                 size_t bytes, const char *entry,
                                 const stfi_gpu_launch *launch,
                                 stfi_gpu_kernel **kernel_p,
                                 stfi_gpu_usage *usage_p);
stf_status __wrap_stfi_cuda_load(stfi_gpu_dev *dev, const void *image,
                                 size_t bytes, const char *entry,
                                 const stfi_gpu_launch *launch,
                                 stfi_gpu_kernel **kernel_p,
                                 stfi_gpu_usage *usage_p);
stf_status __real_stfi_cuda_launch(stfi_gpu_dev *dev,
                                   const stfi_gpu_kernel *kernel,
                                   const stfi_gpu_launch *launch,
                                   const void *args, size_t args_bytes,
                                   void *stream);
stf_status __wrap_stfi_cuda_launch(stfi_gpu_dev *dev,
                                   const stfi_gpu_kernel *kernel,
                                   const stfi_gpu_launch *launch,
                                   const void *args, size_t args_bytes,
                                   void *stream);

/* ----------------------------------------------------------------- kernels */

/* The key of the image that will be loaded next. */
static struct {
    char entry[FLIP_ENTRY_BYTES], arch[16];
    char *config;
} key_now;

stf_status __wrap_stfi_gpu_image_get(const stfi_gpu_rtc *rtc,
                                     const stfi_gpu_key *key, void **image_p,
                                     size_t *bytes_p, int *cached_p)
{
    snprintf(key_now.entry, sizeof key_now.entry, "%s", key->entry);
    snprintf(key_now.arch, sizeof key_now.arch, "%s", key->arch);
    free(key_now.config);
    key_now.config = strdup(key->config);
    if (key_now.config == NULL)
        ptx_die("no memory", "for a kernel's configuration");
    if (!flip_no_images)
        return __real_stfi_gpu_image_get(rtc, key, image_p, bytes_p, cached_p);
    *bytes_p = NO_IMAGE_BYTES;
    return stfi_alloc(NO_IMAGE_BYTES, "an image", image_p);
}

/* A kernel that was unloaded may have given its address to another one. */
static flip_kernel *slot_of(const stfi_gpu_kernel *loaded)
{
    for (int i = 0; i < flip.kernels; i++)
        if (flip.kernel[i].loaded == loaded)
            return &flip.kernel[i];
    if (flip.kernels == FLIP_MAX_KERNELS)
        ptx_die("too many kernels", key_now.entry);
    return &flip.kernel[flip.kernels++];
}

stf_status __wrap_stfi_cuda_load(stfi_gpu_dev *dev, const void *image,
                                 size_t bytes, const char *entry,
                                 const stfi_gpu_launch *launch,
                                 stfi_gpu_kernel **kernel_p,
                                 stfi_gpu_usage *usage_p)
{
    stf_status status = __real_stfi_cuda_load(dev, image, bytes, entry, launch,
                                              kernel_p, usage_p);
    flip_kernel *k;

    if (status != STF_OK || strcmp(entry, key_now.entry) != 0)
        return status;
    k = slot_of(*kernel_p);
    free(k->config);
    *k = (flip_kernel){.config = key_now.config,
                       .dev = dev,
                       .loaded = *kernel_p,
                       .launch = *launch};
    memcpy(k->entry, key_now.entry, sizeof k->entry);
    memcpy(k->arch, key_now.arch, sizeof k->arch);
    key_now.config = NULL;
    return STF_OK;
}

stf_status flip_load(int i, const void *image, size_t bytes,
                     stfi_gpu_kernel **kernel_p)
{
    const flip_kernel *k = &flip.kernel[i];
    stfi_gpu_usage usage;

    return __real_stfi_cuda_load(k->dev, image, bytes, k->entry, &k->launch,
                                 kernel_p, &usage);
}

/* ---------------------------------------------------------------- launches */

void flip_record_begin(void)
{
    hooks.recording = 1;
    flip.launches = 0;
    for (int i = 0; i < flip.kernels; i++)
        flip.kernel[i].used = 0;
    flip_announce();
}

void flip_record_end(void)
{
    hooks.recording = 0;
}

void flip_announce(void)
{
    hooks.next = 0;
    hooks.launch = -1;
}

void flip_arm(int launch, const stfi_gpu_kernel *instead,
              const ptx_strike *strike)
{
    hooks.next = 0;
    hooks.launch = launch;
    hooks.instead = instead;
    hooks.strike = *strike;
}

static void record(int kernel, const stfi_gpu_launch *launch)
{
    if (kernel < 0 || flip.launches == FLIP_MAX_LAUNCHES)
        ptx_die("launches", "too many, or of a kernel that was not loaded");
    flip.kernel[kernel].used = 1;
    flip.launch[flip.launches++] =
        (flip_launch){kernel, launch->blocks, launch->threads};
}

static int number_of(const stfi_gpu_kernel *kernel)
{
    for (int i = 0; i < flip.kernels; i++)
        if (flip.kernel[i].loaded == kernel)
            return i;
    return -1;
}

stf_status __wrap_stfi_cuda_launch(stfi_gpu_dev *dev,
                                   const stfi_gpu_kernel *kernel,
                                   const stfi_gpu_launch *launch,
                                   const void *args, size_t args_bytes,
                                   void *stream)
{
    _Alignas(16) char more[MAX_ARGUMENT_BYTES + sizeof hooks.strike];
    size_t at = (args_bytes + 7) / 8 * 8;
    stfi_gpu_launch fewer = *launch;
    int number = number_of(kernel);

    /* Persistent blocks take any number of tiles. Few blocks have many, without
     * large arrays. */
    if (number >= 0
        && strstr(flip.kernel[number].config, "STFK_PERSISTENT 1\n") != NULL)
        fewer.blocks = (launch->blocks + BLOCK_SHARE - 1) / BLOCK_SHARE;
    if (hooks.recording)
        record(number, &fewer);
    if (hooks.next++ != hooks.launch)
        return __real_stfi_cuda_launch(dev, kernel, &fewer, args, args_bytes,
                                       stream);
    if (at > MAX_ARGUMENT_BYTES)
        ptx_die("a launch", "too many arguments");
    memset(more, 0, sizeof more);
    memcpy(more, args, args_bytes);
    memcpy(more + at, &hooks.strike, sizeof hooks.strike);
    return __real_stfi_cuda_launch(dev, hooks.instead, &fewer, more,
                                   at + sizeof hooks.strike, stream);
}
