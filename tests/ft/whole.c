/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Short transforms that the cpu checks as a whole: the bits of unprotected plans,
 * in every instruction set, in a workspace full of NaN and at any address; and what
 * becomes of faults (whole_rig.h). Faults of registers are those of tests/flip. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/type.h"
#include "support/problem/problem.h"
#include "tests/ft/whole_rig.h"
#include "tests/tap.h"

/* The sides have all forms of weights, with rows that vectors fill and that they do
 * not, alone, in joint sums of two to four, in several pieces, and in passes: in one
 * chunk and in many, in pieces of many rows and of one, and on two threads. */
static const stfi_whole_problem problems[] = {
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
    {STF_C2C, STF_F32, 2, {90, 130}, 1, 1},
    {STF_C2C, STF_F64, 2, {90, 130}, 2, 1},
    {STF_R2C, STF_F32, 2, {64, 258}, 3, 2},
    {STF_C2R, STF_F64, 2, {64, 258}, 2, 1},
    {STF_C2C, STF_F32, 2, {100, 90}, 3, 1},
};

/* Arrays that two threads share, as lines and as one. */
static const stfi_whole_problem shared[] = {
    {STF_C2C, STF_F64, 2, {300, 301}, 1, 2},
    {STF_C2C, STF_F32, 1, {131072}, 1, 2},
    {STF_R2C, STF_F64, 1, {132000}, 3, 2},
};

/* Rows of which passes check the longer ones in pieces; a copy of what is overwritten,
 * and so checks as a whole, are for those in place. */
static const stfi_whole_problem in_place[] = {
    {STF_C2C, STF_F64, 1, {6}, 333, 1},
    {STF_C2C, STF_F32, 1, {8}, 101, 1},
    {STF_C2C, STF_F64, 1, {10}, 333, 1},
    {STF_C2C, STF_F32, 1, {12}, 101, 1},
    {STF_C2C, STF_F32, 1, {21}, 77, 2},
    {STF_C2C, STF_F64, 1, {64}, 40, 1},
    {STF_C2C, STF_F32, 1, {1024}, 19, 1},
    {STF_C2C, STF_F64, 2, {65, 130}, 3, 1},
};

/* Clean data, wherever they lie: what sums by vectors say of them hardly ever needs a
 * second look. */
static int is_clean_right(stfi_whole_rig *r)
{
    stf_ft_report report;
    unsigned char *in = r->in;
    int right;

    stfi_whole_set_strike(r->correct, NULL, NULL, 0, 0);
    right = stfi_whole_execute(r, r->correct, &report) == STF_OK
            && report.groups_checked == r->p->batch && report.detected == 0
            && 32 * (stfi_whole_strike.unclean + stfi_whole_strike.unsure)
                   <= r->p->batch;
    stfi_whole_end_strike(r->correct);

    memmove(in + r->bytes, in, (size_t)stfi_whole_reals(r) * r->bytes);
    r->in = in + r->bytes;
    right &= stfi_whole_execute(r, r->correct, &report) == STF_OK;
    memmove(in, in + r->bytes, (size_t)stfi_whole_reals(r) * r->bytes);
    r->in = in;
    return right && stfi_whole_execute(r, r->detect, &report) == STF_OK;
}

/* A result that is wrong once is repaired; in mode DETECT it is told. */
static int is_hit_told(stfi_whole_rig *r)
{
    char *byte = stfi_whole_byte(r, r->out, 1);
    stf_ft_report report;
    int right;

    stfi_whole_set_strike(r->correct, byte, NULL, 1, 0);
    right = stfi_whole_execute(r, r->correct, &report) == STF_CORRECTED
            && report.detected == 1 && report.recomputed == 1;
    stfi_whole_end_strike(r->correct);
    stfi_whole_set_strike(r->detect, byte, NULL, 1, 0);
    right &= stfi_whole_execute(r, r->detect, &report) == -100
             && report.detected == 1;
    stfi_whole_end_strike(r->detect);
    return right;
}

