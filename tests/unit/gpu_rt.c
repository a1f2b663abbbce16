/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The part of a GPU backend that calls its driver, on a fake driver: what it
 * asks for, how it reports errors, and that it leaves the caller's context or
 * device alone. What is one vendor's own is in cuda_rt.c and hip_rt.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "tests/fake/fake.h"
#include "tests/tap.h"
#include "tests/unit/gpu_rt.h"

#define rt (fake_vendor.rt)

/* A text for a message; it is valid until the next call. */
static const char *text_of(const char *format, const char *word)
{
    static char text[64];

    snprintf(text, sizeof text, format, word);
    return text;
}

/* "cuda:0" and what follows; valid until the next call. */
static const char *device_name(int index, const char *rest)
{
    static char text[64];

    snprintf(text, sizeof text, "%s:%d%s", fake_vendor.name, index, rest);
    return text;
}

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
    fake->fail_call = fake_vendor.init;
    fake->fail_code = FAKE_NO_DEVICE;
    tap_ok(!rt->probe(&n, &reason) && n == 0
               && strstr(reason, fake_vendor.result(FAKE_NO_DEVICE)),
           "none: %s", reason);
    fake->fail_code = 803;
    tap_ok(!rt->probe(&n, &reason) && n == 0 && strstr(reason, "does not start")
               && strstr(reason, "803"),
           "an old kernel module: %s", reason);
}

static void test_open(void)
{
    stfi_gpu_dev *const sentinel = (stfi_gpu_dev *)&fake_other;
    stfi_gpu_dev *dev = sentinel;

    fake_reset();
    tap_ok(fake_failed(rt->open(3, &dev), STF_ERR_ARGUMENT,
                       device_name(3, " does not exist"), "there is 1")
               && dev == sentinel,
           "no such device: %s", stf_error_message());
    fake->devices = 4;
    tap_ok(fake_failed(rt->open(-1, &dev), STF_ERR_ARGUMENT,
                       device_name(-1, ""), "there are 4")
               && dev == sentinel,
           "a negative one");
    fake->fail_call = fake_vendor.init;
    fake->fail_code = FAKE_NO_DEVICE;
    tap_ok(fake_failed(rt->open(0, &dev), STF_ERR_DEVICE,
                       device_name(0, " is absent"),
                       fake_vendor.result(FAKE_NO_DEVICE))
               && dev == sentinel,
           "no device: %s", stf_error_message());
    fake->fail_call = fake_vendor.properties;
    fake->fail_code = FAKE_OUT_OF_MEMORY;
    tap_ok(fake_failed(rt->open(0, &dev), STF_ERR_MEMORY, device_name(0, ""),
                       fake_vendor.result(FAKE_OUT_OF_MEMORY))
               && dev == sentinel,
           "no memory for a context: %s", stf_error_message());
    fake->fail_call = NULL;
    dev = NULL;
    tap_ok(!rt->open(3, &dev) && !strcmp(rt->arch(dev), fake_vendor.arch)
               && fake->live_contexts == fake_vendor.contexts,
           "the last one, %s", fake_vendor.arch);
    rt->close(dev);
    rt->close(NULL);
    tap_ok(fake_balanced() && fake_nothing_left(), "closed");
}

/* ------------------------------------------------------------------ memory */

