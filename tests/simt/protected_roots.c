/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Products with the roots by which real to real transforms turn their elements;
 * see protected.h. Launches get a table of which one root has a wrong length, as
 * if a product with it were wrong each time. */
#include "tests/simt/protected.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backends/gpu/host/device/gpu_ctx.h"
#include "backends/gpu/kernels/fft/args.h"
#include "fft/tables/turn.h"
#include "run/fft/fft_plan.h"
#include "tests/report.h"
#include "tests/simt/simt.h"
#include "tests/tap.h"

/* The next launches: their table of roots, or NULL to fetch the plan's own. */
static struct {
    char *table; /* in device memory */
    char *host;
    size_t bytes;
    int fetches;
} roots;

static stf_status launch_with_roots(stfi_gpu_dev *dev, const stfi_gpu_kernel *k,
                                    const stfi_gpu_launch *launch,
                                    const void *args, size_t args_bytes,
                                    void *stream)
{
    stfk_args a;
    stf_status status = STF_OK;

    memcpy(&a, args, sizeof a);
    if (roots.fetches)
        status = stfi_simt_rt.copy(dev, roots.host, a.separate, roots.bytes,
                                   STFI_TO_HOST, stream);
    else
        a.separate = roots.table;
    return status != STF_OK
               ? status
               : stfi_simt_rt.launch(dev, k, launch, &a, args_bytes, stream);
}

static int execute(protected_run *r, stf_ft_report *report)
{
    stfi_trial_reset(&r->trial);
    return !stf_plan_ft_reset(r->guarded.plan)
           && !protected_execute(r, &r->guarded)
           && stf_plan_ft_report(r->guarded.plan, report) >= STF_OK;
}

/* Makes both components of a root of the table larger by a quarter. */
static void spoil(const protected_run *r, int64_t i)
{
    stf_precision precision = r->trial.full.precision;

    for (int64_t c = 2 * i; c < 2 * i + 2; c++)
        stfi_type_write(precision, roots.host, c,
                        stfi_type_read(precision, roots.host, c) * 1.25L);
}

static int is_in_place(const protected_run *r)
{
    return r->trial.problem.in_place;
}

static const char *output_of(const protected_run *r)
{
    return r->trial.array[is_in_place(r) ? 0 : 1].block;
}

/* 1 if a launch that has root i wrong is told, or has the right results. */
static int is_told(protected_run *r, int64_t i, size_t bytes)
{
    char *right = malloc(roots.bytes);
    stf_ft_report report = {0};
    int told = 0;

    if (right == NULL)
        return 0;
    memcpy(right, roots.host, roots.bytes);
    spoil(r, i);
    if (!stf_upload(r->dev, roots.table, roots.host, roots.bytes)
        && execute(r, &report))
        told = report.detected > 0 || !memcmp(r->want, output_of(r), bytes);
    if (!told)
        tap_diag("root %" PRId64 ": residual %.3f; %s", i, report.max_residual,
                 stf_error_message());
    memcpy(roots.host, right, roots.bytes);
    free(right);
    return told;
}

/* Counts the roots in the table of the plan's only pass by which it turns elements:
 * *count_p from *first_p on. Rows that separate or join spectra, too, have pairs of
 * them behind all others, and take no others. */
static void count_roots(const protected_run *r, int64_t *first_p,
                        int64_t *count_p)
{
    const stfi_pass *p = &stfi_fft_plan_of(r->guarded.plan)->schedule->pass[0];
    const int separates = p->op == STFI_OP_R2C || p->op == STFI_OP_C2R;

    *first_p = separates ? 2 * STFK_QUARTER_ROOTS(p->n) : 0;
    *count_p =
        separates ? 2 * (p->n / 2 + 1) : stfi_turn_count(stfi_turn_side(p));
    roots.bytes =
        (size_t)(2 * (*first_p + *count_p)) * r->trial.component_bytes;
}

/* Takes the table and the right results from a run without faults. */
static int open_roots(protected_run *r, size_t bytes)
{
    void *table = NULL;
    stf_ft_report report;

    r->want = malloc(bytes);
    roots.host = malloc(roots.bytes);
    roots.fetches = 1;
    if (r->want == NULL || roots.host == NULL
        || stf_malloc(r->dev, roots.bytes, &table) || !execute(r, &report)
        || !report_has_only(&report, 0))
        return 0;
    memcpy(r->want, output_of(r), bytes);
    roots.table = table;
    roots.fetches = 0;
    return 1;
}

static void check_roots(stf_device *dev, const char *word)
{
    static protected_run r;
    int right = protected_open(word, dev, STF_FT_DETECT, &r);
    stfi_gpu_rt rt = stfi_simt_rt;
    int64_t first = 0, count = 0;
    size_t bytes = 0;

    if (right) {
        bytes = (size_t)r.trial.array[is_in_place(&r) ? 0 : 1].components
                * r.trial.component_bytes;
        count_roots(&r, &first, &count);
        rt.launch = launch_with_roots;
        dev->ctx->rt = &rt;
        right = open_roots(&r, bytes);
    }
    for (int64_t i = 0; right && i < count; i++)
        right = is_told(&r, first + i, bytes);
    dev->ctx->rt = &stfi_simt_rt;
    tap_ok(right, "%s: a wrong product with any of %" PRId64 " roots is told",
           word, count);
    stf_free(dev, roots.table);
    free(roots.host);
    memset(&roots, 0, sizeof roots);
    protected_close(&r);
}

void protected_check_roots(void)
{
    static const char *const words[] = {
        "dct2:f32:out:16*3", "dct3:f64:out:20*2", "dct4:f32:in:32*3",
        "dst2:f64:in:15*2",  "dst3:f32:out:21*3", "dct2:f32:out:37*2",
        "dct3:f64:out:37*2", "dct3:f32:out:83*2", "dct2:f64:out:83*2",
        "dct2:f32:out:120",  "dct3:f64:out:84",   "dct4:f32:out:60"};
    stf_device *dev;

    if (stfi_simt_device_open("t4", &dev)) {
        tap_ok(0, "%s", stf_error_message());
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (tap_samples((int64_t)i))
            check_roots(dev, words[i]);
    stf_device_close(dev);
}
