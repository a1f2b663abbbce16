/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A GPU backend when something fails, on a fake driver: each of the driver's
 * functions fails once, and nothing is leaked; several threads at once; no
 * driver, and one that is too old. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "run/device.h"
#include "tests/fake/fake.h"
#include "tests/tap.h"
#include "tests/unit/apart.h"

#define rt (fake_vendor.rt)

/* Uses every function of the driver once; returns the first failure. */
static stf_status use_everything(void)
{
    const stfi_gpu_launch launch = {1, 32, 100000, 0};
    stf_device_info info;
    stfi_gpu_usage usage;
    stfi_caps caps;
    fake_job j = {.dev = NULL};
    void *ptr = NULL, *host = NULL, *stream = NULL;
    double seconds;
    int value = 0;
    stf_status status = rt->open(0, &j.dev);

    if (status != STF_OK)
        return status;
    if ((status = rt->describe(j.dev, &caps, &info)) == STF_OK
        && (status = rt->mem_alloc(j.dev, sizeof value, &ptr)) == STF_OK
        && (status = rt->copy(j.dev, ptr, &value, sizeof value, STFI_TO_DEVICE,
                              NULL))
               == STF_OK
        && (status =
                rt->load(j.dev, "image", 5, "stfk", &launch, &j.kernel, &usage))
               == STF_OK
        && (status = rt->stream_create(j.dev, &stream)) == STF_OK
        && (status = rt->host_alloc(j.dev, sizeof value, &host)) == STF_OK
        && (status = rt->copy_async(j.dev, ptr, ptr, sizeof value,
                                    STFI_ON_DEVICE, stream))
               == STF_OK
        && (status = rt->time_work(j.dev, fake_work, &j, 1, 0, &seconds))
               == STF_OK
        && (status = rt->time_work(j.dev, fake_work, &j, 3, 1, &seconds))
               == STF_OK
        && (status = rt->sync(j.dev, NULL)) == STF_OK)
        status = rt->copy(j.dev, &value, ptr, sizeof value, STFI_TO_HOST, NULL);
    rt->host_free(j.dev, host);
    rt->stream_destroy(j.dev, stream);
    rt->unload(j.dev, j.kernel);
    rt->mem_free(j.dev, ptr);
    rt->close(j.dev);
    return status;
}

/* 1 if the failure of this call has no consequence for the caller. */
static int may_fail(const char *call)
{
    for (const char *const *c = fake_vendor.harmless; *c != NULL; c++)
        if (!strcmp(call, *c))
            return 1;
    return 0;
}

static void test_each_failure(void)
{
    for (const char *const *call = fake_vendor.calls; *call != NULL; call++) {
        stf_status status;
        int clean;

        /* If leaving fails, the device stays current, which cannot be
         * avoided. */
        if (!strcmp(*call, fake_vendor.leave))
            continue;
        fake_reset();
        fake->fail_call = *call;
        fake->fail_code = FAKE_LAUNCH_FAILED;
        status = use_everything();
        clean = fake_balanced()
                && (fake_nothing_left() || !strcmp(*call, fake_vendor.enter));
        tap_ok(clean
                   && (may_fail(*call)
                           ? status == STF_OK
                           : fake_failed(status, STF_ERR_DEVICE,
                                         fake_vendor.result(FAKE_LAUNCH_FAILED),
                                         "")),
               "%s fails", *call);
    }
    fake_reset();
    for (long at = 1; at <= 3; at++) {
        stf_status status;
        stfi_alloc_fail_at(at);
        status = use_everything();
        stfi_alloc_fail_at(0);
        tap_ok(status == (at <= 2 ? STF_ERR_MEMORY : STF_OK) && fake_balanced()
                   && fake_nothing_left(),
               "host allocation %ld fails", at);
    }
}

static void *many_times(void *arg)
{
    int *wrong = arg;

    fake->go_home();
    for (int i = 0; i < 50; i++)
        if (use_everything() != STF_OK || !fake->at_home())
            ++*wrong;
    return NULL;
}

