/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Traps of matrix products; see trap_rows.h. */
#include "tests/gemm/trap_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/device.h"
#include "tests/gemm/rig.h"
#include "tests/tap.h"

enum { M = 37, N = 29, K = 19 };

static stf_gemm_desc square(int64_t m, int64_t n, int64_t k)
{
    stf_gemm_desc d = stf_gemm_desc_default();

    d.m = m;
    d.n = n;
    d.k = k;
    return d;
}

/* Makes arrays and plan of a descriptor. */
static int open_rig(stf_device *dev, const stf_gemm_desc *d, rig *r,
                    stf_plan **plan_p)
{
    *plan_p = NULL;
    return rig_make(r, d, 0, -1, tap_seed())
           && stf_plan_gemm(dev, d, plan_p) == STF_OK;
}

static void close_rig(rig *r, stf_plan *plan)
{
    stf_plan_destroy(plan);
    rig_free(r);
}

static void fill(rig *r, int matrix, int64_t rows, int64_t columns,
                 long double value)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            rig_set(r, matrix, 0, i, j, value);
}

/* Tells whether all of C is `value`, with its sign; NaN is NaN. */
static int is_all(const rig *r, long double value)
{
    for (int64_t j = 0; j < r->full.n; j++)
        for (int64_t i = 0; i < r->full.m; i++) {
            long double x = rig_get(r, RIG_C, 0, i, j);
            if (isnan(value) ? !isnan(x)
                             : x != value || signbit(x) != signbit(value))
                return 0;
        }
    return 1;
}

/* ---------------------------------------------------------------- scalars */

/* Matrices filled with one number each, and what C is then. NaN in an operand
 * that is not read must stay out. */
static const struct {
    const char *what;
    double alpha, a, b, beta, c, want;
} constants[] = {
    {"beta = 0 does not read C", 1, 1, 2, 0, NAN, 2 * K},
    {"nor if C is Inf", 2, 1, 1, 0, INFINITY, 2 * K},
    {"beta = -0 is 0", 1, 1, 1, -0.0, NAN, K},
    {"alpha = 0 does not read A", 0, NAN, 1, 2, 3, 6},
    {"nor B", 0, 1, INFINITY, 2, 3, 6},
    {"alpha = 0 and beta = 0 are 0", 0, NAN, NAN, 0, NAN, 0},
    {"alpha = 0 and beta = 1 leave C", 0, NAN, NAN, 1, -0.0, -0.0},
    {"alpha = 0, beta = 2 of NaN is NaN", 0, 1, 1, 2, NAN, NAN},
    {"a sum of -0 is +0", 1, -0.0, 1, 0, 5, 0},
    {"which is added to -0", 1, 0, 1, 1, -0.0, 0},
    {"NaN in A", 1, NAN, 0, 0, 0, NAN},
    {"NaN in B", 1, 0, NAN, 0, 0, NAN},
    {"0 times Inf", 1, 0, INFINITY, 0, 0, NAN},
    {"Inf in A", 1, INFINITY, 1, 0, 0, INFINITY},
    {"-Inf by alpha", -1, 1, INFINITY, 1, 1, -INFINITY},
    {"Inf in C", 1, 1, 1, -1, INFINITY, -INFINITY},
    {"Inf - Inf", 1, INFINITY, 1, -1, INFINITY, NAN},
    {"NaN as alpha", NAN, 1, 1, 1, 1, NAN},
    {"NaN as beta", 1, 1, 1, NAN, 1, NAN},
    {"a sum that overflows, though C would not", 0x1p-100, 0x1p100, 0x1p100, 0,
     0, INFINITY},
    {"denormal numbers", 1, 0x1p-149, 1, 1, 0x1p-149, 0x1p-149 * (K + 1)},
    {"denormal products", 1, 0x1p-75, 0x1p-74, 0, 0, 0x1p-149 * K},
};

