/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Short transforms that the cpu checks as a whole: the bits of unprotected plans,
 * in every instruction set, in a workspace full of NaN and at any address; and what
 * becomes of faults. Faults of registers are those of tests/flip; here memory is
 * hit between the transform and its verdict, by functions that stand before those
 * of the check. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/cpu_executable.h"
#include "base/type.h"
#include "run/fft/fft_plan.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

enum { REALS = 1 << 16, SPARE = 16 };

typedef struct problem {
    stf_kind kind;
    stf_precision precision;
    int rank;
    int64_t n[2], batch;
    int threads;
} problem;

/* The sides have all forms of weights, with rows that vectors fill and that they do
 * not, alone, in joint sums of two to four, in several pieces, and in passes: in one
 * chunk and in many, in pieces of many rows and of one, and on two threads. */
static const problem problems[] = {
    {STF_C2C, STF_F32, 1, {64}, 1, 1},
    {STF_C2C, STF_F64, 1, {105}, 1, 1},
    {STF_C2C, STF_F32, 1, {8}, 1, 1},
    {STF_C2C, STF_F32, 1, {1287}, 3, 1},
    {STF_C2C, STF_F64, 1, {37}, 1, 1},
    {STF_C2C, STF_F32, 1, {7}, 1, 1},
    {STF_C2C, STF_F32, 1, {16}, 1, 1},
    {STF_C2C, STF_F64, 1, {9}, 1, 1},
    {STF_C2C, STF_F64, 1, {33}, 1, 1},
    {STF_C2C, STF_F64, 2, {12, 10}, 2, 1},
    {STF_R2HC, STF_F64, 1, {14}, 333, 1},
    {STF_DCT2, STF_F32, 1, {100}, 1, 1},
    {STF_R2C, STF_F32, 1, {60}, 5, 1},
    {STF_C2R, STF_F64, 1, {48}, 2, 1},
    {STF_R2C, STF_F64, 1, {2048}, 2, 1},
    {STF_C2C, STF_F32, 2, {60, 70}, 1, 1},
    {STF_C2C, STF_F32, 2, {8, 8}, 500, 1},
    {STF_C2C, STF_F64, 2, {64, 64}, 7, 1},
    {STF_R2C, STF_F32, 1, {20000}, 3, 1},
    {STF_C2C, STF_F64, 2, {64, 64}, 8, 2},
    {STF_R2C, STF_F32, 1, {3}, 1, 1},
    {STF_C2R, STF_F32, 1, {2}, 1, 1},
    {STF_DCT2, STF_F32, 1, {3}, 3, 1},
    {STF_C2C, STF_F32, 1, {200}, 40, 1},
};

/* Rows of which passes check the longer ones in pieces; a copy of what is overwritten,
 * and so checks as a whole, are for those in place. */
static const problem in_place[] = {
    {STF_C2C, STF_F64, 1, {6}, 333, 1},   {STF_C2C, STF_F32, 1, {8}, 101, 1},
    {STF_C2C, STF_F32, 1, {21}, 77, 2},   {STF_C2C, STF_F64, 1, {64}, 40, 1},
    {STF_C2C, STF_F32, 1, {1024}, 19, 1},
};

/* What happens between the transform and the verdict, once. */
static struct {
    const stfi_cpu_whole_kernels *real;
    stfi_cpu_whole_kernels kernels;
    stfi_cpu_whole_judge *judge[2]; /* of each direction */
    const stfi_cpu_whole_side *backward;
    char *output, *input; /* the bytes that are hit, or NULL */
    atomic_int hits, skips;
} strike;

/* The input, the output, and what that should be. */
static _Alignas(64) unsigned char memory[3][8 * (REALS + SPARE)];

/* Strikes before the first row is judged, whose thread has computed it. */
static void hit(const void *dst)
{
    if (dst != memory[1] || atomic_fetch_sub(&strike.hits, 1) <= 0)
        return;
    if (strike.output != NULL)
        *strike.output ^= 0x40;
    if (strike.input != NULL)
        *strike.input ^= 0x40;
}

static int struck_judge(const stfi_cpu_whole_side *out, const void *dst,
                        const void *terms, const stfi_cpu_whole_limit *limit,
                        double *worst)
{
    hit(dst);
    return strike.judge[out == strike.backward](out, dst, terms, limit, worst);
}

static int64_t struck_judge_rows(const stfi_cpu_whole_side *out,
                                 const void *dst, int64_t first, int64_t rows,
                                 const void *terms,
                                 const stfi_cpu_whole_limit *limit,
                                 double *worst)
{
    hit(dst);
    return strike.real->judge_rows(out, dst, first, rows, terms, limit, worst);
}