/* If the input was hit as well, nobody knows what is right. */
static int is_stray_told(stfi_whole_rig *r)
{
    char *byte = stfi_whole_byte(r, r->out, 1);
    char *input = stfi_whole_byte(r, r->in, 0), was = *input;
    stf_ft_report report;
    int right;

    stfi_whole_set_strike(r->correct, byte, input, 1, 0);
    (void)stfi_whole_execute(r, r->correct, &report);
    right = report.uncorrectable > 0;
    stfi_whole_end_strike(r->correct);
    *input = was;
    return right;
}

/* Rows that the sums left out are computed and summed up once more. */
static int is_skip_mended(stfi_whole_rig *r)
{
    stf_ft_report report;
    int right;

    stfi_whole_set_strike(r->correct, NULL, NULL, 0, r->p->batch > 1);
    right = stfi_whole_execute(r, r->correct, &report) >= STF_OK;
    stfi_whole_end_strike(r->correct);
    return right;
}

/* In place, results are repaired from the copy of the input. */
static int is_in_place_right(stfi_whole_rig *r)
{
    const size_t bytes = (size_t)stfi_whole_reals(r) * r->bytes;
    char *byte = stfi_whole_byte(r, r->out, 1);
    stf_status status;

    if (r->p->kind == STF_R2C || r->p->kind == STF_C2R)
        return 1;
    for (int struck = 0; struck < 2; struck++) {
        memcpy(r->out, r->in, bytes);
        stfi_whole_set_strike(r->correct, byte, NULL, struck, 0);
        status = stf_execute(r->correct, r->direction, r->out, r->out);
        stfi_whole_end_strike(r->correct);
        if (status != (struck ? STF_CORRECTED : STF_OK)
            || memcmp(r->out, r->want, bytes) != 0)
            return 0;
    }
    return 1;
}

static int is_end_to_end(const stfi_whole_rig *r)
{
    return stfi_whole_exec(r->correct)->whole.checks > 1;
}

/* What the first check does not see is seen by the second one of end-to-end checks. */
static int is_second_heard(stfi_whole_rig *r)
{
    stf_ft_report report;
    int right;

    if (!is_end_to_end(r))
        return 1;
    stfi_whole_set_strike(r->correct, stfi_whole_byte(r, r->out, 1), NULL, 1,
                          0);
    stfi_whole_strike.blind = 1;
    right = stfi_whole_execute(r, r->correct, &report) == STF_CORRECTED
            && report.detected == 1 && report.recomputed == 1;
    stfi_whole_end_strike(r->correct);
    return right;
}

/* From end to end it is told if input of a later piece was hit before it was read, as a
 * store to a wrong address does that leaves its own place unwritten. */
static int is_input_ahead_known(stfi_whole_rig *r)
{
    const size_t last = (size_t)stfi_whole_reals(r) * r->bytes - 1;
    const int alone = r->p->kind == STF_R2C || r->p->kind == STF_C2R;
    stf_ft_report report;
    int right = 1;

    if (!is_end_to_end(r) || r->p->threads > 1
        || r->p->batch <= stfi_whole_exec(r->correct)->whole.piece)
        return 1;
    for (int same = 0; same < 2 - alone; same++) {
        unsigned char *input = same ? r->out : r->in, was = r->in[last];
        memcpy(r->out, r->in, last + 1);
        stfi_whole_set_strike(r->correct, stfi_whole_byte(r, r->out, 1),
                              (char *)input + last, 1, 0);
        stf_plan_ft_reset(r->correct);
        right &= stf_execute(r->correct, r->direction, input, r->out)
                 == STF_ERR_UNCORRECTED;
        stf_plan_ft_report(r->correct, &report);
        right &= report.uncorrectable > 0;
        stfi_whole_end_strike(r->correct);
        r->in[last] = was;
    }
    return right;
}

/* Sums that are stored at a wrong address are told of, although all agrees with the input
 * that they have hit. */
