/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Describes a HIP device, by attributes from the runtime and by rates that
 * presets.def has for its architecture. */
#include <stdio.h>
#include <string.h>

#include "backends/gpu/host/device/archs.h"
#include "backends/hip/hip_rt.h"

/* The part of the bandwidth of the memory bus that a copy reaches. */
#define BUS_EFFICIENCY 0.88

/* Static block memory of kernels with checks; kernels/arch/hip.h. */
enum { CHECK_BYTES = 16, PRODUCT_BASE = 128 };

/* The attributes that are read from the runtime. */
typedef struct attributes {
    int units, wave, threads, unit_threads, block_bytes, l2_bytes;
    int clock_khz, bus_bits;
} attributes;

static const struct {
    hipDeviceAttribute_t which;
    size_t offset;
} questions[] = {
    {hipDeviceAttributeMultiprocessorCount, offsetof(attributes, units)},
    {hipDeviceAttributeWarpSize, offsetof(attributes, wave)},
    {hipDeviceAttributeMaxThreadsPerBlock, offsetof(attributes, threads)},
    {hipDeviceAttributeMaxThreadsPerMultiProcessor,
     offsetof(attributes, unit_threads)},
    {hipDeviceAttributeMaxSharedMemoryPerBlock,
     offsetof(attributes, block_bytes)},
    {hipDeviceAttributeL2CacheSize, offsetof(attributes, l2_bytes)},
    {hipDeviceAttributeMemoryClockRate, offsetof(attributes, clock_khz)},
    {hipDeviceAttributeMemoryBusWidth, offsetof(attributes, bus_bits)},
};

static stf_status ask(const stfi_gpu_dev *dev, attributes *a)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        int value = 0;
        hipError_t r = dev->driver->hipDeviceGetAttribute(
            &value, questions[i].which, dev->index);
        if (r != hipSuccess)
            return stfi_hip_error(dev->driver, r, "hip:%d: attribute %d",
                                  dev->index, questions[i].which);
        memcpy((char *)a + questions[i].offset, &value, sizeof value);
    }
    return STF_OK;
}

/* What the families of architectures differ in, of which the first takes those
 * that begin with its text. A thread of gfx90a, gfx940 and later members of
 * their family may have the accumulation registers, too; and from gfx1000 on the
 * runtime counts pairs of compute units as one. */
static const struct family {
    const char *arch;
    int registers, paired;
} families[] = {
    {"gfx90a", 512, 0}, {"gfx94", 512, 0}, {"gfx95", 512, 0},
    {"gfx9", 256, 0},   {"", 256, 1},
};

static const struct family *family_of(const char *arch)
{
    const struct family *f = families;

    while (strncmp(arch, f->arch, strlen(f->arch)) != 0)
        f++;
    return f;
}

/* Sets the rates. They are those of the preset of the architecture, if there is
 * one: the names of models differ between releases, and some are empty. A model
 * may have fewer compute units: then floating-point rates are scaled. The clock
 * that the runtime tells is half of that of the data for some memories and a
 * quarter for others, so that the bandwidth is computed only where there is no
 * preset. */
static void fill_rates(const attributes *a, const stfi_caps *preset,
                       stfi_caps *caps)
{
    double share;

    if (preset == NULL) {
        caps->bandwidth = 2e3 * (double)a->clock_khz * (double)a->bus_bits / 8.0
                          * BUS_EFFICIENCY;
        return;
    }
    share = (double)caps->units / (double)preset->units;
    caps->flops[0] = preset->flops[0] * share;
    caps->flops[1] = preset->flops[1] * share;
}

/* Sets the limits: those that the runtime does not tell are the preset's. */
static void fill_caps(const stfi_gpu_dev *dev, const attributes *a,
                      stfi_caps *caps)
{
    const stfi_caps *preset = stfi_gpu_arch_preset(dev->arch);
    const struct family *family = family_of(dev->arch);

    *caps = preset != NULL ? *preset : (stfi_caps){.gpu = 1, .cluster = 1};
    caps->axes = STF_MAX_RANK;
    caps->folds = 1;
    caps->registers = family->registers;
    caps->units = family->paired ? 2 * a->units : a->units;
    caps->wave = a->wave;
    caps->max_threads = a->threads;
    caps->unit_threads = family->paired ? a->unit_threads / 2 : a->unit_threads;
    caps->block_bytes = a->block_bytes;
    caps->l2_bytes = a->l2_bytes;
    caps->static_bytes = CHECK_BYTES;
    caps->product_base = PRODUCT_BASE;
    fill_rates(a, preset, caps);
}

static void fill_info(const stfi_gpu_dev *dev, const stfi_caps *caps,
                      size_t total, size_t free_bytes, stf_device_info *info)
{
    snprintf(info->backend, sizeof info->backend, "hip");
    snprintf(info->name, sizeof info->name, "hip:%d", dev->index);
    snprintf(info->arch, sizeof info->arch, "%s", dev->arch);
    if (info->model[0] == '\0')
        snprintf(info->model, sizeof info->model, "AMD %s", dev->arch);
    info->available = 1;
    info->compute_units = caps->units;
    info->memory_bytes = (int64_t)total;
    info->memory_free_bytes = (int64_t)free_bytes;
    info->block_memory_bytes = caps->block_bytes;
    info->l2_bytes = caps->l2_bytes;
    info->bandwidth = caps->bandwidth;
    info->flops_f32 = caps->flops[0];
}

/* Reads name, memory and version. */
static hipError_t read_device(const stfi_gpu_dev *dev, stf_device_info *info,
                              size_t *total_p, size_t *free_p, int *version_p)
{
    const stfi_hip_driver *driver = dev->driver;
    hipError_t r = driver->hipDeviceGetName(
        info->model, (int)sizeof info->model, dev->index);

    info->model[sizeof info->model - 1] = '\0';
    if (r == hipSuccess)
        r = driver->hipDeviceTotalMem(total_p, dev->index);
    if (r == hipSuccess)
        r = driver->hipMemGetInfo(free_p, &(size_t){0});
    if (r == hipSuccess)
        r = driver->hipDriverGetVersion(version_p);
    return r;
}

stf_status stfi_hip_describe(const stfi_gpu_dev *dev, stfi_caps *caps_p,
                             stf_device_info *info_p)
{
    stf_device_info info = {.reserved = {0}};
    stfi_caps caps;
    size_t free_bytes = 0, total = 0;
    int version = 0;
    attributes a;
    stf_status status = ask(dev, &a);
    hipError_t r;

    if (status != STF_OK)
        return status;
    r = read_device(dev, &info, &total, &free_bytes, &version);
    if (r != hipSuccess)
        return stfi_hip_error(dev->driver, r, "hip:%d: its name and memory",
                              dev->index);
    fill_caps(dev, &a, &caps);
    fill_info(dev, &caps, total, free_bytes, &info);
    /* 50221153 is HIP 5.2.21153. */
    snprintf(info.driver, sizeof info.driver, "HIP %d.%d", version / 10000000,
             version / 100000 % 100);
    *caps_p = caps;
    *info_p = info;
    return STF_OK;
}