/* Leaves out the last row. */
static int64_t struck_enter_rows(const stfi_cpu_whole_side *in, const void *src,
                                 int64_t rows, void *terms, uint64_t *bits)
{
    return strike.real->enter_rows(
        in, src, rows - (atomic_fetch_sub(&strike.skips, 1) > 0), terms, bits);
}

static stfi_exec *exec_of(const stf_plan *plan)
{
    return stfi_fft_plan_of(plan)->exec;
}

static void set_strike(const stf_plan *plan, char *output, char *input,
                       int hits, int skips)
{
    stfi_cpu_whole *w = &exec_of(plan)->whole;

    strike.real = w->kernels;
    strike.kernels = *w->kernels;
    strike.backward = &w->way[1].side[1];
    for (int d = 0; d < 2; d++) {
        strike.judge[d] = w->way[d].side[1].judge;
        w->way[d].side[1].judge = struck_judge;
    }
    strike.kernels.judge_rows = struck_judge_rows;
    strike.kernels.enter_rows = struck_enter_rows;
    strike.output = output;
    strike.input = input;
    strike.hits = hits;
    strike.skips = skips;
    w->kernels = &strike.kernels;
}

static void end_strike(const stf_plan *plan)
{
    stfi_cpu_whole *w = &exec_of(plan)->whole;

    w->kernels = strike.real;
    for (int d = 0; d < 2; d++)
        w->way[d].side[1].judge = strike.judge[d];
}

static stf_plan *plan_of(stf_device *dev, const problem *p, stf_ft_mode mode)
{
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *plan = NULL;

    d.kind = stfi_kind_is_r2r(p->kind) ? STF_R2R : p->kind;
    d.kinds[0] = stfi_kind_is_r2r(p->kind) ? p->kind : d.kinds[0];
    d.precision = p->precision;
    d.rank = p->rank;
    memcpy(d.n, p->n, sizeof p->n);
    d.batch = p->batch;
    d.threads = p->threads;
    d.ft.mode = mode;
    return stf_plan_fft(dev, &d, &plan) == STF_OK ? plan : NULL;
}

/* Three plans of one problem, and its arrays. */
typedef struct rig {
    const problem *p;
    stf_plan *off, *correct, *detect;
    size_t bytes; /* of a component */
    stf_direction direction;
    unsigned char *in, *out, *want;
} rig;

static int rig_open(rig *r, stf_device *dev, const problem *p, uint64_t seed)
{
    uint64_t state = seed;

    *r = (rig){.p = p};
    r->off = plan_of(dev, p, STF_FT_OFF);
    r->correct = plan_of(dev, p, STF_FT_CORRECT);
    r->detect = plan_of(dev, p, STF_FT_DETECT);
    r->bytes = stfi_type_get(p->precision)->bytes;
    r->direction = p->kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    r->in = memory[0];
    r->out = memory[1];
    r->want = memory[2];
    if (r->off == NULL || r->correct == NULL || r->detect == NULL)
        return 0;
    memset(memory, 0x5a, sizeof memory);
    stfi_random_fill(p->precision, r->in, REALS, &state);
    return stf_execute(r->off, r->direction, r->in, r->want) == STF_OK;
}

static void rig_close(rig *r)
{
    stf_plan_destroy(r->off);
    stf_plan_destroy(r->correct);
    stf_plan_destroy(r->detect);
}

/* Executes a plan and returns its status; -100 if the output has other bits than
 * without protection, and what is behind it counts, too. */
static int execute(rig *r, stf_plan *plan, stf_ft_report *report_p)
{
    stf_status status;

    memset(r->out, 0x5a, sizeof memory[1]);
    memset(plan->workspace, 0xff, plan->workspace_bytes);
    stf_plan_ft_reset(plan);
    status = stf_execute(plan, r->direction, r->in, r->out);
    stf_plan_ft_report(plan, report_p);
    return memcmp(r->out, r->want, sizeof memory[1]) != 0 ? -100 : (int)status;
}

/* The sign and exponent of a component in the middle of the first row, which is in
 * the first piece. */
static char *byte_of(const rig *r, unsigned char *array, int side)
{
    const int64_t reals = exec_of(r->correct)->schedule.batch_stride[side];

    return (char *)array + (size_t)(reals / 2 + 1) * r->bytes - 1;
}

static int64_t reals_of(const rig *r)
{
    return exec_of(r->correct)->schedule.batch_stride[0] * r->p->batch;
}