static int is_stray_sum_told(stfi_whole_rig *r)
{
    static unsigned char was[sizeof stfi_whole_memory[0]];
    stf_ft_report report;
    int right;

    memcpy(was, stfi_whole_memory[0], sizeof was);
    stfi_whole_set_strike(r->correct, NULL, (char *)r->in, 0, 0);
    stfi_whole_strike.strays = 1;
    stf_plan_ft_reset(r->correct);
    right = stf_execute(r->correct, r->direction, r->in, r->out)
            == STF_ERR_UNCORRECTED;
    stf_plan_ft_report(r->correct, &report);
    stfi_whole_end_strike(r->correct);
    memcpy(stfi_whole_memory[0], was, sizeof was);
    return right && report.uncorrectable > 0;
}

/* A launch that is given other arrays than its caller has tells so. */
static int is_other_array_told(stfi_whole_rig *r)
{
    const stfi_fft_plan *plan = stfi_fft_plan_of(r->correct);
    const stfi_fft_brief *b = &plan->brief[0];
    const stfi_brief_way *way = &b->way[r->direction == STF_INVERSE];
    unsigned char *other = r->out + 64;
    stf_ft_report report;
    int right = 1;

    if (b->as.run == NULL)
        return r->p->threads > 1;
    for (int told = 0; told < 2; told++) {
        *b->as.asked = (stfi_brief_arrays){r->in, told ? r->out : other};
        stf_plan_ft_reset(r->correct);
        right &= b->as.run(b->exec, way, r->in, other, r->correct->workspace)
                 == (told ? STF_ERR_UNCORRECTED : STF_OK);
        stf_plan_ft_report(r->correct, &report);
        right &= (report.uncorrectable > 0) == told;
    }
    return right;
}

/* Finite data whose results overflow are told, and are no fault. */
static int is_overflow_told(stfi_whole_rig *r)
{
    const stf_precision precision = r->p->precision;
    const long double huge = precision == STF_F32 ? 3e38L : 1.7e308L;
    stf_ft_report report;

    for (int64_t i = 0; i < stfi_whole_reals(r); i++)
        stfi_type_write(precision, r->in, i, huge);
    (void)stfi_whole_execute(r, r->correct, &report);
    return report.overflowed == r->p->batch && report.detected == 0
           && report.groups_checked == r->p->batch;
}

/* 1 if no row had to be looked at otherwise; joint sums of rows may have been. */
static int is_found_clean(const stfi_whole_rig *r)
{
    return stfi_whole_strike.unclean == 0
           && (stfi_whole_strike.unsure == 0
               || stfi_whole_exec(r->correct)->whole.joined > 1);
}

/* Data whose squares leave the range of their type, and Inf are looked at otherwise;
 * zeros, which are common, are not. */
static int is_any_size_right(stfi_whole_rig *r)
{
    const stf_precision precision = r->p->precision;
    const long double scale = precision == STF_F32 ? 1e-25L : 1e-200L;
    const int64_t reals = stfi_whole_reals(r);
    stf_ft_report report;
    int right = 1;

    for (int zeros = 0; zeros < 2; zeros++) {
        for (int64_t i = 0; i < reals; i++)
            stfi_type_write(precision, r->in, i,
                            (1 - zeros) * scale
                                * stfi_type_read(precision, r->in, i));
        memset(r->want, 0x5a, sizeof stfi_whole_memory[2]);
        stfi_whole_set_strike(r->correct, NULL, NULL, 0, 0);
        right &= stf_execute(r->off, r->direction, r->in, r->want) == STF_OK
                 && stfi_whole_execute(r, r->correct, &report) == STF_OK
                 && report.groups_checked == r->p->batch
                 && (!zeros || is_found_clean(r));
        stfi_whole_end_strike(r->correct);
    }
    stfi_type_write(precision, r->in, 0, INFINITY);
    (void)stfi_whole_execute(r, r->correct, &report);
    return right && report.non_finite_input == 1 && report.detected == 0;
}