static void test_threads(void)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    int wrong[THREADS] = {0}, all = 0;

    fake_reset();
    for (int t = 0; t < THREADS; t++)
        if (pthread_create(&thread[t], NULL, many_times, &wrong[t]))
            tap_diag("no thread");
    for (int t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        all += wrong[t];
    }
    tap_ok(all == 0 && fake->calls_outside == 0 && fake_nothing_left(),
           "%d threads at once", THREADS);
}

/* Hides GPUs of other vendors, which this machine may have, from "auto". */
static void hide_others(void)
{
    static const char *const variables[] = {"STEADFAST_CUDA_DRIVER",
                                            "STEADFAST_HIP_DRIVER"};

    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (strcmp(variables[i], fake_vendor.variable) != 0)
            setenv(variables[i], fake_vendor.none, 1);
}

/* "auto" chooses the cpu if the GPU does not open, but reports an error if the
 * user asks for something that does not exist. */
static void test_auto(void)
{
    stf_device *dev = NULL;
    char device[32];

    fake_reset();
    snprintf(device, sizeof device, "%s:0", fake_vendor.name);
    unsetenv("STEADFAST_DEVICE");
    tap_ok(!stf_device_open("auto", &dev)
               && !strcmp(dev->backend->name, fake_vendor.name),
           "auto is the GPU");
    stf_device_close(dev);
    dev = NULL;
    fake->fail_call = fake_vendor.properties;
    fake->fail_code = FAKE_LAUNCH_FAILED;
    tap_ok(!stf_device_open("auto", &dev) && !strcmp(dev->backend->name, "cpu"),
           "auto is the cpu where the GPU does not open");
    stf_device_close(dev);
    dev = NULL;
    tap_ok(fake_failed(stf_device_open(device, &dev), STF_ERR_DEVICE,
                       fake_vendor.result(FAKE_LAUNCH_FAILED), ""),
           "which is an error if it was asked for");
    fake_reset();
    setenv("STEADFAST_PRESET", "no such", 1);
    tap_ok(fake_failed(stf_device_open("auto", &dev), STF_ERR_ARGUMENT,
                       "STEADFAST_PRESET", "")
               && dev == NULL,
           "nor does auto pass over a bad variable");
    unsetenv("STEADFAST_PRESET");
}

/* ---------------------------------------------- drivers that cannot be used */

typedef struct driver {
    const char *file, *a, *b; /* file name; texts that the message must have */
} driver;

static int is_unusable(const void *arg)
{
    const driver *d = arg;
    stfi_gpu_dev *dev = NULL;
    const char *reason = "";
    int n = -1;

    setenv(fake_vendor.variable, d->file, 1);
    if (rt->probe(&n, &reason) != STF_OK || n != 0 || !strstr(reason, d->a)
        || !strstr(reason, d->b)) {
        tap_diag("probe: %d devices, \"%s\"", n, reason);
        return 0;
    }
    return fake_failed(rt->open(0, &dev), STF_ERR_DEVICE, ":0 is absent", d->a)
           && dev == NULL;
}

static void test_unusable(const char *file, const char *a, const char *b)
{
    const driver d = {file, a, b};

    tap_ok(apart_run(is_unusable, &d), "driver %s: %s", file, a);
}

/* 1 if the library does not try the driver that the variable names. */
static int is_ignored(const void *file)
{
    const char *reason = "";
    int n = -1;

    setenv(fake_vendor.variable, file, 1);
    return rt->probe(&n, &reason) == STF_OK && !strstr(reason, file);
}

int main(void)
{
    char name[32];

    snprintf(name, sizeof name, "%s_faults", fake_vendor.name);
    tap_begin(name);
    hide_others();
    apart_untrusted("the driver of a program with another user's rights",
                    is_ignored, fake_vendor.none);
    test_unusable(fake_vendor.none, fake_vendor.absent, fake_vendor.none);
    test_unusable(fake_path(fake_vendor.old_library), fake_vendor.old,
                  "update it");
    if (!fake_load())
        return tap_end();
    test_each_failure();
    test_auto();
    test_threads();
    return tap_end();
}
