/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Protected matrix products without faults: no alarm on data of many kinds, the
 * same bits as without protection, and what is counted where there is nothing
 * to compare with. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "support/problem/distribution.h"
#include "tests/gemm/rig.h"
#include "tests/tap.h"

/* ------------------------------------------------------------------- data */

static double normal(uint64_t *state)
{
    double total = 0;

    for (int i = 0; i < 12; i++)
        total += stfi_random_uniform(-0.5, 0.5, state);
    return total;
}

/* A kind of data: element (i, p) of op(A), or (p, i) of op(B) with `b` 1. */
typedef double kind(int b, int64_t i, int64_t p, uint64_t *state);

#define KIND(name, value)                                        \
    static double name(int b, int64_t i, int64_t p, uint64_t *s) \
    {                                                            \
        (void)b;                                                 \
        (void)i;                                                 \
        (void)p;                                                 \
        (void)s;                                                 \
        return value;                                            \
    }

KIND(is_normal, normal(s))
KIND(is_uniform, stfi_random_uniform(0, 1, s))
KIND(is_offset, 1000 + normal(s))
KIND(is_offset_in_a, (b ? 0 : 1000) + normal(s))
KIND(is_offset_in_b, (b ? 1000 : 0) + normal(s))
KIND(has_heavy_tails, normal(s) * pow(10, stfi_random_uniform(-3, 3, s)))
KIND(has_huge_row, normal(s) * (i == 5 ? 1e6 : 1))
KIND(has_columns, normal(s) * (b ? pow(10, (double)(i % 9) - 4) : 1))
KIND(is_tiny, normal(s) * 1e-21)
KIND(is_tinier, normal(s) * 0x1p-75)
KIND(is_big, normal(s) * 1e15)
KIND(is_sparse, stfi_random_uniform(0, 1, s) < 0.02 ? normal(s) : 0)
KIND(is_integer, floor(stfi_random_uniform(-8, 9, s)))
KIND(is_constant, 0.7)
KIND(is_constant_along_k, (double)(i % 17) - 8.3)
KIND(is_decaying, normal(s) * exp2(-(double)p / 16))
KIND(is_zero, 0)

