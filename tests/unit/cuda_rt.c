/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The part of the backend that calls the CUDA driver, on a fake driver: what it
 * asks for, how it reports errors, and that it leaves the caller's context
 * alone. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "tests/fake/fake.h"
#include "tests/tap.h"

static const stfi_gpu_rt *const rt = &stfi_cuda_rt;

/* ----------------------------------------------------------------- finding */

static void test_probe(void)
{
    const char *reason = NULL;
    int n = -1;

    fake_reset();
    fake->devices = 2;
    tap_ok(!rt->probe(&n, &reason) && n == 2 && !strcmp(reason, ""),
           "two devices");
    fake->devices = 0;
    tap_ok(!rt->probe(&n, &reason) && n == 0
               && strstr(reason, "finds no device"),
           "none");
    fake->fail_call = "cuInit";
    fake->fail_code = CUDA_ERROR_NO_DEVICE;
    tap_ok(!rt->probe(&n, &reason) && n == 0
               && strstr(reason, "CUDA_ERROR_NO_DEVICE"),
           "none: %s", reason);
    fake->fail_code = 803;
    tap_ok(!rt->probe(&n, &reason) && n == 0 && strstr(reason, "does not start")
               && strstr(reason, "803"),
           "an old kernel module: %s", reason);
}

static void test_open(void)
{
    stfi_gpu_dev *const sentinel = (stfi_gpu_dev *)&fake_own_context;
    stfi_gpu_dev *dev = sentinel;

    fake_reset();
    tap_ok(fake_failed(rt->open(3, &dev), STF_ERR_ARGUMENT,
                       "cuda:3 does not exist", "there is 1")
               && dev == sentinel,
           "no such device: %s", stf_error_message());
    fake->devices = 4;
    tap_ok(fake_failed(rt->open(-1, &dev), STF_ERR_ARGUMENT, "cuda:-1",
                       "there are 4")
               && dev == sentinel,
           "a negative one");
    fake->fail_call = "cuInit";
    fake->fail_code = CUDA_ERROR_NO_DEVICE;
    tap_ok(fake_failed(rt->open(0, &dev), STF_ERR_DEVICE, "cuda:0 is absent",
                       "CUDA_ERROR_NO_DEVICE")
               && dev == sentinel,
           "no device: %s", stf_error_message());
    fake->fail_call = "cuDevicePrimaryCtxRetain";
    fake->fail_code = CUDA_ERROR_OUT_OF_MEMORY;
    tap_ok(fake_failed(rt->open(0, &dev), STF_ERR_MEMORY, "cuda:0",
                       "OUT_OF_MEMORY")
               && dev == sentinel,
           "no memory for a context: %s", stf_error_message());
    fake->fail_call = NULL;
    dev = NULL;
    tap_ok(!rt->open(3, &dev) && !strcmp(rt->arch(dev), "sm_90")
               && fake->live_contexts == 1,
           "the last one, sm_90");
    rt->close(dev);
    rt->close(NULL);
    tap_ok(fake_balanced() && fake_nothing_left(), "closed");
}

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
               && caps.block_bytes == 232448 && caps.l2_bytes == 62914560
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

static void test_describe(void)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        test_model(&models[i]);
    tap_ok(fake_balanced() && fake_nothing_left(), "and nothing is left");
}

/* ------------------------------------------------------------------ memory */

static void test_memory(void)
{
    unsigned char out[100], in[sizeof out];
    void *const sentinel = &fake_own_context;
    void *ptr = sentinel, *empty = NULL;
    stfi_gpu_dev *dev;

    fake_reset();
    dev = fake_open();
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)(i * 7 + 1);
    tap_ok(!rt->mem_alloc(dev, 0, &empty) && empty != NULL,
           "0 bytes are a pointer");
    fake->free_bytes = 1000;
    tap_ok(fake_failed(rt->mem_alloc(dev, 4096, &ptr), STF_ERR_MEMORY,
                       "4096 bytes", "1000 are free")
               && ptr == sentinel,
           "too much: %s", stf_error_message());
    tap_ok(!rt->mem_alloc(dev, sizeof in, &ptr)
               && !rt->copy(dev, ptr, in, sizeof in, STFI_TO_DEVICE, NULL)
               && !rt->copy(dev, out, ptr, sizeof in, STFI_TO_HOST,
                            &fake_own_context)
               && !memcmp(in, out, sizeof in)
               && fake->stream == &fake_own_context,
           "there and back, on a stream");
    tap_ok(!rt->copy(dev, NULL, NULL, 0, STFI_TO_HOST, NULL),
           "0 bytes are no work");
    rt->mem_free(dev, empty);
    rt->mem_free(dev, ptr);
    rt->mem_free(dev, NULL);
    rt->close(dev);
    tap_ok(fake_balanced() && fake_nothing_left(), "and nothing is left");
}

