/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Short transforms of the cpu, whose executions are brief: all lengths up to 64
 * and some more, of one to three arrays, in all precisions and instruction sets,
 * beside the definition; and calls that must not be brief. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>
#include <string.h>

#include "backends/cpu/compact/cpu_compact.h"
#include "backends/cpu/cpu_pass.h"
#include "base/type.h"
#include "fft/desc.h"
#include "run/fft/fft_plan.h"
#include "support/oracle/naive.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

enum { MOST = 256, BATCHES = 3, PAD = 8, REALS = 2 * (MOST + PAD) * BATCHES };

/* Arrays, of which no more may be written than the transforms' elements. */
static _Alignas(64) unsigned char in[16 * REALS], out[16 * REALS],
    before[16 * REALS];
static long double want[REALS];

/* Says whether bytes between the arrays and behind them are as they were. */
static int is_rest_kept(const stf_fft_desc *full, size_t bytes)
{
    for (size_t i = 0; i < sizeof out; i++) {
        size_t row = i / ((size_t)full->out.dist * bytes);
        size_t at = i % ((size_t)full->out.dist * bytes);
        if ((row >= (size_t)full->batch || at >= (size_t)full->n[0] * bytes)
            && out[i] != before[i])
            return 0;
    }
    return 1;
}

/* Executes and gets the error in units of the bound; a huge one if the call
 * fails or writes elsewhere. */
static double error_of(stf_plan *plan, const stf_fft_desc *full,
                       stf_direction direction, int in_place, uint64_t *state)
{
    const size_t bytes = 2 * stfi_type_get(full->precision)->bytes;

    stfi_random_fill(full->precision, in, 2 * full->batch * full->in.dist,
                     state);
    memset(out, 0x5a, sizeof out);
    if (in_place)
        memcpy(out, in, REALS * bytes / 2);
    memcpy(before, out, sizeof out);
    if (stf_execute(plan, direction, in_place ? out : in, out) != STF_OK
        || stfi_naive_fft(full, direction, in, want) != STF_OK
        || !is_rest_kept(full, bytes))
        return 1e9;
    return (double)stfi_naive_error(full, out, want) / stfi_naive_bound(full);
}

/* The bound is for the mean of many elements, so that few of them are drawn
 * several times. */
static int is_right(stf_plan *plan, const stf_fft_desc *full,
                    stf_direction direction, int in_place)
{
    uint64_t state = tap_seed() + (uint64_t)full->n[0];
    const int draws = full->n[0] < 8 ? 8 : full->n[0] < 32 ? 3 : 1;
    double sum = 0.0;

    for (int i = 0; i < draws; i++) {
        double error = error_of(plan, full, direction, in_place, &state);
        sum += error * error;
    }
    return sum <= draws;
}

static int is_brief(const stf_plan *plan)
{
    return stfi_fft_plan_of(plan)->brief[0].as.run != NULL;
}

/* 1 if n elements have butterflies, or one for all of them: their arrays are
 * computed in one go. */
static int has_kernels(int64_t n)
{
    static const int primes[] = {2, 3, 5, 7, 11, 13};

    if (n <= 30)
        return 1;
    for (int i = 0; i < 6; i++)
        while (n > 1 && n % primes[i] == 0)
            n /= primes[i];
    return n == 1;
}

/* All ways to execute a plan. */
static int is_plan_right(stf_device *dev, const stf_fft_desc *d)
{
    stf_plan *plan;
    stf_fft_desc full;
    int right;

    if (stfi_desc_complete(d, &full) != STF_OK
        || stf_plan_fft(dev, d, &plan) != STF_OK)
        return 0;
    right = d->batch > 1 || d->n[0] == 1 || !has_kernels(d->n[0])
            || is_brief(plan)
            || stfi_cpu_compact_find("base", d->precision, INT64_MAX) == NULL;
    for (int i = 0; i < 4; i++)
        right &=
            is_right(plan, &full, i % 2 ? STF_INVERSE : STF_FORWARD, i / 2);
    stf_plan_destroy(plan);
    return right;
}

