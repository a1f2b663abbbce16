/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What only the CUDA backend does, on the fake driver; see gpu_rt.c. */
#include <math.h>
#include <string.h>

#include "backends/cuda/cuda_rt.h"
#include "base/status.h"
#include "tests/fake/fake.h"
#include "tests/tap.h"
#include "tests/unit/gpu_rt.h"

static const stfi_gpu_rt *const rt = &stfi_cuda_rt;

/* Models of GPUs. A bandwidth of 0 stands for that of the preset. */
static const struct model {
    const char *model, *preset;
    int major, minor, units, clock_khz, bus_bits;
    double bandwidth;
} models[] = {
    {"NVIDIA H200", "h200", 9, 0, 132, 3201000, 6144, 0},
    {"NVIDIA H100 80GB HBM3", "h100", 9, 0, 132, 2619000, 5120, 0},
    {"NVIDIA H100 PCIe", "h100", 9, 0, 114, 1593000, 5120, 1.794e12},
    {"NVIDIA A100-SXM4-40GB", "a100", 8, 0, 108, 1215000, 5120, 0},
    {"NVIDIA A100-SXM4-80GB", "a100", 8, 0, 108, 1593000, 5120, 1.794e12},
    {"Tesla T4", "t4", 7, 5, 40, 5001000, 256, 0},
    {"NVIDIA T400 4GB", "", 7, 5, 6, 5001000, 64, 7.04e10},
    {"NVIDIA GeForce RTX 4090", "", 8, 9, 128, 10501000, 384, 8.87e11},
    {"NVIDIA H200 NVL", "h200", 9, 0, 132, 0, 0, 0},
};

static void test_model(const struct model *row)
{
    const stfi_caps *preset = stfi_preset_find(row->preset);
    double want = row->bandwidth;
    stf_device_info info;
    stfi_gpu_dev *dev;
    stfi_caps caps;

    fake_reset();
    fake->model = row->model;
    fake->major = row->major;
    fake->minor = row->minor;
    fake->units = row->units;
    fake->clock_khz = row->clock_khz;
    fake->bus_bits = row->bus_bits;
    if (want <= 0.0)
        want = preset != NULL ? preset->bandwidth : 0.0;
    dev = fake_open();
    tap_ok(dev != NULL && !rt->describe(dev, &caps, &info)
               && !strcmp(caps.name, row->preset) && caps.gpu == 1
               && caps.units == row->units && caps.wave == 32
               && caps.registers == 255 && caps.max_threads == 1024
               && caps.unit_threads == 1536
               && caps.cluster == (row->major >= 9 ? 16 : 1)
               && caps.axes == STF_MAX_RANK && caps.block_bytes == 232448
               && caps.l2_bytes == 62914560
               && fabs(caps.bandwidth / want - 1.0) < 0.01
               && (caps.flops[0] > 0.0) == (preset != NULL)
               && (caps.launch_seconds > 0.0) == (preset != NULL)
               && !strcmp(info.backend, "cuda") && info.available == 1
               && !strcmp(info.name, "cuda:0")
               && !strcmp(info.model, row->model)
               && info.memory_bytes == (int64_t)1 << 31
               && info.memory_free_bytes == (int64_t)1 << 30
               && info.compute_units == caps.units && !info.reason[0],
           "%s: preset \"%s\", %.3g bytes/s", row->model, row->preset, want);
    rt->close(dev);
}

void vendor_describe(void)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        test_model(&models[i]);
    tap_ok(fake_balanced() && fake_nothing_left(), "and nothing is left");
}

/* Launches that wait for the one before by themselves. */
static void test_overlap(void)
{
    stfi_gpu_launch launch = {.blocks = 3, .threads = 64, .shared_bytes = 16};
    stfi_gpu_kernel *kernel = NULL;
    stfi_gpu_usage usage;
    stfi_gpu_dev *dev;
    int args = 5;

    fake_reset();
    dev = fake_open();
    tap_ok(!rt->load(dev, "image", 5, "stfk", &launch, &kernel, &usage)
               && !rt->launch(dev, kernel, &launch, &args, sizeof args, NULL)
               && fake->launches == 1 && fake->overlaps == 0,
           "a launch waits for the one before it");
    launch.overlaps = 1;
    tap_ok(!rt->launch(dev, kernel, &launch, &args, sizeof args, &fake_other)
               && fake->launches == 2 && fake->overlaps == 1 && fake->grid == 3
               && fake->block == 64 && fake->shared_bytes == 16
               && fake->stream == &fake_other && fake->args_bytes == sizeof args
               && !memcmp(fake->args, &args, sizeof args),
           "but not if its kernel does this");
    rt->unload(dev, kernel);
    rt->close(dev);
    fake->major = 8;
    dev = fake_open();
    tap_ok(!rt->load(dev, "image", 5, "stfk", &launch, &kernel, &usage)
               && !rt->launch(dev, kernel, &launch, &args, sizeof args, NULL)
               && fake->launches == 3 && fake->overlaps == 1,
           "nor on a device whose kernels cannot");
    rt->unload(dev, kernel);
    rt->close(dev);
    fake->major = 9;
}

void vendor_load(void)
{
    stfi_gpu_kernel *kernel = NULL;
    stfi_gpu_launch launch = {.threads = 256, .shared_bytes = 40000};
    stfi_gpu_usage usage = {-1, -1, -1, -1, -1};
    stfi_gpu_dev *dev;

    fake_reset();
    dev = fake_open();
    /* Five blocks of 40000 + 128 bytes and of 1024 reserved ones need 205760
     * bytes, which are 88.13 % of 233472. */
    tap_ok(!rt->load(dev, "image", 5, "stfk", &launch, &kernel, &usage)
               && usage.registers == 64 && usage.local_bytes == 16
               && usage.shared_bytes == 128 && usage.blocks == 5
               && fake->max_dynamic == -1 && fake->carveout == 89,
           "below 48 KB nothing is asked, and 5 blocks get their memory");
    rt->unload(dev, kernel);
    launch.shared_bytes = 49152;
    tap_ok(!rt->load(dev, "image", 5, "stfk", &launch, &kernel, &usage)
               && fake->max_dynamic == 49152 && usage.blocks == 4,
           "48 KB beside static memory are asked for");
    rt->unload(dev, kernel);
    launch.shared_bytes = 231000;
    tap_ok(!rt->load(dev, "image", 5, "stfk", &launch, &kernel, &usage)
               && fake->max_dynamic == 231000 && fake->carveout == 100
               && usage.blocks == 1,
           "so are 231000 bytes");
    rt->unload(dev, kernel);
    rt->unload(dev, NULL);
    fake->fail_call = "cuModuleLoadDataEx";
    fake->fail_code = CUDA_ERROR_INVALID_PTX;
    fake->log = "ptxas fatal: line 7\nand more";
    tap_ok(
        fake_failed(rt->load(dev, "image", 5, "stfk", &launch, &kernel, &usage),
                    STF_ERR_COMPILE, "loading stfk for sm_90",
                    "ptxas fatal: line 7: CUDA_ERROR_INVALID_PTX"),
        "the log of the driver's compiler: %s", stf_error_message());
    rt->close(dev);
    test_overlap();
    tap_ok(fake_balanced() && fake_nothing_left(), "and nothing is left");
}
