/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Plans of matrix products as text; see plan_gemm.h. */
#include "tools/command/plan_gemm.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/status.h"
#include "gemm/gemm_desc.h"
#include "gemm/gemm_tiles.h"
#include "run/gemm/gemm_plan.h"
#include "tools/command/command.h"
#include "tools/command/product_options.h"

static stf_status plan_device(const char *device, const stf_gemm_desc *d)
{
    char text[4096];
    stf_device *dev = NULL;
    stf_plan *plan = NULL;
    stf_status status = stf_device_open(device, &dev);

    if (status == STF_OK)
        status = stf_plan_gemm(dev, d, &plan);
    if (status == STF_OK) {
        plan->class->describe(plan, text, sizeof text);
        fputs(text, stdout);
    }
    stf_plan_destroy(plan);
    stf_device_close(dev);
    return status;
}

/* Slabs go past registers on GPUs of NVIDIA from sm_80 on, whose units take BF16 and
 * whose kernels take no block memory of their own. */
static stf_status plan_preset(const char *preset, const stf_gemm_desc *d)
{
    const stfi_caps *caps = stfi_preset_find(preset);
    stf_gemm_desc full;
    stfi_gemm_tiling t;
    stfi_gemm g;
    stf_status status;

    if (caps == NULL || !caps->gpu)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--preset %s: matrix products are planned for "
                          "presets of GPUs",
                          preset);
    status = stfi_gemm_desc_complete(d, &full);
    if (status != STF_OK)
        return status;
    g = stfi_gemm_lower(&full);
    if (g.m == 0 || g.n == 0
        || !stfi_gemm_tiling_choose(&g, caps,
                                    (caps->matrix & STFI_MATRIX_BF16) != 0
                                        && caps->static_bytes == 0,
                                    SIZE_MAX, &t))
        return stfi_error(STF_ERR_UNSUPPORTED, "no tile fits");
    printf("tiles %" PRId64 "x%" PRId64 " of %dx%d, threads %d of %dx%d, "
           "%d slabs of %d steps, %" PRId64 " parts of %" PRId64
           "\npredicted %.4g us, %.4g GFLOP/s\n",
           t.tiles_m, t.tiles_n, t.tile.m, t.tile.n, t.threads, t.tile.thread_m,
           t.tile.thread_n, t.stages, t.steps, t.parts, t.part, t.seconds * 1e6,
           2e-9 * (double)g.m * (double)g.n * (double)g.k * (double)g.batch
               / t.seconds);
    return STF_OK;
}

/* A plan of a matrix product is no table of passes. */
static stf_status check_options(const stfi_args *args)
{
    if (stfi_args_given(args, STFI_OPT_CSV)
        || stfi_args_given(args, STFI_OPT_JSON))
        return stfi_error(STF_ERR_ARGUMENT,
                          "--csv and --json are for the passes of transforms; "
                          "the plan of a matrix product is text");
    if (stfi_args_given(args, STFI_OPT_SUITE))
        return stfi_error(STF_ERR_ARGUMENT,
                          "a word and --suite exclude each other");
    return stfi_product_options_check(args);
}

stf_status stfi_plan_gemm(const stfi_args *args, const stf_gemm_desc *product)
{
    const char *preset = stfi_args_text(args, STFI_OPT_PRESET, NULL);
    stf_gemm_desc d = *product;
    stf_status status = stfi_args_protection(args, STF_FT_DEFAULT, &d.ft);

    if (status != STF_OK)
        return status;
    return preset != NULL
               ? plan_preset(preset, &d)
               : plan_device(stfi_args_text(args, STFI_OPT_DEVICE, NULL), &d);
}

int stfi_plan_gemm_word(const stfi_args *args)
{
    stf_gemm_desc d;
    stf_status status = check_options(args);

    if (status == STF_OK)
        status = stfi_args_product(args, args->word[0], &d);
    if (status == STF_OK)
        status = stfi_plan_gemm(args, &d);
    return status == STF_OK ? STFI_EXIT_OK : stfi_exit_of(status);
}