static void test_failing_copies(void)
{
    unsigned char host[8] = {0};
    void *ptr = NULL, *twin = NULL;
    stfi_gpu_dev *dev;

    fake_reset();
    dev = fake_open();
    tap_ok(!rt->mem_alloc(dev, sizeof host, &ptr)
               && !rt->mem_alloc(dev, 1, &twin),
           "memory to be copied");
    fake->fail_call = "cuStreamSynchronize";
    fake->fail_code = CUDA_ERROR_ECC_UNCORRECTABLE;
    tap_ok(fake_failed(rt->copy(dev, host, ptr, 8, STFI_TO_HOST, NULL),
                       STF_ERR_DEVICE, "uncorrectable ECC", "reset the device"),
           "a memory error: %s", stf_error_message());
    fake->fail_call = "cuMemcpyDtoDAsync_v2";
    fake->fail_code = CUDA_ERROR_INVALID_VALUE;
    tap_ok(fake_failed(rt->copy(dev, twin, ptr, 1, STFI_ON_DEVICE, NULL),
                       STF_ERR_ARGUMENT, "copying 1 bytes within the device",
                       "pointer"),
           "within the device: %s", stf_error_message());
    fake->fail_call = "cuMemcpyHtoDAsync_v2";
    fake->fail_code = CUDA_ERROR_INVALID_VALUE;
    tap_ok(fake_failed(rt->copy(dev, ptr, host, 8, STFI_TO_DEVICE, NULL),
                       STF_ERR_ARGUMENT, "copying 8 bytes to the device",
                       "pointer"),
           "a wrong pointer: %s", stf_error_message());
    rt->mem_free(dev, twin);
    rt->mem_free(dev, ptr);
    rt->close(dev);
    tap_ok(fake_balanced() && fake_nothing_left(), "and nothing is left");
}

/* ----------------------------------------------------------------- kernels */

static void test_load(void)
{
    stfi_gpu_kernel *kernel = NULL;
    stfi_gpu_launch launch = {.threads = 256, .shared_bytes = 40000};
    stfi_gpu_usage usage = {-1, -1, -1, -1};
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
    rt->close(dev);
    tap_ok(fake_balanced() && fake_nothing_left(), "and nothing is left");
}

static void test_bad_images(void)
{
    stfi_gpu_kernel *const sentinel = (stfi_gpu_kernel *)&fake_own_context;
    stfi_gpu_kernel *kernel = sentinel;
    stfi_gpu_launch launch = {.threads = 256, .shared_bytes = 40000};
    stfi_gpu_usage usage = {-5, -1, -1, -1};
    stfi_gpu_dev *dev;

    fake_reset();
    dev = fake_open();
    fake->fail_call = "cuModuleLoadDataEx";
    fake->fail_code = CUDA_ERROR_INVALID_PTX;
    fake->log = "ptxas fatal: line 7\nand more";
    tap_ok(
        fake_failed(rt->load(dev, "image", 5, "stfk", &launch, &kernel, &usage),
                    STF_ERR_COMPILE, "loading stfk for sm_90",
                    "ptxas fatal: line 7: CUDA_ERROR_INVALID_PTX")
            && kernel == sentinel && usage.registers == -5,
        "a bad image: %s", stf_error_message());
    fake->fail_call = NULL;
    tap_ok(fake_failed(
               rt->load(dev, "image", 5, "absent", &launch, &kernel, &usage),
               STF_ERR_COMPILE, "absent", "NOT_FOUND")
               && kernel == sentinel && fake->live_modules == 0,
           "no such entry: %s", stf_error_message());
    rt->close(dev);
    tap_ok(fake_balanced() && fake_nothing_left(), "and nothing is left");
}

