/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Short rows that the cpu computes twice, and compares: the bits of unprotected plans, in
 * every instruction set; and what becomes of faults, which strike behind the kernels
 * that compute and before those that compare. Faults of registers are those of
 * tests/flip. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/type.h"
#include "support/problem/problem.h"
#include "tests/ft/whole_rig.h"
#include "tests/tap.h"

/* All kinds; in one piece and in several, of whole groups of rows and not, and on two
 * threads. The second list is of those that are compared from end to end only. */
static const stfi_whole_problem problems[] = {
    {STF_C2C, STF_F64, 1, {2}, 333, 1},  {STF_C2C, STF_F32, 1, {4}, 1501, 1},
    {STF_C2C, STF_F64, 1, {3}, 2049, 1}, {STF_R2C, STF_F32, 1, {8}, 50, 1},
    {STF_R2C, STF_F64, 1, {3}, 1600, 1}, {STF_C2R, STF_F64, 1, {5}, 64, 1},
    {STF_C2R, STF_F32, 1, {3}, 4001, 1}, {STF_C2C, STF_F32, 1, {3}, 60000, 2},
};
static const stfi_whole_problem longer[] = {
    {STF_C2C, STF_F32, 1, {9}, 77, 1},     {STF_C2C, STF_F64, 1, {8}, 300, 1},
    {STF_R2C, STF_F32, 1, {16}, 500, 1},   {STF_C2R, STF_F64, 1, {15}, 170, 1},
    {STF_R2C, STF_F64, 1, {13}, 13000, 2},
};

/* What happens in an execution: so many times, behind a launch of rows, bytes of the
 * output and of the input change; before a comparison, a byte of what is transformed
 * again changes; rows are left out, or others are computed as well; the second half of
 * the rows waits for the first; a comparison tells of something. */
static struct strike {
    const stfi_cpu_compact_kernels *real;
    stfi_cpu_compact_kernels kernels;
    char *output, *input;
    int early, late;
    int64_t half;
    atomic_int hits, again, skips, lies, strays, waits;
    atomic_llong reached; /* the end of the rows that were computed last */
} strike;

/* Waits until the rows before have been computed by their thread, but not for ever: there
 * may be none. */
static void wait_for_rows(int64_t begin)
{
    const struct timespec moment = {0, 1000000};

    for (int i = 0; i < 500 && atomic_load(&strike.reached) != begin; i++)
        nanosleep(&moment, NULL);
}

static void struck_run(const stfi_cpu_compact *c,
                       const stfi_cpu_compact_run *run)
{
    stfi_cpu_compact_run other = *run;

    if (atomic_fetch_sub(&strike.skips, 1) > 0)
        return;
    if (run->begin > 0 && atomic_fetch_sub(&strike.strays, 1) > 0) {
        other.begin -= strike.early;
        other.end += strike.late;
    }
    if (run->begin > 0 && run->begin >= strike.half
        && atomic_fetch_sub(&strike.waits, 1) > 0)
        wait_for_rows(run->begin);
    strike.real->run(c, &other);
    if (run->begin < strike.half)
        atomic_store(&strike.reached, run->end);
    if (run->begin > 0 || atomic_fetch_sub(&strike.hits, 1) <= 0)
        return;
    if (strike.output != NULL)
        ((char *)run->dst)[strike.output - (char *)stfi_whole_memory[1]] ^=
            0x40;
    if (strike.input != NULL)
        *strike.input ^= 0x40;
}

static int struck_is_same(const stfi_cpu_compact *c,
                          const stfi_cpu_compact_run *run)
{
    if (run->begin == 0 && atomic_fetch_sub(&strike.again, 1) > 0)
        ((char *)(uintptr_t)run->src)[3] ^= 0x40;
    return strike.real->is_same(c, run)
           && atomic_fetch_sub(&strike.lies, 1) <= 0;
}

