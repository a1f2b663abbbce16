/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What `steadfast cache warm` compiles for a problem is all that a plan for it loads,
 * whatever its protection: on a fake driver, planning adds no kernel to the
 * cache. */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/cuda_rtc.h"
#include "backends/gpu/host/kernels/kernel_set.h"
#include "base/alloc.h"
#include "run/device.h"
#include "support/problem/gemm_problem.h"
#include "support/problem/problem.h"
#include "tests/fake/fake.h"
#include "tests/tap.h"

static const struct row {
    const char *problem;
    stf_ft_desc ft;
} rows[] = {
    {"c2c:f32:out:1000*64", {.mode = STF_FT_OFF}},
    {"c2c:f32:out:1024*64", {.mode = STF_FT_CORRECT, .end_to_end = 1}},
    {"c2c:f64:out:65536*4", {.mode = STF_FT_DETECT, .end_to_end = 1}},
    {"c2c:f16:out:60x40*9", {.mode = STF_FT_CORRECT, .end_to_end = 1}},
    {"c2c:f32:out:8*100", {.mode = STF_FT_CORRECT, .level = STF_FT_OFFLINE}},
    {"r2c:f64:in:14x360*5", {.mode = STF_FT_CORRECT}},
    {"r2c:f32:in:14x360*5", {.mode = STF_FT_CORRECT, .end_to_end = 1}},
    {"c2r:f32:out:1021*30", {.mode = STF_FT_CORRECT, .end_to_end = 1}},
    {"dct2:f32:out:64*90", {.mode = STF_FT_CORRECT, .end_to_end = 1}},
    {"gemm:f32:nn:64x64x64", {.mode = STF_FT_OFF}},
    {"gemm:f64:nt:64x64x9000", {.mode = STF_FT_CORRECT}},
    {"gemm:f16-f32:tn:2000x2000x2000", {.mode = STF_FT_DETECT}},
    {"gemm:f32:nn:4096x4096x4096", {.mode = STF_FT_CORRECT}},
    {"gemm:f32-split:nn:1024x1024x1024", {.mode = STF_FT_CORRECT}},
    {"gemm:f32:tt:70x60x50*3", {.mode = STF_FT_DETECT, .level = STF_FT_WARP}},
    {"gemm:f64:nn:300x200x100",
     {.mode = STF_FT_CORRECT, .level = STF_FT_OFFLINE}},
};

enum { ROWS = sizeof rows / sizeof *rows };

static int kernels;

static int count_kernel(const char *path, const struct stat *s, int kind,
                        struct FTW *at)
{
    (void)s, (void)at;
    kernels += kind == FTW_F && strstr(path, "nvrtc_") != NULL;
    return 0;
}

static int count_kernels(const char *folder)
{
    kernels = 0;
    return nftw(folder, count_kernel, 8, FTW_PHYS) == 0 ? kernels : -1;
}

static int remove_file(const char *path, const struct stat *s, int kind,
                       struct FTW *at)
{
    (void)s, (void)kind, (void)at;
    return remove(path);
}

/* stfi_kernel_source.get and usage: nothing spills. */
static stf_status get(void *arg, const stfi_gpu_key *key, void **image_p,
                      size_t *bytes_p)
{
    (void)arg;
    return stfi_gpu_image_get(&stfi_cuda_rtc, key, image_p, bytes_p, NULL);
}

static stf_status usage(const void *image, size_t bytes, const char *entry,
                        stfi_gpu_usage *usage_p)
{
    (void)image, (void)bytes, (void)entry;
    memset(usage_p, 0, sizeof *usage_p);
    return STF_OK;
}

/* A transform, or a product. */
typedef struct problem {
    int is_product;
    stfi_problem transform;
    stf_gemm_desc product;
} problem;

static stf_status parse(const struct row *r, problem *p)
{
    stf_status status;

    p->is_product = stfi_gemm_word(r->problem);
    status = p->is_product ? stfi_gemm_parse(r->problem, &p->product)
                           : stfi_problem_parse(r->problem, &p->transform);
    p->product.ft = p->transform.desc.ft = r->ft;
    return status;
}

/* Compiles the kernels that the problem has; returns their number. */
static int warm(const problem *p, const stf_device *dev)
{
    const stfi_kernel_source source = {get, NULL, usage};
    stfi_kernel_set set = {0, 0, NULL};
    stfi_caps caps;
    stf_status status = dev->backend->caps(dev->ctx, &caps);
    int count;

    if (status == STF_OK)
        status = p->is_product ? stfi_kernel_set_add_product(
                     &set, &p->product, &caps, fake_vendor.arch)
                               : stfi_kernel_set_add(&set, &p->transform.desc,
                                                     &caps, fake_vendor.arch);
    for (int i = 0; i < set.count && status == STF_OK; i++)
        status = stfi_kernel_get(set.kernel[i], &source);
    count = status == STF_OK ? set.count : 0;
    stfi_kernel_set_free(&set);
    return count;
}

static void test_row(const struct row *r, stf_device *dev, const char *folder)
{
    problem p;
    stf_plan *plan = NULL;
    int before, made, after;
    stf_status status = parse(r, &p);

    made = status == STF_OK ? warm(&p, dev) : 0;
    before = count_kernels(folder);
    if (made > 0)
        status = p.is_product ? stf_plan_gemm(dev, &p.product, &plan)
                              : stf_plan_fft(dev, &p.transform.desc, &plan);
    after = count_kernels(folder);
    if (!tap_ok(made > 0 && status == STF_OK && after == before,
                "%s%s: a plan has no more than the %d kernels that were "
                "compiled",
                r->problem, r->ft.end_to_end ? ", end to end" : "", made))
        tap_diag("%d kernels instead of %d; %s", after, before,
                 stf_error_message());
    stf_plan_destroy(plan);
}

int main(void)
{
    char folder[] = "/tmp/stf-warm-XXXXXX";
    stf_device *dev = NULL;

    tap_begin("warm");
    if (!tap_ok(mkdtemp(folder) != NULL, "a folder"))
        return tap_end();
    setenv("STEADFAST_CACHE_DIR", folder, 1);
    setenv("STEADFAST_NVRTC", fake_path("libnvrtc.so"), 1);
    if (fake_load()) {
        fake_reset();
        if (tap_ok(stf_device_open("cuda:0", &dev) == STF_OK, "a device"))
            for (int i = 0; i < ROWS; i++)
                test_row(&rows[i], dev, folder);
        stf_device_close(dev);
        tap_ok(fake_nothing_left(), "nothing is left");
    }
    nftw(folder, remove_file, 8, FTW_DEPTH | FTW_PHYS);
    return tap_end();
}