static void test_constants(stf_device *dev, const char *name)
{
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        stf_gemm_desc d = square(M, N, K);
        stf_plan *plan;
        rig r;
        stf_status status = STF_ERR_INTERNAL;
        if (open_rig(dev, &d, &r, &plan)) {
            fill(&r, RIG_A, M, K, constants[i].a);
            fill(&r, RIG_B, K, N, constants[i].b);
            fill(&r, RIG_C, M, N, constants[i].c);
            rig_scalars(&r, constants[i].alpha, constants[i].beta);
            status = rig_execute_on(&r, plan, dev);
        }
        if (!tap_ok(status == STF_OK && is_all(&r, constants[i].want), "%s: %s",
                    name, constants[i].what))
            tap_diag("got %Lg, want %g", rig_get(&r, RIG_C, 0, 0, 0),
                     constants[i].want);
        close_rig(&r, plan);
    }
}

/* One NaN or Inf goes into its row or column of C and nowhere else, in
 * particular not from the zeros that fill strips. */
static void test_spread(stf_device *dev, const char *name)
{
    for (int which = 0; which < 4; which++) {
        stf_gemm_desc d = square(M, N, K);
        stf_plan *plan;
        rig r;
        int in_a = which & 1, right;
        d.transa = d.transb = which >> 1 ? STF_TRANS : STF_NOTRANS;
        right = open_rig(dev, &d, &r, &plan);
        rig_set(&r, in_a ? RIG_A : RIG_B, 0, in_a ? M - 1 : K / 2,
                in_a ? K / 2 : N - 1, which >> 1 ? NAN : INFINITY);
        right = right && rig_execute_on(&r, plan, dev) == STF_OK;
        for (int64_t j = 0; j < N && right; j++)
            for (int64_t i = 0; i < M; i++)
                right &= (in_a ? i == M - 1 : j == N - 1)
                         == !isfinite(rig_get(&r, RIG_C, 0, i, j));
        tap_ok(right, "%s: %s in %s spoils one %s of C", name,
               which >> 1 ? "NaN" : "Inf", in_a ? "A" : "B",
               in_a ? "row" : "column");
        close_rig(&r, plan);
    }
}

/* ------------------------------------------------------------------- sizes */

/* Many small products: more tiles than one dimension of a grid has on some
 * devices. */
static void test_many(stf_device *dev, const char *name, int64_t batch)
{
    stf_gemm_desc d = square(1, 1, 2);
    stf_plan *plan;
    rig_result found = {.touched = 1};
    rig r;

    d.batch = batch;
    if (open_rig(dev, &d, &r, &plan) && rig_execute_on(&r, plan, dev) == STF_OK)
        found = rig_compare(&r);
    tap_ok(found.bound <= 1 && !found.touched, "%s: a batch of %lld", name,
           (long long)batch);
    close_rig(&r, plan);
}

/* Steps that a float cannot count: ones are added up, with the sign of each
 * second one turned, and one more at the end. */
static void test_long(stf_device *dev, const char *name)
{
    const int64_t k = ((int64_t)1 << 24) + 3;

    for (int mode = STF_FT_OFF; mode <= STF_FT_CORRECT; mode += 2) {
        stf_gemm_desc d = square(1, 1, k);
        stf_ft_report report = {.detected = 0};
        stf_plan *plan;
        rig r;
        int right;
        d.ft.mode = (stf_ft_mode)mode;
        right = open_rig(dev, &d, &r, &plan);
        for (int64_t p = 0; p < k && right; p++) {
            rig_set(&r, RIG_A, 0, 0, p, p & 1 ? -1 : 1);
            rig_set(&r, RIG_B, 0, p, 0, 1);
        }
        right = right && rig_execute_on(&r, plan, dev) == STF_OK
                && rig_get(&r, RIG_C, 0, 0, 0) == 1;
        if (mode != STF_FT_OFF)
            right = right && stf_plan_ft_report(plan, &report) == STF_OK
                    && report.detected == 0;
        tap_ok(right, "%s: 2^24 + 3 steps of k, mode %d", name, mode);
        close_rig(&r, plan);
    }
}