/* Clean data, wherever they lie. */
static int is_clean_right(rig *r)
{
    stf_ft_report report;
    unsigned char *in = r->in;
    int right = execute(r, r->correct, &report) == STF_OK
                && report.groups_checked == r->p->batch && report.detected == 0;

    memmove(in + r->bytes, in, (size_t)reals_of(r) * r->bytes);
    r->in = in + r->bytes;
    right &= execute(r, r->correct, &report) == STF_OK;
    memmove(in, in + r->bytes, (size_t)reals_of(r) * r->bytes);
    r->in = in;
    return right && execute(r, r->detect, &report) == STF_OK;
}

/* A result that is wrong once is repaired; in mode DETECT it is told. */
static int is_hit_told(rig *r)
{
    char *byte = byte_of(r, r->out, 1);
    stf_ft_report report;
    int right;

    set_strike(r->correct, byte, NULL, 1, 0);
    right = execute(r, r->correct, &report) == STF_CORRECTED
            && report.detected == 1 && report.recomputed == 1;
    end_strike(r->correct);
    set_strike(r->detect, byte, NULL, 1, 0);
    right &= execute(r, r->detect, &report) == -100 && report.detected == 1;
    end_strike(r->detect);
    return right;
}

/* If the input was hit as well, nobody knows what is right. */
static int is_stray_told(rig *r)
{
    char *byte = byte_of(r, r->out, 1);
    char *input = byte_of(r, r->in, 0), was = *input;
    stf_ft_report report;
    int right;

    set_strike(r->correct, byte, input, 1, 0);
    (void)execute(r, r->correct, &report);
    right = report.uncorrectable > 0;
    end_strike(r->correct);
    *input = was;
    return right;
}

/* Rows that the sums left out are computed and summed up once more. */
static int is_skip_mended(rig *r)
{
    stf_ft_report report;
    int right;

    set_strike(r->correct, NULL, NULL, 0, r->p->batch > 1);
    right = execute(r, r->correct, &report) >= STF_OK;
    end_strike(r->correct);
    return right;
}

/* In place, results are repaired from the copy of the input. */
static int is_in_place_right(rig *r)
{
    const size_t bytes = (size_t)reals_of(r) * r->bytes;
    char *byte = byte_of(r, r->out, 1);
    stf_status status;

    if (r->p->kind == STF_R2C || r->p->kind == STF_C2R)
        return 1;
    for (int struck = 0; struck < 2; struck++) {
        memcpy(r->out, r->in, bytes);
        set_strike(r->correct, byte, NULL, struck, 0);
        status = stf_execute(r->correct, r->direction, r->out, r->out);
        end_strike(r->correct);
        if (status != (struck ? STF_CORRECTED : STF_OK)
            || memcmp(r->out, r->want, bytes) != 0)
            return 0;
    }
    return 1;
}

/* Finite data whose results overflow are told, and are no fault. */
static int is_overflow_told(rig *r)
{
    const stf_precision precision = r->p->precision;
    const long double huge = precision == STF_F32 ? 3e38L : 1.7e308L;
    stf_ft_report report;

    for (int64_t i = 0; i < reals_of(r); i++)
        stfi_type_write(precision, r->in, i, huge);
    (void)execute(r, r->correct, &report);
    return report.overflowed == r->p->batch && report.detected == 0
           && report.groups_checked == r->p->batch;
}

/* Zeros, data whose squares leave the range of their type, and Inf are looked at
 * otherwise. */
static int is_any_size_right(rig *r)
{
    const stf_precision precision = r->p->precision;
    const long double scale = precision == STF_F32 ? 1e-25L : 1e-200L;
    const int64_t reals = reals_of(r);
    stf_ft_report report;
    int right = 1;

    for (int zeros = 0; zeros < 2; zeros++) {
        for (int64_t i = 0; i < reals; i++)
            stfi_type_write(precision, r->in, i,
                            (1 - zeros) * scale
                                * stfi_type_read(precision, r->in, i));
        memset(r->want, 0x5a, sizeof memory[2]);
        right &= stf_execute(r->off, r->direction, r->in, r->want) == STF_OK
                 && execute(r, r->correct, &report) == STF_OK
                 && report.groups_checked == r->p->batch;
    }
    stfi_type_write(precision, r->in, 0, INFINITY);
    (void)execute(r, r->correct, &report);
    return right && report.non_finite_input == 1 && report.detected == 0;
}

/* A small fault in a row that is tiny beside the others, which are impulses: these
 * have exact sums, in which a tiny row is lost. */
