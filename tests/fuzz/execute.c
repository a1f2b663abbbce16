/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executes small descriptors on the cpu, with and without a fault. Results are
 * compared with direct sums; nothing beside them may be written. */
#include <math.h>

#include "base/status.h"
#include "support/harness/trial.h"
#include "support/oracle/naive.h"
#include "tests/fuzz/desc.h"

/* Errors in units of the accuracy contract, which holds for norms: those of a
 * few elements vary by chance. A fault that is not noticed is smaller than 64
 * times its threshold, which is six times the usual rounding error; but level
 * THREAD promises nothing about faults outside of butterflies. */
enum { CLEAN_FACTOR = 8, MISSED_FACTOR = 1000 };

/* Most elements of a descriptor. The weights of a protected plan of many are not
 * made in a moment. */
enum { MOST_ELEMENTS = 256, MOST_PROTECTED = 64 };

static stf_device *cpu(void)
{
    static stf_device *dev;

    if (dev == NULL && stf_device_open("cpu", &dev) != STF_OK)
        fuzz_fail("cpu: %s", stf_error_message());
    return dev;
}

static void judge(const stfi_trial *t, const stf_ft_report *r, int faulty,
                  const char *name, const long double *want)
{
    const int repaired = t->full.ft.mode == STF_FT_CORRECT
                         && r->uncorrectable == 0 && r->detected > 0;
    long double factor = faulty && !repaired ? MISSED_FACTOR : CLEAN_FACTOR;
    long double error =
        stfi_naive_error(&t->full, stfi_trial_array(t, 1), want);

    if (stfi_trial_damage(t) != NULL)
        fuzz_fail("%s: %s", name, stfi_trial_damage(t));
    if (!faulty && (r->detected > 0 || r->overflowed > 0))
        fuzz_fail("%s: a false alarm, residual %g", name, r->max_residual);
    if (faulty && !repaired
        && (r->detected > 0 || t->full.ft.level == STF_FT_THREAD))
        return;
    if (!(error <= factor * (long double)stfi_naive_bound(&t->full)))
        fuzz_fail("%s: mode %d level %d scheme %d*%d: error %Lg of bound %g",
                  name, (int)t->full.ft.mode, (int)t->full.ft.level,
                  (int)t->full.ft.scheme, (int)t->full.ft.transactions, error,
                  stfi_naive_bound(&t->full));
}

static int suffers(stf_plan *plan, fuzz_bytes *b, stf_ft_mode mode)
{
    stf_fault fault;

    if (mode == STF_FT_OFF || fuzz_below(b, 2)
        || stf_plan_draw_fault(plan, fuzz_u64(b), &fault) != STF_OK)
        return 0;
    return stf_plan_inject(plan, &fault, 1) == STF_OK;
}

static void execute(stfi_trial *t, fuzz_bytes *b, const char *name)
{
    const stf_direction direction =
        t->full.kind == STF_C2R || (t->full.kind == STF_C2C && fuzz_below(b, 2))
            ? STF_INVERSE
            : STF_FORWARD;
    stf_plan *plan = NULL;
    stf_ft_report report = {0};
    long double *want = NULL;
    stf_status status = stf_plan_fft(cpu(), &t->problem.desc, &plan);
    int faulty;

    if (status == STF_ERR_UNSUPPORTED)
        return;
    if (status == STF_OK)
        status =
            stfi_trial_want(t, cpu(), direction, STFI_SOURCE_DIRECT, &want);
    if (status != STF_OK)
        fuzz_fail("%s: %s", name, stf_error_message());
    faulty = suffers(plan, b, t->full.ft.mode);
    status = stf_execute(plan, direction, stfi_trial_array(t, 0),
                         stfi_trial_array(t, 1));
    if (t->full.ft.mode != STF_FT_OFF)
        stf_plan_ft_report(plan, &report);
    if (status < STF_OK
        && !(status == STF_ERR_UNCORRECTED && faulty && report.detected > 0))
        fuzz_fail("%s: %s: %s", name, stf_status_name(status),
                  stf_error_message());
    judge(t, &report, faulty, name, want);
    stfi_trial_free_want(t, want);
    stf_plan_destroy(plan);
}

static void run(const uint8_t *data, size_t size)
{
    fuzz_bytes b = {data, size};
    stfi_problem p = {.in_place = 0};
    stfi_trial t;
    stf_status status;
    char name[640];

    p.in_place = fuzz_small_desc(&b, MOST_ELEMENTS, MOST_PROTECTED, &p.desc);
    status = stfi_trial_open(&t, &p, 0, fuzz_u64(&b));
    if (status == STF_ERR_UNSUPPORTED)
        return;
    if (status != STF_OK)
        fuzz_fail("no trial: %s", stf_error_message());
    execute(&t, &b, stfi_trial_name(&t, name, sizeof name));
    stfi_trial_close(&t);
}

const fuzz_target fuzz_execute = {"execute", 256, run};