/* A is B: allowed, as both are only read. */
static void test_same(stf_device *dev, const char *name)
{
    stf_gemm_desc d = square(33, 33, 33);
    const size_t bytes = sizeof(float) * 33 * 33;
    const float one = 1, zero = 0;
    stf_plan *plan;
    void *a = NULL, *c = NULL;
    rig r;
    int right;

    d.transb = STF_TRANS;
    right = open_rig(dev, &d, &r, &plan) && stf_malloc(dev, bytes, &a) == STF_OK
            && stf_malloc(dev, bytes, &c) == STF_OK
            && dev->backend->device->mem_copy(dev->ctx, a, r.memory[RIG_A],
                                              bytes, STFI_TO_DEVICE, NULL)
                   == STF_OK
            && stf_execute_gemm(plan, &one, a, a, &zero, c) == STF_OK
            && dev->backend->device->mem_copy(dev->ctx, r.memory[RIG_C], c,
                                              bytes, STFI_TO_HOST, NULL)
                   == STF_OK;
    memcpy(r.memory[RIG_B], r.memory[RIG_A], bytes);
    tap_ok(right && rig_compare(&r).bound <= 1, "%s: A times itself", name);
    stf_free(dev, a);
    stf_free(dev, c);
    close_rig(&r, plan);
}

/* ----------------------------------------------------------------- scalars */

/* Scalars in device memory count as they are when the product is computed. */
static void test_scalars(stf_device *dev, const char *name)
{
    const struct {
        double alpha, beta;
    } rows[] = {{2, -1}, {0, 3}, {-0.5, 0}, {0, 1}};
    stf_gemm_desc d = square(M, N, K);
    stf_plan *plan;
    rig r;
    int right;

    d.scalars = STF_ON_DEVICE;
    right = open_rig(dev, &d, &r, &plan);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && right; i++) {
        rig_result found;
        rig_restore(&r);
        rig_scalars(&r, rows[i].alpha, rows[i].beta);
        right = rig_execute_on(&r, plan, dev) == STF_OK;
        found = rig_compare(&r);
        right = right && found.bound <= 1 && !found.touched;
    }
    tap_ok(right, "%s: scalars that change between executions", name);
    close_rig(&r, plan);
}

/* The same bits whenever the same product is computed. */
static void test_repeats(stf_device *dev, const char *name)
{
    const int64_t shapes[][3] = {{70, 90, 130}, {33, 17, 3000}, {1, 200, 700}};

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        stf_gemm_desc d = square(shapes[i][0], shapes[i][1], shapes[i][2]);
        stf_plan *plan;
        void *first = NULL;
        rig r;
        int right = open_rig(dev, &d, &r, &plan)
                    && (first = malloc(r.size[RIG_C])) != NULL
                    && rig_execute_on(&r, plan, dev) == STF_OK;
        if (right)
            memcpy(first, r.memory[RIG_C], r.size[RIG_C]);
        for (int n = 0; n < 3 && right; n++) {
            rig_restore(&r);
            right = rig_execute_on(&r, plan, dev) == STF_OK
                    && memcmp(first, r.memory[RIG_C], r.size[RIG_C]) == 0;
        }
        tap_ok(right, "%s: %dx%dx%d has the same bits each time", name,
               (int)d.m, (int)d.n, (int)d.k);
        free(first);
        close_rig(&r, plan);
    }
}

void traps_on(stf_device *dev, const char *name, int large)
{
    test_constants(dev, name);
    test_spread(dev, name);
    test_same(dev, name);
    test_scalars(dev, name);
    test_repeats(dev, name);
    test_many(dev, name, large ? 70001 : 700);
    if (large)
        test_long(dev, name);
}