/* The factor 1/3 is none of one real. */
static stf_fft_desc problem_of(stf_precision precision, int64_t n,
                               int64_t batch, int apart)
{
    stf_fft_desc d = stf_fft_desc_default();

    d.precision = precision;
    d.n[0] = n;
    d.batch = batch;
    d.in.dist = d.out.dist = apart ? n + 3 : 0;
    d.scale_inverse = apart ? 1.0 : 1.0 / 3.0;
    d.threads = 1;
    d.ft.mode = STF_FT_OFF;
    return d;
}

static void test_lengths(stf_device *dev, stf_precision precision,
                         const char *isa)
{
    int wrong = 0;

    for (int64_t n = 1; n <= MOST; n = n < 64 ? n + 1 : 2 * n)
        for (int i = 0; i < 2 * BATCHES; i++) {
            stf_fft_desc d = problem_of(precision, n, 1 + i / 2, i % 2);
            if (!is_plan_right(dev, &d) && wrong++ == 0)
                tap_diag("%d points, %d arrays, %s", (int)n, 1 + i / 2,
                         i % 2 ? "apart" : "packed");
        }
    tap_ok(wrong == 0, "%s %s: lengths up to 64, 128 and 256",
           stfi_type_get(precision)->name, isa);
}

/* Calls that are none of the plan's get their errors, and arrays that are not
 * aligned to vectors their results. */
static void test_calls(stf_device *dev)
{
    stf_fft_desc d = problem_of(STF_F32, 16, 1, 0), r2c = d, safe = d;
    stf_plan *plan = NULL, *real = NULL, *checked = NULL;

    r2c.kind = STF_R2C;
    safe.ft.mode = STF_FT_CORRECT;
    if (!tap_ok(stf_plan_fft(dev, &d, &plan) == STF_OK
                    && stf_plan_fft(dev, &r2c, &real) == STF_OK
                    && stf_plan_fft(dev, &safe, &checked) == STF_OK,
                "plans for calls"))
        return;
    tap_ok(
        stf_execute(NULL, STF_FORWARD, in, out) == STF_ERR_ARGUMENT
            && stf_execute(plan, STF_FORWARD, NULL, out) == STF_ERR_ARGUMENT
            && stf_execute(plan, STF_FORWARD, in, NULL) == STF_ERR_ARGUMENT
            && stf_execute(plan, (stf_direction)0, in, out) == STF_ERR_ARGUMENT
            && stf_execute(plan, STF_FORWARD, in + 2, out) == STF_ERR_ARGUMENT
            && stf_execute(plan, STF_FORWARD, in, out + 1) == STF_ERR_ARGUMENT
            && stf_execute(real, STF_INVERSE, in, out) == STF_ERR_ARGUMENT,
        "calls with wrong arguments");
    tap_ok(stf_execute(plan, STF_FORWARD, in + 4, out + 12) == STF_OK,
           "arrays that are aligned to their components only");
    tap_ok(is_brief(checked)
               || stfi_cpu_compact_find("base", d.precision, INT64_MAX) == NULL,
           "a protected plan has checks that are as brief");
    stf_plan_destroy(plan);
    stf_plan_destroy(real);
    stf_plan_destroy(checked);
}

int main(void)
{
    static const stf_precision precisions[] = {STF_F32, STF_F64};
    stf_device *dev;
    const char *isa;

    tap_begin("brief");
    for (int i = 0; (isa = stfi_cpu_isa_at(i)) != NULL; i++) {
        setenv("STEADFAST_ISA", isa, 1);
        if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "%s", isa))
            continue;
        for (int p = 0; p < 2; p++)
            test_lengths(dev, precisions[p], isa);
        if (i == 0)
            test_calls(dev);
        stf_device_close(dev);
    }
    return tap_end();
}