/* A small fault in a row that is tiny beside the others, which are impulses: these
 * have exact sums, in which a tiny row is lost. */
static int is_tiny_row_judged(stfi_whole_rig *r)
{
    const stf_precision precision = r->p->precision;
    const int64_t reals = stfi_whole_reals(r), row = reals / r->p->batch;
    uint64_t state = tap_seed();
    stf_ft_report report;
    int right;

    stfi_random_fill(precision, r->in, reals, &state);
    for (int64_t i = 0; i < reals; i++)
        stfi_type_write(precision, r->in, i,
                        i >= row
                            ? i % row == 0
                            : 1e-10L * stfi_type_read(precision, r->in, i));
    memset(r->want, 0x5a, sizeof stfi_whole_memory[2]);
    right = stf_execute(r->off, r->direction, r->in, r->want) == STF_OK;
    stfi_whole_set_strike(r->correct, stfi_whole_byte(r, r->out, 1) - 1, NULL,
                          1, 0);
    right &= stfi_whole_execute(r, r->correct, &report) == STF_CORRECTED
             && report.recomputed == 1;
    stfi_whole_end_strike(r->correct);
    return right;
}

static int has_checks(const stfi_whole_rig *r, int end_to_end)
{
    const stfi_cpu_whole *w = &stfi_whole_exec(r->correct)->whole;

    return w->kernels != NULL && w->checks == (end_to_end ? 2 : 1);
}

static void test_problem(stf_device *dev, const stfi_whole_problem *p,
                         int end_to_end, const char *isa)
{
    static stfi_whole_aspect *const aspects[] = {
        is_clean_right,    is_hit_told,         is_stray_told,
        is_skip_mended,    is_second_heard,     is_input_ahead_known,
        is_stray_sum_told, is_other_array_told, is_in_place_right,
        is_any_size_right, is_overflow_told,    is_tiny_row_judged,
    };
    int wrong = 0;
    stfi_whole_rig r;

    if (!stfi_whole_open(&r, dev, p, end_to_end)) {
        wrong = 1;
    } else if (has_checks(&r, end_to_end)) {
        wrong = stfi_whole_wrong(&r, aspects, sizeof aspects / sizeof *aspects);
    } else {
        wrong = stfi_cpu_whole_find("base", p->precision, INT64_MAX) != NULL;
        tap_diag("is not checked as a whole");
    }
    tap_ok(wrong == 0, "%s: %s %dx%d*%d, %s, %d threads%s", isa,
           stfi_kind_get(p->kind)->name, (int)p->n[0], (int)p->n[1],
           (int)p->batch, stfi_type_get(p->precision)->name, p->threads,
           end_to_end ? ", from end to end" : "");
    stfi_whole_close(&r);
}

/* Clean data need no second look, which would find them faulty here. */
static int is_unlooked_at(stfi_whole_rig *r)
{
    stfi_cpu_whole_way *way = &stfi_whole_exec(r->correct)->whole.way[0][0];
    const stfi_ft_offline *real = way->check;
    stfi_ft_offline strict = *real;
    stf_ft_report report;
    int right;

    strict.bound.slope = strict.bound.floor = 0;
    way->check = &strict;
    right = stfi_whole_execute(r, r->correct, &report) == STF_OK
            && report.detected == 0;
    way->check = real;
    return right;
}

/* Threads share each transform. */
static void test_shared(stf_device *dev, const stfi_whole_problem *p,
                        int end_to_end, const char *isa)
{
    static stfi_whole_aspect *const aspects[] = {
        is_clean_right, is_unlooked_at,    is_hit_told,
        is_stray_told,  is_any_size_right, is_overflow_told,
    };
    int wrong = 0;
    stfi_whole_rig r;

    if (!stfi_whole_open(&r, dev, p, end_to_end)) {
        tap_ok(0, "%s: %s", isa, stf_error_message());
    } else if (!stfi_whole_exec(r.correct)->whole.shared) {
        tap_skip("threads do not share a check of it", "%s: %dx%d*%d, shared",
                 isa, (int)p->n[0], (int)p->n[1], (int)p->batch);
    } else {
        wrong = stfi_whole_wrong(&r, aspects, sizeof aspects / sizeof *aspects);
        tap_ok(wrong == 0 && has_checks(&r, end_to_end),
               "%s: %dx%d*%d, %s, shared%s", isa, (int)p->n[0], (int)p->n[1],
               (int)p->batch, stfi_type_get(p->precision)->name,
               end_to_end ? ", from end to end" : "");
    }
    stfi_whole_close(&r);
}

