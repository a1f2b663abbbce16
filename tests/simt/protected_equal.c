/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Groups of equal transforms, and data of many kinds; see protected.h. */
#include "tests/simt/protected.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/random.h"
#include "support/problem/distribution.h"
#include "tests/report.h"
#include "tests/tap.h"

stf_status protected_execute(protected_run *r, const stfi_remote *remote)
{
    const stfi_trial *t = &r->trial;
    stf_status status = stfi_remote_load(t, remote);

    if (status == STF_OK)
        status = stf_execute(remote->plan, r->direction,
                             stfi_remote_element(t, remote, 0),
                             stfi_remote_element(t, remote, 1));
    return status < STF_OK ? status : stfi_remote_fetch(&r->trial, remote);
}

/* Executes with all signals equal to signal b; returns 0 on failure. */
static int run_equal(protected_run *r, int64_t b, stf_ft_report *report)
{
    stfi_trial *t = &r->trial;
    int64_t reals = stfi_trial_elements(t, 0) * stfi_trial_parts(t, 0);
    int64_t first = t->array[0].origin;

    stfi_trial_reset(t);
    for (int64_t i = first; i < t->array[0].components; i++)
        if (t->array[0].mine[i])
            stfi_trial_set(
                t, t->array[0].block, i,
                stfi_trial_get(t, t->array[0].block,
                               first + b * reals + (i - first) % reals));
    return !stf_plan_ft_reset(r->guarded.plan)
           && !protected_execute(r, &r->guarded)
           && !stf_plan_ft_report(r->guarded.plan, report);
}

void protected_check_equal(const protected_row *row, protected_run *r)
{
    stf_ft_report report = {0};
    int right = 1;

    for (int64_t b = 0;
         right && report.max_residual == 0 && b < r->trial.full.batch; b++)
        right = run_equal(r, b, &report) && report.detected == 0
                && report.uncorrectable == 0 && report.max_residual <= 1;
    tap_ok(right && report.max_residual > 0,
           "%s: %s: no alarm for equal signals", row->name, row->word);
    tap_diag("largest residual %.3f, detected %" PRId64 ", rechecked %" PRId64,
             report.max_residual, report.detected, report.rechecked);
}

/* Sets all elements of transform b to 0 but one, whose place and value the
 * random number gives. */
static void set_impulse(stfi_trial *t, int64_t b, uint64_t random)
{
    int64_t count = stfi_trial_elements(t, 0);
    int64_t place = (int64_t)(random >> 32) % count;

    for (int64_t i = 0; i < count; i++)
        for (int part = 0; part < stfi_trial_parts(t, 0); part++)
            stfi_trial_set(t, stfi_trial_array(t, 0),
                           stfi_trial_place(t, 0, b, i, part),
                           i == place && part == 0
                               ? 1 + (long double)(uint32_t)random * 0x1p-32L
                               : 0);
}

void protected_check_impulses(const protected_row *row, protected_run *r)
{
    stfi_trial *t = &r->trial;
    int64_t period = t->full.batch / row->transactions;
    stf_ft_report report = {0};
    int right;

    stfi_trial_reset(t);
    for (int64_t b = 0; b < t->full.batch; b++) {
        uint64_t state = tap_seed() + (uint64_t)(b % (period ? period : 1));
        set_impulse(t, b, stfi_random_u64(&state));
    }
    right = !stf_plan_ft_reset(r->guarded.plan)
            && !protected_execute(r, &r->guarded)
            && !stf_plan_ft_report(r->guarded.plan, &report);
    tap_ok(right && report_has_only(&report, REPORT_BIT(RECHECKED))
               && report.max_residual <= 1,
           "%s: %s: no alarm for equal impulses", row->name, row->word);
    tap_diag("largest residual %.3f, detected %" PRId64 ", rechecked %" PRId64,
             report.max_residual, report.detected, report.rechecked);
}

/* Gives transform b data of a distribution; returns 0 without memory. */
static int set_distribution(stfi_trial *t, int64_t b, int distribution)
{
    int64_t count = stfi_trial_elements(t, 0);
    int parts = stfi_trial_parts(t, 0);
    uint64_t state = tap_seed() + (uint64_t)b;
    void *signal = malloc((size_t)(count * parts) * t->component_bytes);

    if (signal == NULL)
        return 0;
    stfi_distribution_draw(distribution, t->full.precision, count, parts,
                           signal, &state);
    for (int64_t i = 0; i < count * parts; i++)
        stfi_trial_set(t, stfi_trial_array(t, 0),
                       stfi_trial_place(t, 0, b, i / parts, (int)(i % parts)),
                       stfi_trial_get(t, signal, i));
    free(signal);
    return 1;
}

void protected_check_distributions(const protected_row *row, protected_run *r)
{
    stfi_trial *t = &r->trial;
    stf_ft_report report = {0};
    int right = !stf_plan_ft_reset(r->guarded.plan);

    for (int64_t k = 0; k < STFI_DISTRIBUTIONS && right; k += t->full.batch) {
        stfi_trial_reset(t);
        for (int64_t b = 0; b < t->full.batch && right; b++)
            right = set_distribution(t, b, (int)((k + b) % STFI_DISTRIBUTIONS));
        right = right && !protected_execute(r, &r->guarded);
    }
    right = right && !stf_plan_ft_report(r->guarded.plan, &report);
    tap_ok(right && report_has_only(&report, REPORT_BIT(RECHECKED))
               && report.max_residual <= 1,
           "%s: %s: no alarm for data of %d kinds", row->name, row->word,
           STFI_DISTRIBUTIONS);
    tap_diag("largest residual %.3f of %" PRId64 ", rechecked %" PRId64,
             report.max_residual, report.groups_checked, report.rechecked);
}