static const struct {
    const char *name;
    kind *kind;
} kinds[] = {
    {"normal", is_normal},
    {"uniform", is_uniform},
    {"offset", is_offset},
    {"offset in A", is_offset_in_a},
    {"offset in B", is_offset_in_b},
    {"heavy tails", has_heavy_tails},
    {"huge row and column", has_huge_row},
    {"columns of many scales", has_columns},
    {"tiny", is_tiny},
    {"tinier", is_tinier},
    {"big", is_big},
    {"sparse", is_sparse},
    {"integers", is_integer},
    {"constant", is_constant},
    {"constant along k", is_constant_along_k},
    {"decaying", is_decaying},
    {"zero", is_zero},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static void fill(rig *r, kind *draw, uint64_t state)
{
    for (int64_t p = 0; p < r->full.k; p++) {
        for (int64_t i = 0; i < r->full.m; i++)
            rig_set(r, RIG_A, 0, i, p, draw(0, i, p, &state));
        for (int64_t j = 0; j < r->full.n; j++)
            rig_set(r, RIG_B, 0, p, j, draw(1, j, p, &state));
    }
}

/* ------------------------------------------------------------------ clean */

/* Executes with and without protection; returns 1 if the bits are the same and
 * nothing was detected. */
static int is_clean(stf_device *dev, rig *r, stf_gemm_desc d,
                    stf_ft_report *report)
{
    stf_plan *plan = NULL;
    void *plain = malloc(r->size[RIG_C]);
    int right;

    d.ft.mode = STF_FT_OFF;
    right = plain != NULL && stf_plan_gemm(dev, &d, &plan) == STF_OK
            && rig_execute(r, plan) == STF_OK;
    stf_plan_destroy(plan);
    if (right)
        memcpy(plain, r->memory[RIG_C], r->size[RIG_C]);
    for (int i = 0; i < 4 && right; i++) {
        plan = NULL;
        rig_restore(r);
        d.ft.mode = i & 1 ? STF_FT_CORRECT : STF_FT_DETECT;
        d.ft.level = i & 2 ? STF_FT_OFFLINE : STF_FT_AUTO;
        right = stf_plan_gemm(dev, &d, &plan) == STF_OK
                && rig_execute(r, plan) == STF_OK
                && stf_plan_ft_report(plan, report) == STF_OK
                && report->groups_checked > 0 && report->detected == 0
                && memcmp(plain, r->memory[RIG_C], r->size[RIG_C]) == 0;
        stf_plan_destroy(plan);
    }
    free(plain);
    return right;
}

/* Every kind of data in a few shapes. */
static void test_clean(stf_device *dev, const char *isa,
                       stf_precision precision)
{
    static const int64_t shapes[][3] = {{65, 70, 1},   {33, 129, 16},
                                        {130, 64, 70}, {37, 200, 401},
                                        {4, 1100, 64}, {16, 50, 3000}};
    const int count = tap_level() == TAP_QUICK ? 4 : 6;

    for (int k = 0; k < KINDS; k++) {
        int64_t checked = 0, rechecked = 0;
        double worst = 0;
        int right = 1;
        for (int s = 0; s < count && right; s++) {
            stf_gemm_desc d = stf_gemm_desc_default();
            stf_ft_report report = {.groups_checked = 0};
            rig r;
            d.precision = d.precision_c = precision;
            d.m = shapes[s][0];
            d.n = shapes[s][1];
            d.k = shapes[s][2];
            d.transa = (stf_transpose)(s & 1);
            d.transb = (stf_transpose)((s + k) >> 1 & 1);
            right = rig_make(&r, &d, 0, -1, 1);
            if (right) {
                fill(&r, kinds[k].kind, tap_seed() + (uint64_t)(97 * s + k));
                rig_scalars(&r, s & 1 ? 1.5 : 1, s & 1 ? -0.5 : 0);
                if (!(s & 1))
                    memset(r.before, 0, r.size[RIG_C]);
                rig_restore(&r);
                right = is_clean(dev, &r, d, &report);
            }
            checked += report.groups_checked;
            rechecked += report.rechecked;
            worst = fmax(worst, report.max_residual);
            rig_free(&r);
        }
        tap_ok(right, "%s f%d, %s: %d tiles, %d looked at again, largest %.2f",
               isa, precision == STF_F32 ? 32 : 64, kinds[k].name, (int)checked,
               (int)rechecked, worst);
    }
}

/* --------------------------------------------------------- special numbers */

/* What the report of a product says in mode CORRECT, and its status. */
static stf_status run(stf_device *dev, rig *r, stf_gemm_desc d,
                      stf_ft_report *report)
{
    stf_plan *plan = NULL;
    stf_status status;

    memset(report, 0, sizeof *report);
    d.ft.mode = STF_FT_CORRECT;
    status = stf_plan_gemm(dev, &d, &plan);
    if (status == STF_OK) {
        status = rig_execute(r, plan);
        stf_plan_ft_report(plan, report);
    }
    stf_plan_destroy(plan);
    return status;
}

static void test_special(stf_device *dev, stf_ft_level level)
{
    static const struct {
        const char *what;
        int matrix;
        double value;
        int64_t non_finite, overflowed;
    } rows[] = {
        {"NaN in A", RIG_A, NAN, 1, 0},
        {"NaN in B", RIG_B, NAN, 1, 0},
        {"Inf in A", RIG_A, INFINITY, 1, 0},
        {"Inf in B", RIG_B, INFINITY, 1, 0},
        {"a sum that overflows", RIG_A, 3e38, 0, 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stf_gemm_desc d = stf_gemm_desc_default();
        stf_ft_report report;
        rig r;
        int right;
        d.m = 40;
        d.n = 50;
        d.k = 30;
        d.ft.level = level;
        right = rig_make(&r, &d, 0, 1.0 / 64, tap_seed());
        rig_set(&r, rows[i].matrix, 0, 7, 8, rows[i].value);
        if (rows[i].overflowed)
            rig_set(&r, RIG_B, 0, 8, 3, 100);
        right = right && run(dev, &r, d, &report) == STF_OK;
        if (!tap_ok(right && report.non_finite_input == rows[i].non_finite
                        && report.overflowed == rows[i].overflowed
                        && report.detected == 0,
                    "%s is no fault, level %d", rows[i].what, (int)level))
            tap_diag("non-finite %d overflowed %d detected %d",
                     (int)report.non_finite_input, (int)report.overflowed,
                     (int)report.detected);
        rig_free(&r);
    }
}

/* Rounding errors that all go the same way, beyond the threshold: one tile is
 * looked at again, and the others then are not. */
static void test_coherent(stf_device *dev, stf_ft_level level)
{
    stf_gemm_desc d = stf_gemm_desc_default();
    stf_ft_report report;
    stf_status status = STF_ERR_INTERNAL;
    rig r;

    d.m = 64;
    d.n = 64;
    d.k = 20000;
    d.batch = 3;
    d.dist_a = d.dist_b = STF_SHARED;
    d.threads = 1;
    d.ft.level = level;
    if (rig_make(&r, &d, 0, 0, tap_seed())) {
        fill(&r, is_constant_along_k, 1);
        status = run(dev, &r, d, &report);
    }
    tap_ok(
        status == STF_OK && report.detected == 0 && report.rechecked == 1
            && report.max_residual > 1,
        "level %d: residuals of %.1f thresholds that are rounding: looked at "
        "%d times",
        (int)level, report.max_residual, (int)report.rechecked);
    rig_free(&r);
}

/* ------------------------------------------------------------------ plans */

static void test_plans(stf_device *dev)
{
    stf_gemm_desc d = stf_gemm_desc_default();
    stf_plan *plan = NULL;
    const struct {
        const char *text;
        stf_precision precision;
        stf_ft_desc ft;
    } rows[] = {
        {"f80", STF_F80, {.mode = STF_FT_CORRECT}},
        {"ft.level", STF_F32, {.mode = STF_FT_DETECT, .level = STF_FT_THREAD}},
        {"ft.level", STF_F32, {.mode = STF_FT_DETECT, .level = STF_FT_WARP}},
        {"ft.scheme",
         STF_F32,
         {.mode = STF_FT_DETECT, .scheme = STF_FT_SCHEME_TWO_SIDED}},
        {"ft.end_to_end", STF_F64, {.mode = STF_FT_DETECT, .end_to_end = 1}},
        {"ft.transactions",
         STF_F64,
         {.mode = STF_FT_DETECT, .transactions = 8}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        d.precision = d.precision_c = rows[i].precision;
        d.ft = rows[i].ft;
        tap_ok(stf_plan_gemm(dev, &d, &plan) == STF_ERR_UNSUPPORTED
                   && strstr(stf_error_message(), rows[i].text),
               "refused: %s", stf_error_message());
    }
}

/* STEADFAST_FT protects calls without a plan, too, and execution allocates
 * nothing. */
static void test_environment(stf_device *dev)
{
    float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, c[4];
    stf_gemm_desc d = stf_gemm_desc_default();
    stf_ft_report report = {.groups_checked = 0};
    stf_plan *plan = NULL;
    const float one = 1, zero = 0;
    int right;

    setenv("STEADFAST_FT", "correct", 1);
    right = stf_sgemm(dev, STF_ROW_MAJOR, STF_NOTRANS, STF_NOTRANS, 2, 2, 2, 1,
                      a, 2, b, 2, 0, c, 2)
                == STF_OK
            && c[0] == 19 && c[3] == 50;
    d.m = d.n = d.k = 2;
    right &= stf_plan_gemm(dev, &d, &plan) == STF_OK;
    unsetenv("STEADFAST_FT");
    stfi_alloc_fail_at(0);
    right &= stf_execute_gemm(plan, &one, a, b, &zero, c) == STF_OK
             && stfi_alloc_fail_at(0) == 0
             && stf_plan_ft_report(plan, &report) == STF_OK
             && report.groups_checked == 1;
    tap_ok(right, "STEADFAST_FT protects products");
    stf_plan_destroy(plan);
}

int main(void)
{
    static const char *const isas[] = {"base", "avx2", "avx512"};
    stf_device *dev = NULL;

    tap_begin("gemm/protected");
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        setenv("STEADFAST_ISA", isas[i], 1);
        if (stf_device_open("cpu", &dev) != STF_OK) {
            tap_skip("not in this build or processor", "products with %s",
                     isas[i]);
            continue;
        }
        test_clean(dev, isas[i], STF_F32);
        test_clean(dev, isas[i], STF_F64);
        stf_device_close(dev);
    }
    unsetenv("STEADFAST_ISA");
    if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "the cpu device opens"))
        return tap_end();
    test_special(dev, STF_FT_BLOCK);
    test_special(dev, STF_FT_OFFLINE);
    test_coherent(dev, STF_FT_BLOCK);
    test_coherent(dev, STF_FT_OFFLINE);
    test_plans(dev);
    test_environment(dev);
    stf_device_close(dev);
    return tap_end();
}