/* Lets the next execution of a plan be struck, until the end. Nothing happens yet. */
static void set_strike(const stf_plan *plan, char *output, char *input)
{
    stfi_cpu_compact *c = stfi_whole_exec(plan)->bare->compact;

    strike = (struct strike){
        .real = c->kernels,
        .kernels = *c->kernels,
        .output = output,
        .input = input,
    };
    strike.kernels.run = struck_run;
    strike.kernels.is_same = struck_is_same;
    c->kernels = &strike.kernels;
}

static void end_strike(const stf_plan *plan)
{
    stfi_whole_exec(plan)->bare->compact->kernels = strike.real;
}

static int is_clean_right(stfi_whole_rig *r)
{
    stf_ft_report report;

    return stfi_whole_execute(r, r->correct, &report) == STF_OK
           && report.groups_checked == r->p->batch && report.detected == 0
           && stfi_whole_execute(r, r->detect, &report) == STF_OK
           && report.groups_checked == r->p->batch;
}

/* A result that is wrong is repaired, also if what is computed for that is wrong once
 * again; in mode DETECT it is told. */
static int is_hit_told(stfi_whole_rig *r)
{
    char *byte = stfi_whole_byte(r, r->out, 1);
    stf_ft_report report;
    int right = 1;

    for (int hits = 1; hits <= 2; hits++) {
        set_strike(r->correct, byte, NULL);
        atomic_store(&strike.hits, hits);
        right &= stfi_whole_execute(r, r->correct, &report) == STF_CORRECTED
                 && report.detected == 1 && report.recomputed == 1;
        end_strike(r->correct);
    }
    set_strike(r->detect, byte, NULL);
    atomic_store(&strike.hits, 1);
    right &= stfi_whole_execute(r, r->detect, &report) == -100
             && report.detected == 1;
    end_strike(r->detect);
    return right;
}

/* What is wrong again and again is told, as an overflow if it looks like one. */
static int is_persistent_told(stfi_whole_rig *r)
{
    stf_ft_report report;
    int right;

    set_strike(r->correct, stfi_whole_byte(r, r->out, 1), NULL);
    atomic_store(&strike.hits, 1000);
    (void)stfi_whole_execute(r, r->correct, &report);
    right = report.uncorrectable + report.overflowed > 0;
    end_strike(r->correct);
    return right;
}

/* If the input changes between two computations, nobody knows what is right. */
static int is_stray_told(stfi_whole_rig *r)
{
    char *input = stfi_whole_byte(r, r->in, 0), was = *input;
    stf_ft_report report;
    int right = 1;

    for (int hole = 0; hole < 2; hole++) {
        set_strike(r->correct, hole ? stfi_whole_byte(r, r->out, 1) : NULL,
                   input);
        atomic_store(&strike.hits, 1);
        (void)stfi_whole_execute(r, r->correct, &report);
        right &= report.uncorrectable > 0;
        end_strike(r->correct);
        *input = was;
    }
    return right;
}

/* A comparison that is wrong itself changes nothing, and is no fault of a result. */
static int is_lie_settled(stfi_whole_rig *r)
{
    stf_ft_report report;
    int right;

    set_strike(r->correct, NULL, NULL);
    atomic_store(&strike.lies, 2);
    right = stfi_whole_execute(r, r->correct, &report) == STF_OK
            && report.detected == 0;
    end_strike(r->correct);
    return right;
}

/* Rows that were not computed are. */
static int is_skip_mended(stfi_whole_rig *r)
{
    stf_ft_report report;
    int right;

    set_strike(r->correct, NULL, NULL);
    atomic_store(&strike.skips, 1);
    right = stfi_whole_execute(r, r->correct, &report) == STF_CORRECTED
            && report.recomputed > 0;
    end_strike(r->correct);
    return right;
}

