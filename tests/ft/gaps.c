/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Transforms whose rows have gaps, which the cpu checks as a whole: padded rows, also
 * those of packed real transforms in place, and strided elements. Results have the bits
 * of unprotected plans, one that is wrong once is repaired, and what lies in gaps is
 * neither read nor written. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/cpu_executable.h"
#include "base/type.h"
#include "fft/desc.h"
#include "run/fft/fft_plan.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

enum { REALS = 1 << 15 };

/* Elements are `stride` apart, rows have `pad` more of them, and so has the batch.
 * Both 0: packed. */
typedef struct problem {
    stf_kind kind;
    stf_precision precision;
    int rank;
    int64_t n[3], batch, stride, pad;
    int in_place, threads;
} problem;

static const problem problems[] = {
    {STF_C2C, STF_F64, 3, {3, 12, 5}, 5, 1, 2, 0, 1},
    {STF_C2C, STF_F64, 3, {3, 12, 5}, 5, 1, 2, 1, 1},
    {STF_C2C, STF_F32, 2, {8, 7}, 1, 2, 0, 1, 1},
    {STF_C2C, STF_F32, 1, {4480}, 3, 2, 0, 1, 1},
    {STF_C2C, STF_F64, 2, {30, 20}, 6, 2, 3, 0, 2},
    {STF_DHT, STF_F32, 2, {2, 10}, 33, 2, 0, 0, 1},
    {STF_DCT2, STF_F64, 3, {3, 5, 23}, 3, 2, 0, 1, 1},
    {STF_DST4, STF_F32, 1, {10}, 1, 2, 0, 0, 1},
    {STF_HC2R, STF_F32, 3, {4, 3, 24}, 20, 1, 2, 0, 1},
    {STF_R2C, STF_F64, 2, {24, 10}, 7, 1, 1, 0, 1},
    {STF_C2R, STF_F32, 2, {9, 16}, 3, 1, 2, 0, 1},
    {STF_R2C, STF_F64, 2, {24, 10}, 7, 0, 0, 1, 1},
    {STF_C2R, STF_F32, 2, {24, 15}, 7, 0, 0, 1, 1},
    {STF_R2C, STF_F32, 1, {135}, 4, 0, 0, 1, 1},
    {STF_C2R, STF_F64, 1, {60}, 1, 0, 0, 1, 1},
    {STF_R2C, STF_F32, 1, {2}, 77, 0, 0, 1, 1},
    {STF_R2C, STF_F32, 1, {7}, 70, 0, 0, 1, 2},
    {STF_C2R, STF_F64, 1, {4}, 50, 0, 0, 1, 1},
    {STF_R2C, STF_F32, 2, {7, 3}, 40, 0, 0, 1, 1},
    {STF_R2C, STF_F64, 3, {2, 3, 2}, 30, 0, 0, 1, 1},
    {STF_C2C, STF_F32, 2, {3, 3}, 20, 1, 2, 0, 1},
};

static _Alignas(64) unsigned char memory[4][8 * REALS];

/* A place that is hit after the last pass, once. */
static struct {
    const stfi_cpu_kernels *real;
    stfi_cpu_kernels kernels;
    char *byte;
} strike;

static void struck_run(const stfi_cpu_pass *cp, const stfi_cpu_run *run,
                       int64_t begin, int64_t end)
{
    strike.real->run(cp, run, begin, end);
    if (strike.byte != NULL)
        *strike.byte ^= 0x40;
    strike.byte = NULL;
}

static void set_layout(const problem *p, int spectrum, stf_layout *l)
{
    int64_t step = p->stride;

    for (int a = p->rank - 1; a >= 0 && p->stride > 0; a--) {
        const int last = a == p->rank - 1;
        l->stride[a] = step;
        step *= last && spectrum ? p->n[a] / 2 + 1 : p->n[a];
        step += last ? p->pad : 0;
    }
    l->dist = step;
}

static stf_plan *plan_of(stf_device *dev, const problem *p, stf_ft_mode mode)
{
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *plan = NULL;

    d.kind = p->kind;
    d.precision = p->precision;
    d.rank = p->rank;
    memcpy(d.n, p->n, sizeof p->n);
    d.batch = p->batch;
    d.threads = p->threads;
    d.ft.mode = mode;
    set_layout(p, p->kind == STF_C2R, &d.in);
    set_layout(p, p->kind == STF_R2C, &d.out);
    return stf_plan_fft(dev, &d, &plan) == STF_OK ? plan : NULL;
}

static stfi_exec *exec_of(const problem *p, const stf_plan *plan)
{
    const stfi_fft_plan *own = stfi_fft_plan_of(plan);

    return p->in_place && own->padded != NULL ? own->padded : own->exec;
}

