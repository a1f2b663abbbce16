/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Describes a CUDA device, by attributes from the driver and by rates that
 * presets.def has for its model. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/cuda/cuda_rt.h"

/* The part of the bandwidth of the memory bus that a copy reaches. */
#define BUS_EFFICIENCY 0.88

/* A word in the device's name that shows its model, and the model's row of
 * presets.def. */
static const struct {
    const char *word;
    const char *preset;
} models[] = {
    {"T4", "t4"},     {"A100", "a100"},  {"H100", "h100"},
    {"H200", "h200"}, {"GH200", "h200"},
};

/* The attributes that are read from the driver. */
typedef struct attributes {
    int units, wave, threads, unit_threads, block_bytes, l2_bytes, major;
    int clock_khz, bus_bits;
} attributes;

static const struct {
    CUdevice_attribute which;
    size_t offset;
} questions[] = {
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, offsetof(attributes, units)},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, offsetof(attributes, wave)},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, offsetof(attributes, threads)},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
     offsetof(attributes, unit_threads)},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
     offsetof(attributes, block_bytes)},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, offsetof(attributes, l2_bytes)},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, offsetof(attributes, major)},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, offsetof(attributes, clock_khz)},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
     offsetof(attributes, bus_bits)},
};

static stf_status ask(const stfi_gpu_dev *dev, attributes *a)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        int value = 0;
        CUresult r = dev->driver->cuDeviceGetAttribute(
            &value, questions[i].which, dev->device);
        if (r != CUDA_SUCCESS)
            return stfi_cuda_error(dev->driver, r, "cuda:%d: attribute %d",
                                   dev->index, questions[i].which);
        memcpy((char *)a + questions[i].offset, &value, sizeof value);
    }
    return STF_OK;
}

/* 1 if the text contains `word` as a whole word, with no letter or digit
 * next to it: "T4" does not match "T400", nor "H200" "GH200". */
static int has_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        if ((at == text || !isalnum((unsigned char)at[-1]))
            && !isalnum((unsigned char)at[length]))
            return 1;
    return 0;
}

static const stfi_caps *find_preset(const char *model)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (has_word(model, models[i].word))
            return stfi_preset_find(models[i].preset);
    return NULL;
}

/* Returns what the matrix units of an architecture "sm_90" multiply. Source: PTX
 * ISA, sections on mma and wgmma; the latter is in code for sm_90a alone. */
static int32_t matrix_of(const char *arch)
{
    int version = 0;

    if (sscanf(arch, "sm_%d", &version) != 1 || version < 75)
        return 0;
    return STFI_MATRIX_F16 | (version < 80 ? 0 : STFI_MATRIX_BF16)
           | (version == 90 ? STFI_MATRIX_GROUPS : 0);
}

/* Sets the rates from the preset, if there is one. A model may be sold with
 * other memory or fewer multiprocessors: then the bandwidth is computed from
 * the memory bus, and floating-point rates are scaled. */
static void fill_rates(const attributes *a, const stfi_caps *preset,
                       stfi_caps *caps)
{
    double bus = 2e3 * (double)a->clock_khz * (double)a->bus_bits / 8.0;
    double share;

    caps->bandwidth = bus * BUS_EFFICIENCY;
    if (preset == NULL)
        return;
    if (bus <= 0.0 || fabs(caps->bandwidth / preset->bandwidth - 1.0) < 0.15)
        caps->bandwidth = preset->bandwidth;
    share = (double)a->units / (double)preset->units;
    caps->flops[0] = preset->flops[0] * share;
    caps->flops[1] = preset->flops[1] * share;
    caps->l2_bandwidth = preset->l2_bandwidth;
    caps->launch_seconds = preset->launch_seconds;
    caps->tuning = preset->tuning;
    snprintf(caps->name, sizeof caps->name, "%s", preset->name);
}

static void fill_info(const stfi_gpu_dev *dev, const stfi_caps *caps,
                      size_t total, size_t free_bytes, stf_device_info *info)
{
    snprintf(info->backend, sizeof info->backend, "cuda");
    snprintf(info->name, sizeof info->name, "cuda:%d", dev->index);
    snprintf(info->arch, sizeof info->arch, "%s", dev->arch);
    info->available = 1;
    info->compute_units = caps->units;
    info->memory_bytes = (int64_t)total;
    info->memory_free_bytes = (int64_t)free_bytes;
    info->block_memory_bytes = caps->block_bytes;
    info->l2_bytes = caps->l2_bytes;
    info->bandwidth = caps->bandwidth;
    info->flops_f32 = caps->flops[0];
}

stf_status stfi_cuda_describe(const stfi_gpu_dev *dev, stfi_caps *caps_p,
                              stf_device_info *info_p)
{
    const stfi_cuda_driver *driver = dev->driver;
    stf_device_info info = {.reserved = {0}};
    stfi_caps caps = {.gpu = 1,
                      .registers = 255,
                      .cluster = 1,
                      .axes = STF_MAX_RANK,
                      .folds = 1};
    size_t free_bytes = 0, total = 0;
    int version = 0;
    attributes a;
    stf_status status = ask(dev, &a);
    CUresult r;

    if (status != STF_OK)
        return status;
    r = driver->cuDeviceGetName(info.model, sizeof info.model, dev->device);
    if (r == CUDA_SUCCESS)
        r = driver->cuDeviceTotalMem_v2(&total, dev->device);
    if (r == CUDA_SUCCESS)
        r = driver->cuMemGetInfo_v2(&free_bytes, &(size_t){0});
    if (r == CUDA_SUCCESS)
        r = driver->cuDriverGetVersion(&version);
    if (r != CUDA_SUCCESS)
        return stfi_cuda_error(driver, r, "cuda:%d: its name and memory",
                               dev->index);
    caps.units = a.units;
    caps.wave = a.wave;
    caps.max_threads = a.threads;
    caps.unit_threads = a.unit_threads;
    caps.cluster = a.major >= 9 ? 16 : 1;
    caps.matrix = matrix_of(dev->arch);
    caps.block_bytes = a.block_bytes;
    caps.l2_bytes = a.l2_bytes;
    fill_rates(&a, find_preset(info.model), &caps);
    fill_info(dev, &caps, total, free_bytes, &info);
    /* The version of CUDA that the driver supports: 13000 is CUDA 13.0. */
    snprintf(info.driver, sizeof info.driver, "CUDA %d.%d", version / 1000,
             version % 1000 / 10);
    *caps_p = caps;
    *info_p = info;
    return STF_OK;
}