/* In place, results are repaired from a copy of the input; one that is wrong is told. */
static int is_in_place_right(stfi_whole_rig *r)
{
    const size_t bytes = (size_t)stfi_whole_reals(r) * r->bytes;
    stf_ft_report report;
    int right = 1;

    if (r->p->kind != STF_C2C)
        return 1;
    for (int struck = 0; struck < 3; struck++) {
        stf_status status;
        memcpy(r->out, r->in, bytes);
        set_strike(r->correct, stfi_whole_byte(r, r->out, 1), NULL);
        atomic_store(&strike.hits, struck == 1);
        atomic_store(&strike.again, struck == 2);
        stf_plan_ft_reset(r->correct);
        status = stf_execute(r->correct, r->direction, r->out, r->out);
        stf_plan_ft_report(r->correct, &report);
        end_strike(r->correct);
        if (struck == 2)
            right &= status == STF_ERR_UNCORRECTED && report.uncorrectable > 0;
        else
            right &= status == (struck ? STF_CORRECTED : STF_OK)
                     && report.recomputed == struck
                     && memcmp(r->out, r->want, bytes) == 0;
    }
    return right;
}

/* From end to end it is told if input of a later piece was hit before it was read, as a
 * store to a wrong address does that leaves its own place unwritten. */
static int is_input_ahead_known(stfi_whole_rig *r)
{
    const stfi_cpu_whole *w = &stfi_whole_exec(r->correct)->whole;
    char *last = (char *)r->in + (size_t)stfi_whole_reals(r) * r->bytes - 1;
    stf_ft_report report;
    int right;

    if (w->checks < 2 || r->p->threads > 1 || r->p->batch <= w->piece)
        return 1;
    set_strike(r->correct, stfi_whole_byte(r, r->out, 1), last);
    atomic_store(&strike.hits, 1);
    (void)stfi_whole_execute(r, r->correct, &report);
    right = report.uncorrectable > 0;
    end_strike(r->correct);
    *last ^= 0x40;
    return right;
}

/* From end to end, in place, it is told if rows before or behind a piece were computed
 * with it: a result was transformed twice, or will be. */
static int is_overrun_told(stfi_whole_rig *r)
{
    const stfi_cpu_whole *w = &stfi_whole_exec(r->correct)->whole;
    const size_t bytes = (size_t)stfi_whole_reals(r) * r->bytes;
    stf_ft_report report;
    int right = 1;

    if (w->checks < 2 || r->p->threads > 1 || r->p->kind != STF_C2C
        || r->p->batch < 2 * w->piece + w->tile)
        return 1;
    for (int late = 0; late < 2; late++) {
        memcpy(r->out, r->in, bytes);
        set_strike(r->correct, NULL, NULL);
        strike.early = late ? 0 : (int)w->tile;
        strike.late = late ? (int)w->tile : 0;
        atomic_store(&strike.strays, 1);
        stf_plan_ft_reset(r->correct);
        right &= stf_execute(r->correct, r->direction, r->out, r->out)
                 == STF_ERR_UNCORRECTED;
        stf_plan_ft_report(r->correct, &report);
        right &= report.uncorrectable > 0;
        end_strike(r->correct);
    }
    return right;
}

/* What other threads do to the rows beside those of a thread is no fault. */
static int is_neighbour_ignored(stfi_whole_rig *r)
{
    const size_t bytes = (size_t)stfi_whole_reals(r) * r->bytes;
    const stfi_cpu_whole *w = &stfi_whole_exec(r->correct)->whole;
    stf_status status;

    if (r->p->threads < 2 || r->p->kind != STF_C2C)
        return 1;
    memcpy(r->out, r->in, bytes);
    set_strike(r->correct, NULL, NULL);
    strike.half = (r->p->batch - w->tile) / 2;
    atomic_store(&strike.waits, 1);
    status = stf_execute(r->correct, r->direction, r->out, r->out);
    end_strike(r->correct);
    return status == STF_OK && memcmp(r->out, r->want, bytes) == 0;
}

/* Data of any size are compared alike; of results that are not finite it is told
 * why. */
