/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Which HIP runtime is loaded, what is read of one of ROCm 5, and which device
 * is the first where there are several backends. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/hip/hip_rt.h"
#include "base/status.h"
#include "run/device.h"
#include "support/harness/vendor.h"
#include "tests/fake/fake_gpu.h"
#include "tests/fake/fake_path.h"
#include "tests/tap.h"
#include "tests/unit/apart.h"

static const stfi_gpu_rt *const rt = &stfi_hip_rt;

/* Loads a fake library as a program would, and returns its state. */
static fake_gpu_state *load(const char *name)
{
    void *handle = dlopen(fake_path(name), RTLD_NOW | RTLD_LOCAL);

    return handle != NULL ? dlsym(handle, "fake_gpu") : NULL;
}

/* The runtime that the program has loaded is used, whatever the loader would
 * find: its devices are counted. */
static int is_of_program(const void *name)
{
    fake_gpu_state *fake = load(name);
    const char *reason = "";
    int n = 0;

    unsetenv("STEADFAST_HIP_DRIVER");
    if (fake == NULL)
        return 0;
    fake->devices = 5;
    return !rt->probe(&n, &reason) && n == 5 && !strcmp(reason, "");
}

/* The same where the loader would find a newer runtime, in a program of its own,
 * since the loader reads its path at the start: this one, run with a word. */
static int is_of_program_beside_newer(const void *arg)
{
    char folder[] = "/tmp/stf-hip.XXXXXX", path[64];
    char target[PATH_MAX], self[PATH_MAX], line[PATH_MAX + 16];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    int right;

    (void)arg;
    if (length <= 0 || mkdtemp(folder) == NULL
        || realpath(fake_path("libamdhip64.so"), target) == NULL)
        return 0;
    snprintf(path, sizeof path, "%s/libamdhip64.so.7", folder);
    self[length] = '\0';
    snprintf(line, sizeof line, "'%s' older", self);
    right = symlink(target, path) == 0
            && setenv("LD_LIBRARY_PATH", folder, 1) == 0 && system(line) == 0;
    unlink(path);
    rmdir(folder);
    return right;
}

/* Runtimes of ROCm 5 have the old properties only. */
static int is_of_rocm_5(const void *arg)
{
    stfi_gpu_dev *dev = NULL;

    (void)arg;
    setenv("STEADFAST_HIP_DRIVER", fake_path("libamdhip64-5.so"), 1);
    if (rt->open(0, &dev) != STF_OK || strcmp(rt->arch(dev), "gfx90a") != 0) {
        tap_diag("%s", dev != NULL ? rt->arch(dev) : stf_error_message());
        return 0;
    }
    rt->close(dev);
    return 1;
}

/* The names of the backends that fake drivers are set for, and the backend of
 * the first device. */
typedef struct order {
    int cuda, hip;
    const char *first;
} order;

static int is_in_order(const void *arg)
{
    const order *o = arg;
    stf_device *dev = NULL;
    int right;

    setenv("STEADFAST_CUDA_DRIVER",
           o->cuda ? fake_path("libcuda.so") : "/nowhere/libcuda.so.1", 1);
    setenv("STEADFAST_HIP_DRIVER",
           o->hip ? fake_path("libamdhip64.so") : "/nowhere/libamdhip64.so.6",
           1);
    unsetenv("STEADFAST_DEVICE");
    if (stf_device_open("auto", &dev) != STF_OK) {
        tap_diag("%s", stf_error_message());
        return 0;
    }
    right = !strcmp(dev->backend->name, o->first);
    if (!right)
        tap_diag("it is %s", dev->backend->name);
    stf_device_close(dev);
    return right;
}

/* A preset replaces limits; the code stays the device's, since AMD has none
 * that runs on others. Presets of another vendor are refused. */
static int takes_presets(const void *arg)
{
    stf_device *dev = NULL;
    stf_device_info info;
    stfi_caps caps;
    int right;

    (void)arg;
    setenv("STEADFAST_HIP_DRIVER", fake_path("libamdhip64.so"), 1);
    setenv("STEADFAST_PRESET", "mi300x", 1);
    if (stf_device_open("hip:0", &dev) != STF_OK) {
        tap_diag("%s", stf_error_message());
        return 0;
    }
    right = !dev->backend->caps(dev->ctx, &caps) && caps.units == 304
            && !stf_device_query(dev, &info) && !strcmp(info.arch, "gfx90a");
    stf_device_close(dev);
    setenv("STEADFAST_PRESET", "h200", 1);
    return right && stf_device_open("hip:0", &dev) == STF_ERR_ARGUMENT
           && strstr(stf_error_message(), "vendor");
}

/* What tests of devices do by HIP itself leaves the current device alone. */
static int is_driven_by_tests(const void *arg)
{
    stf_device_info info = {.backend = "hip", .name = "hip:0"};
    fake_gpu_state *fake = load("libamdhip64.so");
    const char *reason = "";
    void *stream, *graph;
    stfi_vendor *v;
    int right;

    (void)arg;
    setenv("STEADFAST_HIP_DRIVER", fake_path("libamdhip64.so"), 1);
    if (fake == NULL || (v = stfi_vendor_open(&info, &reason)) == NULL) {
        tap_diag("%s", reason);
        return 0;
    }
    fake->go_home();
    stream = stfi_vendor_stream(v);
    right = stream != NULL && stfi_vendor_capture(v, stream);
    graph = stfi_vendor_captured(v, stream);
    right &= graph != NULL && stfi_vendor_replay(v, graph, stream)
             && stfi_vendor_wait(v, stream) && fake->live_graphs == 1
             && fake->live_streams == 1 && fake->waits == 1;
    stfi_vendor_graph_destroy(v, graph);
    stfi_vendor_stream_destroy(v, stream);
    stfi_vendor_close(v);
    return right && fake->live_graphs == 0 && fake->live_streams == 0
           && fake->calls_outside == 0 && fake->at_home();
}

int main(int argc, char **argv)
{
    static const order orders[] = {
#ifdef HAVE_CUDA
        {1, 1, "cuda"},
        {1, 0, "cuda"},
#endif
        {0, 1, "hip"},
        {0, 0, "cpu"},
    };

    if (argc == 2 && !strcmp(argv[1], "older"))
        return !is_of_program("libamdhip64-5.so");
    tap_begin("hip_driver");
    tap_ok(apart_run(is_of_program, "libamdhip64.so"),
           "the runtime that the program uses");
    tap_ok(apart_run(is_of_program, "libamdhip64-5.so"), "an older one");
    tap_ok(apart_run(is_of_program_beside_newer, NULL),
           "that, where a newer one could be loaded");
    tap_ok(apart_run(is_of_rocm_5, NULL), "the architecture from ROCm 5");
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        tap_ok(apart_run(is_in_order, &orders[i]), "auto is %s with%s%s",
               orders[i].first, orders[i].cuda ? " CUDA" : "",
               orders[i].hip ? " HIP" : "");
    tap_ok(apart_run(takes_presets, NULL), "presets");
    tap_ok(apart_run(is_driven_by_tests, NULL), "streams and graphs of tests");
    return tap_end();
}
