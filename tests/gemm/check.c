/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* stf_check_gemm(): products of any shape and layout are right, one wrong
 * element of them is found, and rounding, Inf and NaN in the data are no
 * error. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/type.h"
#include "tests/gemm/rig.h"
#include "tests/tap.h"

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(stfi_random_u64(state) % (uint64_t)n);
}

static stf_gemm_desc draw(uint64_t *state)
{
    stf_gemm_desc d = stf_gemm_desc_default();

    d.precision = (stf_precision)below(state, STF_F64 + 1);
    d.precision_c =
        below(state, 2) && d.precision < STF_F32 ? STF_F32 : d.precision;
    d.order = (stf_order)below(state, 2);
    d.transa = (stf_transpose)below(state, 3);
    d.transb = (stf_transpose)below(state, 3);
    d.m = 1 + below(state, 70);
    d.n = 1 + below(state, 70);
    d.k = 1 + below(state, 200);
    d.batch = 1 + below(state, 3);
    if (below(state, 2))
        d.lda = 210;
    if (below(state, 2))
        d.dist_b = STF_SHARED;
    if (below(state, 2))
        d.dist_c = -30000;
    return d;
}

static stf_status check(stf_device *dev, const stf_gemm_desc *d, const rig *r,
                        stf_ft_report *report)
{
    const char *before = (const char *)r->before
                         + ((char *)r->at[RIG_C] - (char *)r->memory[RIG_C]);

    memset(report, 0x55, sizeof *report);
    return stf_check_gemm(dev, d, &r->alpha, r->at[RIG_A], r->at[RIG_B],
                          &r->beta, before, r->at[RIG_C], report);
}

static int compute(stf_device *dev, const stf_gemm_desc *d, rig *r)
{
    stf_plan *plan = NULL;
    int right = stf_plan_gemm(dev, d, &plan) == STF_OK
                && rig_execute(r, plan) == STF_OK;

    stf_plan_destroy(plan);
    return right;
}

/* An element that is wrong by so many times what is usual for its row. */
static int is_found(stf_device *dev, const stf_gemm_desc *d, rig *r,
                    uint64_t *state)
{
    const int64_t member = below(state, r->full.batch);
    const int64_t i = below(state, r->full.m), j = below(state, r->full.n);
    const long double u =
        stfi_type_arithmetic(r->full.precision)->unit_roundoff;
    const long double h =
        r->full.precision_c < STF_F32
            ? stfi_type_get(r->full.precision_c)->unit_roundoff
            : 0;
    const long double k = (long double)r->full.k;
    const long double size = 4 * sqrtl((long double)(r->full.n * r->full.k));
    stf_ft_report report;

    rig_set(r, RIG_C, member, i, j,
            rig_get(r, RIG_C, member, i, j)
                + 20 * size * sqrtl(u * u * (k + 20) + h * h / 4));
    return check(dev, d, r, &report) == STF_OK && report.detected == 1
           && report.first_event.signal == member
           && report.first_event.residual > 1;
}

static void test_random(stf_device *dev)
{
    static const int counts[] = {40, 200, 2000};
    const int count = counts[tap_level()];
    uint64_t state = tap_seed();
    int clean = 0, found = 0;
    double worst = 0;

    for (int n = 0; n < count; n++) {
        const stf_gemm_desc d = draw(&state);
        stf_ft_report report;
        rig r;
        if (rig_make(&r, &d, 0, -1, stfi_random_u64(&state))) {
            rig_scalars(&r, 1, below(&state, 2) ? 0 : -1.5);
            clean += compute(dev, &d, &r)
                     && check(dev, &d, &r, &report) == STF_OK
                     && report.groups_checked == d.batch && report.detected == 0
                     && report.first_event.signal == -1;
            worst = fmax(worst, report.max_residual);
            found += is_found(dev, &d, &r, &state);
        }
        rig_free(&r);
    }
    tap_ok(clean == count, "%d products are right, residuals up to %.2f", count,
           worst);
    tap_ok(found == count, "a wrong element of each is found");
}

/* ------------------------------------------------------------------ data */

