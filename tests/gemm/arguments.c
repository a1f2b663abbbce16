/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Wrong arguments to the calls that plan and execute matrix products: the
 * status, a message that says what was wrong, and outputs left as they were. */
#include <string.h>

#include "steadfast.h"
#include "support/harness/far.h"
#include "tests/tap.h"

enum { SIZE = 4 };

/* 1 if a call failed as it should, with a message that holds `text`. */
static int failed(stf_status got, stf_status want, const char *text)
{
    int right = got == want && strstr(stf_error_message(), text);

    if (!right)
        tap_diag("got %s, \"%s\"; want %s, \"..%s..\"", stf_status_name(got),
                 stf_error_message(), stf_status_name(want), text);
    return right;
}

static stf_gemm_desc small(void)
{
    stf_gemm_desc d = stf_gemm_desc_default();

    d.m = d.n = d.k = SIZE;
    d.precision = d.precision_c = STF_F64;
    return d;
}

static void test_plans(stf_device *dev)
{
    stf_gemm_desc d = small();
    stf_plan *plan = NULL;
    stf_device *far = NULL;

    tap_ok(
        failed(stf_plan_gemm(NULL, &d, &plan), STF_ERR_ARGUMENT, "dev")
            && failed(stf_plan_gemm(dev, NULL, &plan), STF_ERR_ARGUMENT,
                      "descriptor is NULL")
            && failed(stf_plan_gemm(dev, &d, NULL), STF_ERR_ARGUMENT, "plan_p"),
        "planning with NULLs");
    d.lda = 1;
    tap_ok(failed(stf_plan_gemm(dev, &d, &plan), STF_ERR_ARGUMENT, "lda")
               && plan == NULL,
           "planning with a wrong field: %s", stf_error_message());
    d.lda = 0;
    tap_ok(
        stfi_far_open("h200", &far) == STF_OK
            && failed(stf_plan_gemm(far, &d, &plan), STF_ERR_UNSUPPORTED, "cpu")
            && plan == NULL,
        "a device that has no products: %s", stf_error_message());
    stf_device_close(far);
    d.ft.mode = STF_FT_CORRECT;
    d.ft.level = STF_FT_THREAD;
    d.precision = d.precision_c = STF_F32;
    tap_ok(failed(stf_plan_gemm(dev, &d, &plan), STF_ERR_UNSUPPORTED,
                  "ft.level is STF_FT_THREAD")
               && plan == NULL,
           "a level that GPUs alone have: %s", stf_error_message());
    stf_gemm_desc_init(NULL, sizeof d);
    stf_gemm_desc_init(&d, 0);
    tap_ok(d.m == SIZE, "no descriptor to fill in");
}

/* Each argument wrong in turn. */
static void test_execute(stf_plan *plan)
{
    double a[SIZE * SIZE + 1] = {0}, b[SIZE * SIZE + 1] = {0};
    double c[SIZE * SIZE + 1] = {7}, one = 1, scalars[2] = {1, 1};
    const void *odd_scalar = (const char *)scalars + 4;
    char *odd_c = (char *)c + 4;
    const struct {
        const char *text;
        const void *alpha, *a, *b, *beta;
        void *c;
    } rows[] = {
        {"alpha is NULL", NULL, a, b, &one, c},
        {"beta is NULL", &one, a, b, NULL, c},
        {"a is NULL", &one, NULL, b, &one, c},
        {"b is NULL", &one, a, NULL, &one, c},
        {"c is NULL", &one, a, b, &one, NULL},
        {"alpha is not aligned", odd_scalar, a, b, &one, c},
        {"beta is not aligned", &one, a, b, odd_scalar, c},
        {"a is not aligned to 8", &one, (char *)a + 4, b, &one, c},
        {"b is not aligned to 8", &one, a, (char *)b + 2, &one, c},
        {"c is not aligned to 8", &one, a, b, &one, odd_c},
        {"c shares elements with a", &one, c + 1, b, &one, c},
        {"c shares elements with b", &one, a, c + 1, &one, c},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tap_ok(failed(stf_execute_gemm(plan, rows[i].alpha, rows[i].a,
                                       rows[i].b, rows[i].beta, rows[i].c),
                      STF_ERR_ARGUMENT, rows[i].text)
                   && failed(stf_execute_gemm_host(plan, rows[i].alpha,
                                                   rows[i].a, rows[i].b,
                                                   rows[i].beta, rows[i].c),
                             STF_ERR_ARGUMENT, rows[i].text)
                   && c[0] == 7,
               "%s", rows[i].text);
    tap_ok(failed(stf_execute_gemm_on(plan, &one, a, b, &one, c, odd_c, NULL),
                  STF_ERR_ARGUMENT, "workspace is not aligned"),
           "a misaligned workspace");
    tap_ok(failed(stf_execute_gemm(NULL, &one, a, b, &one, c), STF_ERR_ARGUMENT,
                  "plan is NULL"),
           "no plan");
}

/* Plans of products and of transforms are not mixed up. */
static void test_classes(stf_device *dev, stf_plan *product)
{
    double x[2] = {0}, y[2] = {0};
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *transform = NULL;
    stf_fault fault = {.pass = 0};

    tap_ok(failed(stf_execute(product, STF_FORWARD, x, y), STF_ERR_ARGUMENT,
                  "one of matrix products"),
           "a product is no transform: %s", stf_error_message());
    tap_ok(stf_plan_fft(dev, &d, &transform) == STF_OK
               && failed(stf_execute_gemm(transform, x, x, x, x, y),
                         STF_ERR_ARGUMENT, "one of transforms"),
           "a transform is no product: %s", stf_error_message());
    stf_plan_destroy(transform);
    tap_ok(failed(stf_plan_inject(product, &fault, 1), STF_ERR_ARGUMENT,
                  "not protected"),
           "no faults without protection");
}

static void test_describe(const stf_plan *plan)
{
    char text[512];

    tap_ok(stf_plan_describe(plan, text, sizeof text) == STF_OK
               && strstr(text, "f64 4x4x4*1") != NULL,
           "a plan describes itself: %.40s", text);
    tap_ok(failed(stf_plan_describe(plan, text, 8), STF_ERR_ARGUMENT, "needs"),
           "where there is room");
}

int main(void)
{
    stf_device *dev = NULL;
    stf_plan *plan = NULL;
    stf_gemm_desc d = small();

    tap_begin("gemm/arguments");
    if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "the cpu device opens"))
        return tap_end();
    test_plans(dev);
    if (tap_ok(stf_plan_gemm(dev, &d, &plan) == STF_OK, "a plan")) {
        test_execute(plan);
        test_classes(dev, plan);
        test_describe(plan);
    }
    stf_device_close(dev);
    tap_ok(stf_plan_workspace(plan) > 0, "a plan outlives its device");
    stf_plan_destroy(plan);
    return tap_end();
}
