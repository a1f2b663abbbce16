/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The substitutes of HIP's libraries by which the HIP backend runs on a GPU of
 * NVIDIA: each call arrives at the CUDA driver, here a fake one, and kernels are
 * compiled by NVRTC. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/gpu/host/kernels/kernel_set.h"
#include "backends/hip/hip_rt.h"
#include "backends/hip/hip_rtc.h"
#include "base/alloc.h"
#include "base/status.h"
#include "support/problem/problem.h"
#include "tests/fake/fake_gpu.h"
#include "tests/fake/fake_path.h"
#include "tests/tap.h"

static const stfi_gpu_rt *const rt = &stfi_hip_rt;

static fake_gpu_state *fake;

typedef struct job {
    stfi_gpu_dev *dev;
    stfi_gpu_kernel *kernel;
} job;

static const stfi_gpu_launch one = {
    .blocks = 3, .threads = 64, .shared_bytes = 65536};

static stf_status launch(void *arg, void *stream)
{
    static const double number = 2.5;
    const job *j = arg;

    return rt->launch(j->dev, j->kernel, &one, &number, sizeof number, stream);
}

static void test_device(job *j)
{
    stf_device_info info;
    stfi_caps caps;

    tap_ok(!rt->open(0, &j->dev) && !strcmp(rt->arch(j->dev), "gfx1100")
               && !rt->describe(j->dev, &caps, &info) && caps.wave == 32
               && caps.block_bytes == 65536 && !strcmp(info.backend, "hip")
               && !strcmp(info.model, "NVIDIA H200"),
           "a device of HIP that is one of CUDA: %s", stf_error_message());
}

static void test_memory(const job *j)
{
    int number = 17, back = 0;
    void *ptr = NULL, *twin = NULL, *host = NULL, *stream = NULL;

    tap_ok(!rt->mem_alloc(j->dev, sizeof number, &ptr)
               && !rt->mem_alloc(j->dev, sizeof number, &twin)
               && !rt->host_alloc(j->dev, sizeof number, &host)
               && !rt->stream_create(j->dev, &stream) && fake->live_blocks == 3
               && fake->live_streams == 1,
           "memory and a stream");
    tap_ok(!rt->copy(j->dev, ptr, &number, sizeof number, STFI_TO_DEVICE, NULL)
               && !rt->copy_async(j->dev, twin, ptr, sizeof number,
                                  STFI_ON_DEVICE, stream)
               && !rt->copy(j->dev, &back, twin, sizeof number, STFI_TO_HOST,
                            stream)
               && back == 17 && !rt->sync(j->dev, NULL) && fake->waits == 3,
           "copies");
    rt->stream_destroy(j->dev, stream);
    rt->host_free(j->dev, host);
    rt->mem_free(j->dev, twin);
    rt->mem_free(j->dev, ptr);
    tap_ok(fake->live_blocks == 0 && fake->live_streams == 0, "released");
}

static void test_kernel(job *j)
{
    stfi_gpu_usage usage;
    double seconds = 0.0, number = 0.0;
    stf_status status;

    fake->code_args_bytes = sizeof number;
    tap_ok(!rt->load(j->dev, "image", 5, "stfk", &one, &j->kernel, &usage)
               && usage.registers == 64 && usage.local_bytes == 16
               && fake->max_dynamic == 65536,
           "a kernel: %s", stf_error_message());
    tap_ok(!launch(j, NULL) && fake->launches == 1 && fake->grid == 3
               && fake->block == 64 && fake->shared_bytes == 65536,
           "a launch: %s", stf_error_message());
    memcpy(&number, fake->args, sizeof number);
    tap_ok(number == 2.5, "its arguments");
    status = rt->time_work(j->dev, launch, j, 5, 1, &seconds);
    tap_ok(!status && fake->launches == 11
               && fabs(seconds / (5 * 6.25e-5) - 1.0) < 1e-3,
           "5 launches, captured once and launched twice: %g s", seconds);
    fake->fail_call = "cuLaunchKernel";
    fake->fail_code = hipErrorLaunchFailure;
    tap_ok(launch(j, NULL) == STF_ERR_DEVICE
               && strstr(stf_error_message(), "is lost"),
           "a launch that fails: %s", stf_error_message());
    fake->fail_call = NULL;
    rt->unload(j->dev, j->kernel);
    tap_ok(fake->live_modules == 0 && fake->live_events == 0
               && fake->live_graphs == 0 && fake->calls_outside == 0
               && fake->at_home(),
           "nothing is left");
}

/* A kernel of the library, compiled for CUDA as if for HIP. */
static void test_compiler(void)
{
    stfi_kernel_set set = {0, 0, NULL};
    void *image = NULL;
    char version[32];
    size_t bytes = 0;
    stfi_problem p;
    stf_status status;

    if (stfi_hip_rtc.version(version, sizeof version) != STF_OK) {
        tap_skip(stf_error_message(), "compiling");
        return;
    }
    status = stfi_problem_parse("c2c:f32:out:64*4096", &p);
    if (status == STF_OK)
        status = stfi_kernel_set_add(&set, &p.desc, stfi_preset_find("t4"),
                                     "gfx90a");
    if (tap_ok(!status && set.count > 0, "kernels of a problem")) {
        const stfi_gpu_spec *spec = &set.kernel[0]->spec;

        status = stfi_hip_rtc.compile("gfx90a", spec->entry, spec->config,
                                      &image, &bytes);
        tap_ok(!status && bytes > 64 && !memcmp(image, "\177ELF", 4), "%s: %s",
               spec->entry, status ? stf_error_message() : "compiled");
    }
    stfi_dealloc(image);
    stfi_kernel_set_free(&set);
}

int main(void)
{
    job j = {NULL, NULL};
    void *handle;

    tap_begin("hip_on_cuda");
    handle = dlopen(fake_path("libcuda.so"), RTLD_NOW | RTLD_LOCAL);
    setenv("STF_ON_CUDA_DRIVER", fake_path("libcuda.so"), 1);
    setenv("STEADFAST_HIP_DRIVER", fake_path("libamdhip64_on_cuda.so"), 1);
    setenv("STEADFAST_HIPRTC", fake_path("libhiprtc_on_cuda.so"), 1);
    fake = handle != NULL ? dlsym(handle, "fake_gpu") : NULL;
    if (!tap_ok(fake != NULL, "the fake CUDA driver"))
        return tap_end();
    fake->go_home();
    test_device(&j);
    if (j.dev != NULL) {
        test_memory(&j);
        test_kernel(&j);
        rt->close(j.dev);
    }
    test_compiler();
    return tap_end();
}
