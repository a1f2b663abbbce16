/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Clean lanes of few points: their residuals have a long tail, as the rounding
 * errors of their sums depend on how the data agree with the weights. The
 * threshold has to allow for that: few lanes may be suspect, and the largest
 * residual of some ten thousand lanes must leave room for that of 10^12. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "support/problem/problem.h"
#include "tests/simt/simt.h"
#include "tests/tap.h"

static const struct {
    const char *device; /* "cpu", or a preset that is emulated */
    stf_precision precision;
    int n;
    int lanes;
} rows[] = {
    {"h200", STF_F64, 2, 60000},  {"h200", STF_F32, 3, 60000},
    {"h200", STF_F32, 4, 60000},  {"h200", STF_F64, 9, 60000},
    {"h200", STF_F64, 13, 60000}, {"h200", STF_F32, 31, 20000},
    {"t4", STF_F32, 17, 30000},   {"h200", STF_F32, 62, 20000},
    {"cpu", STF_F32, 3, 400000},  {"cpu", STF_F64, 3, 400000},
    {"cpu", STF_F32, 7, 400000},  {"cpu", STF_F64, 16, 200000},
    {"cpu", STF_F32, 37, 100000},
};

/* A lane in so many may be suspect. */
enum { RARE = 4000 };

/* The number of lanes that the row has at this level. */
static int lanes_of(int row)
{
    return tap_level() == TAP_QUICK ? rows[row].lanes / 4 : rows[row].lanes;
}

static stf_status execute(stf_plan *plan, stf_device *dev, const void *data,
                          size_t bytes, stf_ft_report *report)
{
    void *in = NULL, *out = NULL;
    stf_status status = stf_malloc(dev, bytes, &in);

    if (status == STF_OK)
        status = stf_malloc(dev, bytes, &out);
    if (status == STF_OK)
        status = stf_upload(dev, in, data, bytes);
    if (status == STF_OK)
        status = stf_execute(plan, STF_FORWARD, in, out);
    if (status == STF_OK)
        status = stf_plan_ft_report(plan, report);
    stf_free(dev, in);
    stf_free(dev, out);
    return status;
}

static stf_status run(int row, stf_device *dev, stf_ft_report *report)
{
    uint64_t state = 20261123;
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *plan = NULL;
    size_t bytes;
    void *data;
    stf_status status;

    d.precision = rows[row].precision;
    d.n[0] = rows[row].n;
    d.batch = lanes_of(row);
    d.ft.mode = STF_FT_CORRECT;
    bytes = (size_t)(d.n[0] * d.batch) * (d.precision == STF_F64 ? 16 : 8);
    status = stfi_alloc_raw(bytes, "data", &data);
    if (status != STF_OK)
        return status;
    stfi_random_fill(d.precision, data, 2 * d.n[0] * d.batch, &state);
    status = stf_plan_fft(dev, &d, &plan);
    if (status == STF_OK)
        status = execute(plan, dev, data, bytes, report);
    stf_plan_destroy(plan);
    stfi_dealloc(data);
    return status;
}

static void check_row(int row)
{
    const char *name = rows[row].device;
    int cpu = !strcmp(name, "cpu");
    stf_ft_report report = {0};
    stf_device *dev = NULL;
    stf_status status =
        cpu ? stf_device_open(name, &dev) : stfi_simt_device_open(name, &dev);

    if (status == STF_OK)
        status = run(row, dev, &report);
    tap_ok(status == STF_OK && report.detected == 0
               && report.groups_checked == lanes_of(row)
               && report.max_residual < 0.8
               && report.rechecked <= lanes_of(row) / RARE,
           "%s, %s: %d lanes of %d points", name,
           rows[row].precision == STF_F64 ? "f64" : "f32", lanes_of(row),
           rows[row].n);
    tap_diag("status %d, largest residual %.3f, suspect %" PRId64, status,
             report.max_residual, report.rechecked);
    stf_device_close(dev);
}

int main(void)
{
    tap_begin("simt/tails");
    unsetenv("STEADFAST_PRESET");
    if (!tap_ok(stfi_simt_cache_open(), "a cache of kernels"))
        return tap_end();
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++)
        if (strcmp(rows[i].device, "cpu") != 0 && stfi_simt_missing())
            tap_skip(stfi_simt_missing(), "%s", rows[i].device);
        else
            check_row(i);
    stfi_simt_cache_close();
    return tap_end();
}