static void test_in_place(stf_device *dev, const stfi_whole_problem *p,
                          int end_to_end, const char *isa)
{
    const int has_vectors =
        stfi_cpu_whole_find("base", p->precision, INT64_MAX) != NULL;
    int right = 0;
    stfi_whole_rig r;

    if (stfi_whole_open(&r, dev, p, end_to_end))
        right = !has_vectors
                || (has_checks(&r, end_to_end) && is_in_place_right(&r)
                    && is_input_ahead_known(&r));
    if (r.correct != NULL && stfi_whole_exec(r.correct)->whole.twice)
        tap_skip("rows are computed twice: twice.c",
                 "%s: rows of %d*%d, in place, from end to end", isa,
                 (int)p->n[0], (int)p->batch);
    else
        tap_ok(right, "%s: rows of %d*%d, %s, in place%s", isa, (int)p->n[0],
               (int)p->batch, stfi_type_get(p->precision)->name,
               end_to_end ? ", from end to end" : "");
    stfi_whole_close(&r);
}

/* Of an array of more than 2 MiB no copy is kept: in place, its passes are checked. */
static void test_long_in_place(stf_device *dev, const char *isa)
{
    enum { POINTS = 1 << 19 };
    const stfi_whole_problem p = {STF_C2C, STF_F32, 1, {POINTS}, 1, 1};
    float *x = malloc(2 * POINTS * sizeof *x),
          *y = malloc(2 * POINTS * sizeof *y);
    stf_plan *plan = stfi_whole_plan(dev, &p, STF_FT_CORRECT, 1);
    uint64_t state = tap_seed();
    double error = 0, power = 0;
    stf_ft_report report[2];
    int right = x != NULL && y != NULL && plan != NULL;

    if (right) {
        const stfi_cpu_whole *w = &stfi_whole_exec(plan)->whole;
        stfi_random_fill(STF_F32, x, 2 * POINTS, &state);
        right = (w->kernels == NULL || (w->keep == 0 && w->terms > 0))
                && stf_execute(plan, STF_FORWARD, x, y) == STF_OK
                && stf_plan_ft_report(plan, &report[0]) == STF_OK
                && stf_execute(plan, STF_FORWARD, x, x) == STF_OK
                && stf_plan_ft_report(plan, &report[1]) == STF_OK
                && (w->kernels == NULL || report[0].groups_checked == 1)
                && report[1].groups_checked > report[0].groups_checked + 1;
    }
    for (int64_t i = 0; i < 2 * POINTS && right; i++) {
        error += ((double)x[i] - y[i]) * ((double)x[i] - y[i]);
        power += (double)y[i] * y[i];
    }
    tap_ok(right && error < 1e-12 * power, "%s: a long array in place", isa);
    stf_plan_destroy(plan);
    free(x);
    free(y);
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
        for (size_t p = 0; p < 2 * (sizeof problems / sizeof *problems); p++)
            test_problem(dev, &problems[p / 2], (int)(p % 2), isa);
        for (size_t p = 0; p < 2 * (sizeof in_place / sizeof *in_place); p++)
            test_in_place(dev, &in_place[p / 2], (int)(p % 2), isa);
        for (size_t p = 0; p < 2 * (sizeof shared / sizeof *shared); p++)
            test_shared(dev, &shared[p / 2], (int)(p % 2), isa);
        test_long_in_place(dev, isa);
        stf_device_close(dev);
    }
    return tap_end();
}