/* Error codes of a launch, and the status and the text that report them. */
static const struct {
    int code;
    stf_status status;
    const char *text;
} launch_errors[] = {
    {CUDA_ERROR_LAUNCH_FAILED, STF_ERR_DEVICE, "is lost"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, STF_ERR_DEVICE, "as large as"},
    {CUDA_ERROR_ECC_UNCORRECTABLE, STF_ERR_DEVICE, "reset the device"},
    {CUDA_ERROR_OUT_OF_MEMORY, STF_ERR_MEMORY, "smaller batch"},
    {CUDA_ERROR_INVALID_HANDLE, STF_ERR_ARGUMENT, "stream"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, STF_ERR_ARGUMENT, "captured"},
    {999, STF_ERR_DEVICE, "999"},
};

static void test_launch(void)
{
    struct {
        double scale;
        int n;
    } args = {2.5, 7};
    stfi_gpu_launch launch = {.blocks = 12, .threads = 64, .shared_bytes = 9};
    stfi_gpu_kernel *kernel = NULL;
    stfi_gpu_usage usage;
    stfi_gpu_dev *dev;

    fake_reset();
    memset(fake->args, 0, sizeof fake->args);
    dev = fake_open();
    tap_ok(!rt->load(dev, "image", 5, "stfk", &launch, &kernel, &usage)
               && !rt->launch(dev, kernel, &launch, &args, sizeof args,
                              &fake_own_context)
               && fake->launches == 1 && fake->grid == 12 && fake->block == 64
               && fake->shared_bytes == 9 && fake->stream == &fake_own_context
               && fake->args_bytes == sizeof args
               && !memcmp(fake->args, &args, sizeof args),
           "a launch as it was meant");
    tap_ok(!rt->sync(dev, NULL) && !rt->sync(dev, &fake_own_context),
           "awaited");
    fake->fail_call = "cuLaunchKernel";
    for (size_t i = 0; i < sizeof launch_errors / sizeof *launch_errors; i++) {
        fake->fail_code = launch_errors[i].code;
        tap_ok(fake_failed(
                   rt->launch(dev, kernel, &launch, &args, sizeof args, NULL),
                   launch_errors[i].status, launch_errors[i].text,
                   "launching stfk, 12 blocks"),
               "%s", stf_error_message());
    }
    fake->fail_call = "cuCtxSynchronize";
    fake->fail_code = CUDA_ERROR_LAUNCH_FAILED;
    tap_ok(fake_failed(rt->sync(dev, NULL), STF_ERR_DEVICE, "cuda:0",
                       "LAUNCH_FAILED"),
           "a failure seen later");
    rt->unload(dev, kernel);
    rt->close(dev);
    tap_ok(fake_balanced() && fake_nothing_left(), "and nothing is left");
}

/* ------------------------------------------------------------------- queues */

static void test_streams(void)
{
    int number = 17, back = 0;
    void *stream = NULL, *ptr = NULL, *twin = NULL;
    int *host = NULL;
    void *mem = NULL, *empty = NULL;
    stfi_gpu_dev *dev;

    fake_reset();
    dev = fake_open();
    tap_ok(!rt->stream_create(dev, &stream) && stream != NULL
               && !rt->host_alloc(dev, 0, &empty) && empty != NULL
               && !rt->host_alloc(dev, sizeof number, &mem)
               && !rt->mem_alloc(dev, sizeof number, &ptr)
               && !rt->mem_alloc(dev, sizeof number, &twin),
           "a stream and memory of all kinds");
    host = mem;
    *host = number;
    tap_ok(
        !rt->copy_async(dev, ptr, host, sizeof number, STFI_TO_DEVICE, stream)
            && !rt->copy_async(dev, twin, ptr, sizeof number, STFI_ON_DEVICE,
                               stream)
            && !rt->copy_async(dev, &back, twin, sizeof number, STFI_TO_HOST,
                               stream)
            && !rt->copy_async(dev, NULL, NULL, 0, STFI_TO_HOST, stream)
            && back == number && fake->stream == stream && fake->waits == 0,
        "copies that are not waited for");
    fake->fail_call = "cuMemcpyDtoDAsync_v2";
    fake->fail_code = CUDA_ERROR_ILLEGAL_ADDRESS;
    tap_ok(
        fake_failed(rt->copy_async(dev, twin, ptr, 4, STFI_ON_DEVICE, stream),
                    STF_ERR_DEVICE, "copying 4 bytes", "ILLEGAL_ADDRESS"),
        "a failing one");
    rt->mem_free(dev, twin);
    rt->mem_free(dev, ptr);
    rt->host_free(dev, host);
    rt->host_free(dev, empty);
    rt->host_free(dev, NULL);
    rt->stream_destroy(dev, stream);
    rt->stream_destroy(dev, NULL);
    rt->close(dev);
    tap_ok(fake_balanced() && fake_nothing_left(), "and nothing is left");
}

