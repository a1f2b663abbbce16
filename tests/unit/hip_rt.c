/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What only the HIP backend does, on the fake runtime; see gpu_rt.c. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/hip/hip_rt.h"
#include "base/status.h"
#include "tests/fake/fake.h"
#include "tests/tap.h"
#include "tests/unit/gpu_rt.h"

static const stfi_gpu_rt *const rt = &stfi_hip_rt;

/* Models of GPUs. A bandwidth of 0 stands for that of the preset. */
static const struct model {
    const char *model, *arch, *plain, *preset;
    int wave, registers, units, clock_khz, bus_bits;
    double bandwidth;
} models[] = {
    {"AMD Instinct MI250X", "gfx90a:sramecc+:xnack-", "gfx90a", "mi250x", 64,
     512, 110, 1600000, 4096, 0},
    {"AMD Instinct MI210", "gfx90a:sramecc+:xnack+", "gfx90a", "mi250x", 64,
     512, 104, 1600000, 4096, 0},
    {"AMD Instinct MI300X", "gfx942:sramecc+:xnack-", "gfx942", "mi300x", 64,
     512, 304, 1300000, 8192, 0},
    {"", "gfx942", "gfx942", "mi300x", 64, 512, 228, 1300000, 8192, 0},
    {"AMD Instinct MI100", "gfx908:sramecc+:xnack-", "gfx908", "", 64, 256, 120,
     1200000, 4096, 1.081e12},
    {"AMD Radeon RX 7900 XTX", "gfx1100", "gfx1100", "rx7900xtx", 32, 256, 48,
     1249000, 384, 0},
    {"AMD Radeon RX 6900 XT", "gfx1030", "gfx1030", "", 32, 256, 40, 1000000,
     256, 5.63e10},
};

static void set_model(const struct model *row)
{
    fake_reset();
    fake->model = row->model;
    fake->arch = row->arch;
    fake->wave = row->wave;
    fake->units = row->units;
    fake->clock_khz = row->clock_khz;
    fake->bus_bits = row->bus_bits;
}

static void test_model(const struct model *row)
{
    const stfi_caps *preset = stfi_preset_find(row->preset);
    double want = row->bandwidth;
    stf_device_info info;
    stfi_gpu_dev *dev;
    stfi_caps caps;

    set_model(row);
    if (want <= 0.0)
        want = preset != NULL ? preset->bandwidth : 0.0;
    dev = fake_open();
    tap_ok(dev != NULL && !strcmp(rt->arch(dev), row->plain)
               && !rt->describe(dev, &caps, &info)
               && !strcmp(caps.name, row->preset) && caps.gpu == 1
               && caps.units == row->units * (row->wave == 32 ? 2 : 1)
               && caps.wave == row->wave && caps.registers == row->registers
               && caps.max_threads == 1024
               && caps.unit_threads == (row->wave == 32 ? 1024 : 2048)
               && caps.cluster == 1 && caps.axes == STF_MAX_RANK
               && caps.block_bytes == 65536 && caps.l2_bytes == 8388608
               && fabs(caps.bandwidth / want - 1.0) < 0.01
               && (caps.flops[0] > 0.0) == (preset != NULL)
               && (caps.launch_seconds > 0.0) == (preset != NULL),
           "%s: preset \"%s\", %.3g bytes/s", row->arch, row->preset, want);
    tap_ok(!strcmp(info.backend, "hip") && info.available == 1
               && !strcmp(info.name, "hip:0") && !strcmp(info.arch, row->plain)
               && strstr(info.model, row->model) != NULL
               && strstr(info.model, "AMD ") != NULL
               && !strcmp(info.driver, "HIP 7.1")
               && info.memory_bytes == (int64_t)1 << 31
               && info.memory_free_bytes == (int64_t)1 << 30
               && info.compute_units == caps.units && !info.reason[0],
           "\"%s\" is described as %s", row->model, info.model);
    rt->close(dev);
}

void vendor_describe(void)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        test_model(&models[i]);
    tap_ok(fake_balanced() && fake_nothing_left(), "and nothing is left");
    fake->fail_call = "hipInit";
    fake->fail_code = hipErrorInvalidDevice;
    tap_ok(fake_failed(rt->open(0, &(stfi_gpu_dev *){NULL}), STF_ERR_DEVICE,
                       "finds no device", "hipErrorNoDevice"),
           "ROCm 5 reports an invalid device where there is none: %s",
           stf_error_message());
}

void vendor_load(void)
{
    stfi_gpu_kernel *kernel = NULL;
    stfi_gpu_launch launch = {.threads = 256, .shared_bytes = 65408};
    stfi_gpu_usage usage = {-1, -1, -1, -1, -1};
    stfi_gpu_dev *dev;

    fake_reset();
    dev = fake_open();
    tap_ok(!rt->load(dev, "image", 5, "stfk", &launch, &kernel, &usage)
               && usage.registers == 64 && usage.local_bytes == 16
               && usage.shared_bytes == 16 && usage.blocks == 1,
           "a block may have 64 KB, and nothing is asked for it");
    rt->unload(dev, kernel);
    rt->unload(dev, NULL);
    fake->fail_call = "hipModuleLoadData";
    fake->fail_code = hipErrorNoBinaryForGpu;
    tap_ok(
        fake_failed(rt->load(dev, "image", 5, "stfk", &launch, &kernel, &usage),
                    STF_ERR_COMPILE, "loading stfk for gfx90a",
                    "hipErrorNoBinaryForGpu"),
        "code for another device: %s", stf_error_message());
    rt->close(dev);
    tap_ok(fake_balanced() && fake_nothing_left(), "and nothing is left");
}