static void test_memory(void)
{
    unsigned char out[100], in[sizeof out];
    void *const sentinel = &fake_other;
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
               && !rt->copy(dev, out, ptr, sizeof in, STFI_TO_HOST, &fake_other)
               && !memcmp(in, out, sizeof in) && fake->stream == &fake_other,
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
    fake->fail_call = fake_vendor.wait_stream;
    fake->fail_code = FAKE_ECC;
    tap_ok(fake_failed(rt->copy(dev, host, ptr, 8, STFI_TO_HOST, NULL),
                       STF_ERR_DEVICE, "uncorrectable ECC", "reset the device"),
           "a memory error: %s", stf_error_message());
    fake->fail_call = fake_vendor.on_device;
    fake->fail_code = FAKE_INVALID_VALUE;
    tap_ok(fake_failed(rt->copy(dev, twin, ptr, 1, STFI_ON_DEVICE, NULL),
                       STF_ERR_ARGUMENT, "copying 1 bytes within the device",
                       "pointer"),
           "within the device: %s", stf_error_message());
    fake->fail_call = fake_vendor.to_device;
    fake->fail_code = FAKE_INVALID_VALUE;
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

static void test_bad_images(void)
{
    stfi_gpu_kernel *const sentinel = (stfi_gpu_kernel *)&fake_other;
    stfi_gpu_kernel *kernel = sentinel;
    stfi_gpu_launch launch = {.threads = 256, .shared_bytes = 40000};
    stfi_gpu_usage usage = {-5, -1, -1, -1, -1};
    stfi_gpu_dev *dev;

    fake_reset();
    dev = fake_open();
    fake->fail_call = fake_vendor.load;
    fake->fail_code = FAKE_INVALID_IMAGE;
    tap_ok(
        fake_failed(rt->load(dev, "image", 5, "stfk", &launch, &kernel, &usage),
                    STF_ERR_COMPILE,
                    text_of("loading stfk for %s", fake_vendor.arch),
                    fake_vendor.result(FAKE_INVALID_IMAGE))
            && kernel == sentinel && usage.registers == -5,
        "a bad image: %s", stf_error_message());
    fake->fail_call = NULL;
    tap_ok(fake_failed(
               rt->load(dev, "image", 5, "absent", &launch, &kernel, &usage),
               STF_ERR_COMPILE, "absent", fake_vendor.result(FAKE_NOT_FOUND))
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
    {FAKE_LAUNCH_FAILED, STF_ERR_DEVICE, "is lost"},
    {FAKE_ILLEGAL_ADDRESS, STF_ERR_DEVICE, "as large as"},
    {FAKE_ECC, STF_ERR_DEVICE, "reset the device"},
    {FAKE_OUT_OF_MEMORY, STF_ERR_MEMORY, "smaller batch"},
    {FAKE_INVALID_HANDLE, STF_ERR_ARGUMENT, "stream"},
    {FAKE_CAPTURE, STF_ERR_ARGUMENT, "captured"},
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
    fake->code_args_bytes = sizeof args;
    dev = fake_open();
    tap_ok(!rt->load(dev, "image", 5, "stfk", &launch, &kernel, &usage)
               && !rt->launch(dev, kernel, &launch, &args, sizeof args,
                              &fake_other)
               && fake->launches == 1 && fake->grid == 12 && fake->block == 64
               && fake->shared_bytes == 9 && fake->stream == &fake_other
               && fake->args_bytes == sizeof args
               && !memcmp(fake->args, &args, sizeof args),
           "a launch as it was meant");
    tap_ok(!rt->sync(dev, NULL) && !rt->sync(dev, &fake_other), "awaited");
    fake->fail_call = fake_vendor.launch;
    for (size_t i = 0; i < sizeof launch_errors / sizeof *launch_errors; i++) {
        fake->fail_code = launch_errors[i].code;
        tap_ok(fake_failed(
                   rt->launch(dev, kernel, &launch, &args, sizeof args, NULL),
                   launch_errors[i].status, launch_errors[i].text,
                   "launching stfk, 12 blocks"),
               "%s", stf_error_message());
    }
    fake->fail_call = fake_vendor.wait_device;
    fake->fail_code = FAKE_LAUNCH_FAILED;
    tap_ok(fake_failed(rt->sync(dev, NULL), STF_ERR_DEVICE, device_name(0, ""),
                       fake_vendor.result(FAKE_LAUNCH_FAILED)),
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
    fake->fail_call = fake_vendor.on_device;
    fake->fail_code = FAKE_ILLEGAL_ADDRESS;
    tap_ok(
        fake_failed(rt->copy_async(dev, twin, ptr, 4, STFI_ON_DEVICE, stream),
                    STF_ERR_DEVICE, "copying 4 bytes",
                    fake_vendor.result(FAKE_ILLEGAL_ADDRESS)),
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
    void *const sentinel = &fake_other;
    void *other = sentinel;
    stfi_gpu_dev *dev;

    fake_reset();
    dev = fake_open();
    fake->fail_call = fake_vendor.stream_create;
    fake->fail_code = FAKE_OUT_OF_MEMORY;
    tap_ok(fake_failed(rt->stream_create(dev, &other), STF_ERR_MEMORY, "stream",
                       "")
               && other == sentinel,
           "no stream");
    fake->fail_call = fake_vendor.host_alloc;
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
    fake->fail_call = fake_vendor.elapsed;
    fake->fail_code = FAKE_LAUNCH_FAILED;
    tap_ok(fake_failed(rt->time_work(j.dev, fake_work, &j, 5, 0, &seconds),
                       STF_ERR_DEVICE, "timing",
                       fake_vendor.result(FAKE_LAUNCH_FAILED))
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
    tap_begin(text_of("%s_rt", fake_vendor.name));
    if (!fake_load())
        return tap_end();
    test_probe();
    test_open();
    vendor_describe();
    test_memory();
    test_failing_copies();
    vendor_load();
    test_bad_images();
    test_launch();
    test_streams();
    test_no_streams();
    test_graphs();
    test_failing_work();
    return tap_end();
}