static void test_no_streams(void)
{
    void *const sentinel = &fake_own_context;
    void *other = sentinel;
    stfi_gpu_dev *dev;

    fake_reset();
    dev = fake_open();
    fake->fail_call = "cuStreamCreate";
    fake->fail_code = CUDA_ERROR_OUT_OF_MEMORY;
    tap_ok(fake_failed(rt->stream_create(dev, &other), STF_ERR_MEMORY, "stream",
                       "")
               && other == sentinel,
           "no stream");
    fake->fail_call = "cuMemHostAlloc";
    tap_ok(fake_failed(rt->host_alloc(dev, 99, &other), STF_ERR_MEMORY,
                       "99 bytes", "page-locked")
               && other == sentinel,
           "no host memory");
    rt->close(dev);
    tap_ok(fake_balanced() && fake_nothing_left(), "and nothing is left");
}

static void test_graphs(void)
{
    const stfi_gpu_launch launch = {.blocks = 1, .threads = 32};
    fake_job j = {.dev = NULL};
    stfi_gpu_usage usage;
    double seconds = 0.0;
    stf_status status;

    fake_reset();
    j.dev = fake_open();
    tap_ok(!rt->load(j.dev, "image", 5, "stfk", &launch, &j.kernel, &usage),
           "a kernel to be captured");
    status = rt->time_work(j.dev, fake_work, &j, 5, 0, &seconds);
    tap_ok(!status && fabs(seconds / (5 * 6.25e-5) - 1.0) < 1e-3 && j.runs == 5
               && fake->launches == 5,
           "5 runs: %g s", seconds);
    fake->launches = j.runs = 0;
    status = rt->time_work(j.dev, fake_work, &j, 5, 1, &seconds);
    tap_ok(!status && fabs(seconds / (5 * 6.25e-5) - 1.0) < 1e-3 && j.runs == 5
               && fake->launches == 10,
           "5 runs, captured once and launched twice: %g s", seconds);
    rt->unload(j.dev, j.kernel);
    rt->close(j.dev);
    tap_ok(fake_balanced() && fake_nothing_left(), "and nothing is left");
}

/* Work that waits for the stream, which a graph cannot contain. */
static stf_status work_that_waits(void *arg, void *stream)
{
    fake_job *j = arg;

    return rt->sync(j->dev, stream);
}

static void test_failing_work(void)
{
    const stfi_gpu_launch launch = {.blocks = 1, .threads = 32};
    fake_job j = {.dev = NULL};
    stfi_gpu_usage usage;
    double seconds = -1.0;

    fake_reset();
    j.dev = fake_open();
    tap_ok(!rt->load(j.dev, "image", 5, "stfk", &launch, &j.kernel, &usage),
           "a kernel to be captured");
    fake->fail_call = "cuEventElapsedTime";
    fake->fail_code = CUDA_ERROR_LAUNCH_FAILED;
    tap_ok(fake_failed(rt->time_work(j.dev, fake_work, &j, 5, 0, &seconds),
                       STF_ERR_DEVICE, "timing", "LAUNCH_FAILED")
               && seconds == -1.0 && fake_balanced(),
           "failing events");
    fake->fail_call = NULL;
    j.fail_at = j.runs + 2;
    for (int replay = 0; replay < 2; replay++, j.fail_at = j.runs + 2)
        tap_ok(fake_failed(
                   rt->time_work(j.dev, fake_work, &j, 5, replay, &seconds),
                   STF_ERR_INTERNAL, "work that fails", "")
                   && seconds == -1.0 && fake_balanced(),
               "failing work, %s", replay ? "captured" : "run");
    tap_ok(
        fake_failed(rt->time_work(j.dev, work_that_waits, &j, 1, 1, &seconds),
                    STF_ERR_ARGUMENT, "captured", "")
            && seconds == -1.0,
        "work that waits: %s", stf_error_message());
    rt->unload(j.dev, j.kernel);
    rt->close(j.dev);
    tap_ok(fake_balanced() && fake_nothing_left(), "and nothing is left");
}

int main(void)
{
    tap_begin("cuda_rt");
    if (!fake_load())
        return tap_end();
    test_probe();
    test_open();
    test_describe();
    test_memory();
    test_failing_copies();
    test_load();
    test_bad_images();
    test_launch();
    test_streams();
    test_no_streams();
    test_graphs();
    test_failing_work();
    return tap_end();
}