static int is_tiny_row_judged(rig *r)
{
    const stf_precision precision = r->p->precision;
    const int64_t reals = reals_of(r), row = reals / r->p->batch;
    uint64_t state = tap_seed();
    stf_ft_report report;
    int right;

    stfi_random_fill(precision, r->in, reals, &state);
    for (int64_t i = 0; i < reals; i++)
        stfi_type_write(precision, r->in, i,
                        i >= row
                            ? i % row == 0
                            : 1e-10L * stfi_type_read(precision, r->in, i));
    memset(r->want, 0x5a, sizeof memory[2]);
    right = stf_execute(r->off, r->direction, r->in, r->want) == STF_OK;
    set_strike(r->correct, byte_of(r, r->out, 1) - 1, NULL, 1, 0);
    right &= execute(r, r->correct, &report) == STF_CORRECTED
             && report.recomputed == 1;
    end_strike(r->correct);
    return right;
}

static void test_problem(stf_device *dev, const problem *p, const char *isa)
{
    static int (*const aspects[])(rig *) = {
        is_clean_right,   is_hit_told,        is_stray_told,
        is_skip_mended,   is_in_place_right,  is_any_size_right,
        is_overflow_told, is_tiny_row_judged,
    };
    int wrong = 0;
    rig r;

    if (!rig_open(&r, dev, p, tap_seed())) {
        wrong = 1;
    } else if (exec_of(r.correct)->whole.kernels != NULL) {
        for (size_t i = 0; i < sizeof aspects / sizeof *aspects; i++)
            if (!aspects[i](&r)) {
                tap_diag("aspect %d", (int)i);
                wrong++;
            }
    } else {
        wrong = stfi_cpu_whole_find("base", p->precision, INT64_MAX) != NULL;
        tap_diag("is not checked as a whole");
    }
    tap_ok(wrong == 0, "%s: %s %dx%d*%d, %s, %d threads", isa,
           stfi_kind_get(p->kind)->name, (int)p->n[0], (int)p->n[1],
           (int)p->batch, stfi_type_get(p->precision)->name, p->threads);
    rig_close(&r);
}

static void test_in_place(stf_device *dev, const problem *p, const char *isa)
{
    const int has_vectors =
        stfi_cpu_whole_find("base", p->precision, INT64_MAX) != NULL;
    int right = 0;
    rig r;

    if (rig_open(&r, dev, p, tap_seed()))
        right = !has_vectors
                || (exec_of(r.correct)->whole.kernels != NULL
                    && is_in_place_right(&r));
    tap_ok(right, "%s: rows of %d*%d, %s, in place", isa, (int)p->n[0],
           (int)p->batch, stfi_type_get(p->precision)->name);
    rig_close(&r);
}

/* The sum of a long row has not more roundings than a transform of 2^20 points,
 * whose rms, relative to the norm, is u times the root of about 16. Weights are the
 * reals behind the row. */
static void test_long_row(const char *isa)
{
    enum { LONG_ROW = 1 << 20, TRIALS = 16 };
    const stfi_cpu_whole_kernels *k =
        stfi_cpu_whole_find(isa, STF_F32, INT64_MAX);
    float *x = malloc(2 * LONG_ROW * sizeof *x), terms[64];
    uint64_t state = tap_seed();
    double squares = 0;

    if (x != NULL)
        stfi_random_fill(STF_F32, x, 2 * LONG_ROW, &state);
    for (int trial = 0; trial < TRIALS && x != NULL && k != NULL; trial++) {
        const float *w = x + LONG_ROW - 100 * trial;
        const stfi_cpu_whole_side side = {
            .reals = LONG_ROW,
            .step = LONG_ROW,
            .vectors = LONG_ROW / k->key.lanes,
            .form = STFI_CPU_WHOLE_PAIRED,
            .plane = {w, w},
        };
        double error = 0, power = 0;
        k->enter[side.form][0](&side, x, terms);
        for (int l = 0; l < k->key.lanes; l++)
            error += terms[l];
        for (int i = 0; i < LONG_ROW; i++) {
            error -= (double)x[i] * w[i];
            power += (double)x[i] * w[i] * x[i] * w[i];
        }
        squares += error * error / power;
    }
    tap_ok(x != NULL && squares / TRIALS < 16 * 0x1p-48,
           "%s: a long row is summed up well", isa);
    tap_diag("relative to the norm %.3g u", sqrt(squares / TRIALS) * 0x1p24);
    free(x);
}

int main(void)
{
    stf_device *dev;
    const char *isa;

    tap_begin("whole");
    for (int i = 0; (isa = stfi_cpu_isa_at(i)) != NULL; i++) {
        setenv("STEADFAST_ISA", isa, 1);
        if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "%s", isa))
            continue;
        for (size_t p = 0; p < sizeof problems / sizeof *problems; p++)
            test_problem(dev, &problems[p], isa);
        for (size_t p = 0; p < sizeof in_place / sizeof *in_place; p++)
            test_in_place(dev, &in_place[p], isa);
        test_long_row(isa);
        stf_device_close(dev);
    }
    return tap_end();
}