/* Executes from a copy of the data. Returns the status, or -100 if some bits differ
 * from those that are wanted. */
static int execute(const problem *p, stf_plan *plan, int is_first)
{
    const stf_direction direction =
        p->kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    unsigned char *in = memory[p->in_place ? 1 : 3], *out = memory[1];
    stf_status status;

    memset(out, 0x5a, sizeof memory[1]);
    memcpy(in, memory[0], sizeof memory[0]);
    status = stf_execute(plan, direction, in, out);
    if (is_first)
        memcpy(memory[2], out, sizeof memory[2]);
    return memcmp(out, memory[2], sizeof memory[2]) != 0 ? -100 : (int)status;
}

/* The sign and exponent of the first component. */
static char *byte_of(const problem *p)
{
    return (char *)memory[1] + stfi_type_get(p->precision)->bytes - 1;
}

/* A result that is wrong once is repaired. */
static int is_hit_told(const problem *p, stf_plan *plan)
{
    stfi_exec *x = exec_of(p, plan)->bare;
    const stfi_cpu_kernels **kernels = &x->pass[x->npasses - 1].kernels;
    int status;

    if (x->compact != NULL)
        return 1;
    strike.real = *kernels;
    strike.kernels = **kernels;
    strike.kernels.run = struck_run;
    strike.byte = byte_of(p);
    *kernels = &strike.kernels;
    status = execute(p, plan, 0);
    *kernels = strike.real;
    return status == STF_CORRECTED && strike.byte == NULL;
}

/* What was in gaps is there afterwards, and is of no account: it is NaN. */
static int is_right(const problem *p, stf_plan *off, stf_plan *correct)
{
    stf_ft_report report;

    if (!stfi_cpu_whole_is_made(&exec_of(p, correct)->whole)) {
        tap_diag("is not checked as a whole");
        return stfi_cpu_whole_find("base", p->precision, INT64_MAX) == NULL;
    }
    if (execute(p, off, 1) != STF_OK || execute(p, correct, 0) != STF_OK
        || stf_plan_ft_report(correct, &report) != STF_OK
        || report.groups_checked != p->batch || report.detected != 0)
        return 0;
    return is_hit_told(p, correct);
}

/* Fills the data, and what no element of the input is with NaN. */
static void fill(const problem *p, const stf_plan *plan)
{
    const stfi_exec *x = exec_of(p, plan);
    const stfi_ft_offline *check =
        &stfi_fft_plan_of(plan)
             ->whole[p->in_place && stfi_fft_plan_of(plan)->padded != NULL]
                    [p->kind == STF_C2R][0];
    const size_t bytes = stfi_type_get(p->precision)->bytes;
    const int64_t step = x->schedule.batch_stride[0];
    uint64_t state = tap_seed();
    stfi_cpu_spread s;

    memset(memory[0], 0xff, sizeof memory[0]);
    stfi_random_fill(p->precision, memory[3], REALS, &state);
    if (check->cache == NULL || !stfi_cpu_spread_find(&check->in, bytes, &s)
        || s.rank == 0) {
        memcpy(memory[0], memory[3], sizeof memory[0]);
        return;
    }
    for (int64_t i = 0; i < p->batch; i++) {
        const size_t at = (size_t)(i * step) * bytes;
        stfi_cpu_spread_copy(&s, 1, memory[3] + at, 0, memory[0] + at);
    }
}

static void test_problem(stf_device *dev, const problem *p, const char *isa)
{
    stf_plan *off = plan_of(dev, p, STF_FT_OFF);
    stf_plan *correct = plan_of(dev, p, STF_FT_CORRECT);
    int right = 0;

    if (off != NULL && correct != NULL) {
        fill(p, correct);
        right = is_right(p, off, correct);
    }
    tap_ok(right, "%s: %s %s %dx%dx%d*%d, stride %d, pad %d%s", isa,
           stfi_kind_get(p->kind)->name, stfi_type_get(p->precision)->name,
           (int)p->n[0], (int)p->n[1], (int)p->n[2], (int)p->batch,
           (int)p->stride, (int)p->pad, p->in_place ? ", in place" : "");
    stf_plan_destroy(off);
    stf_plan_destroy(correct);
}

int main(void)
{
    stf_device *dev;
    const char *isa;

    tap_begin("gaps");
    for (int i = 0; (isa = stfi_cpu_isa_at(i)) != NULL; i++) {
        setenv("STEADFAST_ISA", isa, 1);
        if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "%s", isa))
            continue;
        for (size_t p = 0; p < sizeof problems / sizeof *problems; p++)
            test_problem(dev, &problems[p], isa);
        stf_device_close(dev);
    }
    return tap_end();
}