static int is_any_size_right(stfi_whole_rig *r)
{
    const stf_precision precision = r->p->precision;
    const long double size[] = {0, precision == STF_F32 ? 1e-40L : 1e-310L,
                                precision == STF_F32 ? 3e38L : 1.7e308L};
    uint64_t state = tap_seed();
    stf_ft_report report;
    int right = 1;

    for (int k = 0; k < 3; k++) {
        for (int64_t i = 0; i < stfi_whole_reals(r); i++)
            stfi_type_write(precision, r->in, i, size[k]);
        memset(r->want, 0x5a, sizeof stfi_whole_memory[2]);
        right &= stf_execute(r->off, r->direction, r->in, r->want) == STF_OK
                 && stfi_whole_execute(r, r->correct, &report) == STF_OK
                 && report.overflowed == (k == 2 ? r->p->batch : 0)
                 && report.detected == 0
                 && report.groups_checked == r->p->batch;
        if (k < 2)
            right &= is_hit_told(r);
    }
    stfi_random_fill(precision, r->in, stfi_whole_reals(r), &state);
    stfi_type_write(precision, r->in, 0, INFINITY);
    (void)stfi_whole_execute(r, r->correct, &report);
    return right && report.non_finite_input == 1 && report.detected == 0;
}

static void test_problem(stf_device *dev, const stfi_whole_problem *p,
                         int end_to_end, const char *isa)
{
    static stfi_whole_aspect *const aspects[] = {
        is_clean_right,       is_hit_told,          is_persistent_told,
        is_lie_settled,       is_skip_mended,       is_in_place_right,
        is_stray_told,        is_input_ahead_known, is_overrun_told,
        is_neighbour_ignored, is_clean_right,       is_any_size_right,
    };
    int wrong = 0;
    stfi_whole_rig r;

    if (!stfi_whole_open(&r, dev, p, end_to_end)) {
        wrong = 1;
    } else if (stfi_whole_exec(r.correct)->whole.twice) {
        wrong = stfi_whole_wrong(&r, aspects, sizeof aspects / sizeof *aspects);
    } else {
        wrong = stfi_cpu_few_find("base", p->precision, INT64_MAX) != NULL;
        tap_diag("rows are not computed twice");
    }
    tap_ok(wrong == 0, "%s: %s %d*%d, %s, %d threads%s", isa,
           stfi_kind_get(p->kind)->name, (int)p->n[0], (int)p->batch,
           stfi_type_get(p->precision)->name, p->threads,
           end_to_end ? ", from end to end" : "");
    stfi_whole_close(&r);
}

/* A scale that is no real of the data's type has sums. */
static void test_scale(stf_device *dev, const char *isa)
{
    const int has_kernels =
        stfi_cpu_few_find("base", STF_F32, INT64_MAX) != NULL;
    int right = 1;

    for (int exact = 0; exact < 2; exact++) {
        stf_fft_desc d = stf_fft_desc_default();
        stf_plan *plan = NULL;
        d.rank = 1;
        d.n[0] = 4;
        d.batch = 100;
        d.ft.mode = STF_FT_CORRECT;
        d.scale_forward = exact ? 0.5 : 1.0 / 3;
        right &=
            stf_plan_fft(dev, &d, &plan) == STF_OK
            && stfi_whole_exec(plan)->whole.twice == (exact && has_kernels);
        stf_plan_destroy(plan);
    }
    tap_ok(right, "%s: a scale of 1/3", isa);
}

int main(void)
{
    stf_device *dev;
    const char *isa;

    tap_begin("twice");
    for (int i = 0; (isa = stfi_cpu_isa_at(i)) != NULL; i++) {
        setenv("STEADFAST_ISA", isa, 1);
        if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "%s", isa))
            continue;
        for (size_t p = 0; p < 2 * (sizeof problems / sizeof *problems); p++)
            test_problem(dev, &problems[p / 2], (int)(p % 2), isa);
        for (size_t p = 0; p < sizeof longer / sizeof *longer; p++)
            test_problem(dev, &longer[p], 1, isa);
        test_scale(dev, isa);
        stf_device_close(dev);
    }
    return tap_end();
}
