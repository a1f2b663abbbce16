/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Residuals that lie in one component, as results and weights are real: columns
 * of odd real kinds, in mode DETECT. Of hundreds of thousands of clean lanes none
 * comes near its threshold. */
#include <stdlib.h>

#include "steadfast.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

enum { LANES = 50000 };

static const struct {
    const char *name;
    stf_kind kind;
    int n, quick;
} rows[] = {
    {"hc2r", STF_HC2R, 33, 8}, {"hc2r", STF_HC2R, 59, 2},
    {"dct3", STF_DCT3, 33, 2}, {"dst3", STF_DST3, 21, 2},
    {"dct3", STF_DCT3, 81, 0}, {"dct2", STF_DCT2, 57, 0},
    {"dht", STF_DHT, 45, 0},
};

static void fill(float *x, size_t count, uint64_t *state)
{
    for (size_t i = 0; i < count; i++)
        x[i] = (float)stfi_random_normal(state);
}

static void test_row(stf_device *dev, const char *isa, int i)
{
    const int runs = tap_level() == TAP_QUICK ? rows[i].quick : 8;
    const size_t count = (size_t)rows[i].n * LANES;
    float *x = malloc(count * sizeof *x), *y = malloc(count * sizeof *y);
    stf_fft_desc d = stf_fft_desc_default();
    uint64_t state = tap_seed() + (uint64_t)i;
    stf_ft_report r = {.detected = -1};
    stf_plan *plan = NULL;
    int failed;

    d.kind = rows[i].kind;
    d.n[0] = rows[i].n;
    d.batch = LANES;
    d.ft.mode = STF_FT_DETECT;
    d.in.stride[0] = d.out.stride[0] = LANES;
    d.in.dist = d.out.dist = 1;
    failed = x == NULL || y == NULL || stf_plan_fft(dev, &d, &plan) < 0;
    for (int k = 0; k < runs && !failed; k++) {
        fill(x, count, &state);
        failed = stf_execute_host(plan, STF_FORWARD, x, y) < 0;
    }
    failed = failed || stf_plan_ft_report(plan, &r) < 0;
    tap_ok(!failed && r.detected == 0 && r.max_residual > 0.2
               && r.max_residual < 0.85,
           "%s: %s of %d, %d lanes, residuals up to %.2f of the threshold", isa,
           rows[i].name, rows[i].n, (int)r.groups_checked, r.max_residual);
    stf_plan_destroy(plan);
    free(x);
    free(y);
}

static void test_isa(const char *isa)
{
    stf_device *dev = NULL;

    if (isa != NULL)
        setenv("STEADFAST_ISA", isa, 1);
    if (stf_device_open("cpu", &dev) < 0) {
        tap_ok(0, "%s", stf_error_message());
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].quick > 0 || tap_level() > TAP_QUICK)
            test_row(dev, isa != NULL ? isa : "this processor's best", (int)i);
    stf_device_close(dev);
}

int main(void)
{
    tap_begin("ft/lines");
    test_isa(NULL);
    test_isa("base");
    return tap_end();
}