static void test_data(stf_device *dev)
{
    static const struct {
        const char *what;
        int matrix;
        double value;
        int64_t detected, non_finite;
    } rows[] = {
        {"constant data", -1, 0, 0, 0},      {"NaN in A", RIG_A, NAN, 0, 1},
        {"Inf in B", RIG_B, INFINITY, 0, 1}, {"NaN in C", RIG_C, NAN, 1, 0},
        {"Inf in C", RIG_C, INFINITY, 1, 0},
    };

    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        stf_gemm_desc d = stf_gemm_desc_default();
        stf_ft_report report;
        int right = 0;
        rig r;
        d.m = 20;
        d.n = 30;
        d.k = 5000;
        if (rig_make(&r, &d, 0, -1, tap_seed())) {
            for (int64_t p = 0; p < d.k; p++) {
                for (int64_t i = 0; i < d.m; i++)
                    rig_set(&r, RIG_A, 0, i, p, (double)(i % 7) - 2.3);
                for (int64_t j = 0; j < d.n; j++)
                    rig_set(&r, RIG_B, 0, p, j, (double)(j % 5) - 1.7);
            }
            if (rows[n].matrix == RIG_A || rows[n].matrix == RIG_B)
                rig_set(&r, rows[n].matrix, 0, 3, 2, rows[n].value);
            right = compute(dev, &d, &r);
            if (rows[n].matrix == RIG_C)
                rig_set(&r, RIG_C, 0, 3, 2, rows[n].value);
            right = right && check(dev, &d, &r, &report) == STF_OK
                    && report.detected == rows[n].detected
                    && report.non_finite_input == rows[n].non_finite;
        }
        tap_ok(right, "%s", rows[n].what);
        rig_free(&r);
    }
}

/* ------------------------------------------------------------- arguments */

static void test_arguments(stf_device *dev)
{
    stf_gemm_desc d = stf_gemm_desc_default(), f80 = d, empty = d;
    const float x[1] = {2}, y[1] = {6}, one = 1, zero = 0, c[1] = {2};
    stf_ft_report report;

    f80.precision = f80.precision_c = STF_F80;
    empty.m = 0;
#define CHECK(...) stf_check_gemm(__VA_ARGS__, &report)
    tap_ok(CHECK(dev, &d, &one, x, x, &one, c, y) == STF_OK
               && report.detected == 0,
           "2 = 6 - 2 x 2");
    tap_ok(CHECK(dev, &d, &one, x, x, &zero, NULL, y) == STF_OK
               && report.detected == 1,
           "6 is not 2 x 2");
    tap_ok(CHECK(dev, &d, &zero, NULL, NULL, &one, y, y) == STF_OK
               && report.detected == 0,
           "A and B are not needed if alpha is 0");
    tap_ok(CHECK(dev, &empty, &one, NULL, NULL, &one, NULL, NULL) == STF_OK
               && report.detected == 0,
           "nothing is right");
    tap_ok(CHECK(NULL, &d, &one, x, x, &one, c, y) == STF_ERR_ARGUMENT
               && CHECK(dev, NULL, &one, x, x, &one, c, y) == STF_ERR_ARGUMENT
               && CHECK(dev, &d, NULL, x, x, &one, c, y) == STF_ERR_ARGUMENT
               && CHECK(dev, &d, &one, NULL, x, &one, c, y) == STF_ERR_ARGUMENT
               && CHECK(dev, &d, &one, x, NULL, &one, c, y) == STF_ERR_ARGUMENT
               && CHECK(dev, &d, &one, x, x, NULL, c, y) == STF_ERR_ARGUMENT
               && CHECK(dev, &d, &one, x, x, &one, NULL, y) == STF_ERR_ARGUMENT
               && CHECK(dev, &d, &one, x, x, &one, c, NULL) == STF_ERR_ARGUMENT
               && stf_check_gemm(dev, &d, &one, x, x, &one, c, y, NULL)
                      == STF_ERR_ARGUMENT,
           "arguments that are missing");
    tap_ok(CHECK(dev, &f80, &one, x, x, &one, c, y) == STF_ERR_UNSUPPORTED,
           "refused: %s", stf_error_message());
#undef CHECK
}

int main(void)
{
    stf_device *dev = NULL;

    tap_begin("gemm/check");
    if (tap_ok(stf_device_open("cpu", &dev) == STF_OK,
               "the cpu device opens")) {
        test_random(dev);
        test_data(dev);
        test_arguments(dev);
    }
    stf_device_close(dev);
    return tap_end();
}
