/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Problems with plans that check end to end; see offline_run.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/fft/fft_plan.h"
#include "support/oracle/naive.h"
#include "tests/simt/offline_run.h"
#include "tests/tap.h"

char *stfi_offline_output(const stfi_offline_run *r)
{
    return r->trial.array[r->trial.problem.in_place ? 0 : 1].block;
}

int64_t stfi_offline_batch(const stfi_offline_run *r)
{
    return r->trial.full.batch;
}

/* The report's status must be UNCORRECTED if a fault could not be repaired, and
 * OK otherwise. */
int stfi_offline_execute(stfi_offline_run *r, const stfi_remote *remote,
                         stf_ft_report *report)
{
    stfi_trial *t = &r->trial;
    stf_status status;

    if (stf_plan_ft_reset(remote->plan) || stfi_remote_load(t, remote)
        || stf_execute(remote->plan, r->direction,
                       stfi_remote_element(t, remote, 0),
                       stfi_remote_element(t, remote, 1)))
        return 0;
    status = stf_plan_ft_report(remote->plan, report);
    if (status != (report->uncorrectable ? STF_ERR_UNCORRECTED : STF_OK))
        return 0;
    return stfi_remote_fetch(t, remote) == STF_OK;
}

void stfi_offline_tell(const stf_ft_report *report)
{
    tap_diag("%" PRId64 " detected, %" PRId64 " recomputed, %" PRId64
             " uncorrectable, %" PRId64 " not finite: %s",
             report->detected, report->recomputed, report->uncorrectable,
             report->non_finite_input, stf_error_message());
}

static int open_plan(stfi_offline_run *r, stf_device *dev, stf_ft_mode mode,
                     stfi_remote *remote)
{
    r->trial.problem.desc.ft.mode = mode;
    r->trial.problem.desc.ft.level = STF_FT_OFFLINE;
    return stfi_remote_open(&r->trial, dev, remote) == STF_OK;
}

int stfi_offline_is_close(const stfi_offline_run *r)
{
    const stf_precision id = r->trial.full.precision;
    const char *output = stfi_offline_output(r);
    const int64_t count = (int64_t)(r->bytes / stfi_type_get(id)->bytes);
    long double norm = 0, difference = 0;

    for (int64_t i = 0; i < count; i++) {
        const long double a = stfi_type_read(id, r->want, i);
        const long double b = stfi_type_read(id, output, i);
        if (isnan(a) && isnan(b))
            continue;
        norm += a * a;
        difference += (a - b) * (a - b);
    }
    return (double)sqrtl(difference / norm)
           <= 2 * stfi_naive_bound(&r->trial.full);
}

/* Returns 1 if two plans have the same signals in their lanes: results are the same
 * bits then. */
static int has_same_lanes(const stf_plan *one, const stf_plan *other)
{
    const stfi_schedule *a = stfi_fft_plan_of(one)->schedule;
    const stfi_schedule *b = stfi_fft_plan_of(other)->schedule;
    int same = a->npasses == b->npasses;

    for (int i = 0; same && i < a->npasses; i++)
        same = a->pass[i].op == b->pass[i].op
               && a->pass[i].two_loop == b->pass[i].two_loop
               && a->pass[i].load.pair == b->pass[i].load.pair;
    return same;
}

/* Makes the output of a protected plan the one that is wanted, if it is close to
 * that of the unprotected plan; returns 0 if not. */
static int take_protected(stfi_offline_run *r)
{
    stf_ft_report report;

    stfi_trial_reset(&r->trial);
    if (!stfi_offline_execute(r, &r->detect, &report)
        || !stfi_offline_is_close(r))
        return 0;
    memcpy(r->want, stfi_offline_output(r), r->bytes);
    return 1;
}

/* Makes the protected plans, and the output that they have to have; returns 0 on
 * failure. */
static int open_plans(stfi_offline_run *r, stf_device *dev)
{
    stfi_remote plain;
    int right;

    r->trial.problem.desc.ft.mode = STF_FT_OFF;
    right = !stfi_remote_open(&r->trial, dev, &plain)
            && !stf_execute(plain.plan, r->direction,
                            stfi_remote_element(&r->trial, &plain, 0),
                            stfi_remote_element(&r->trial, &plain, 1))
            && !stfi_remote_fetch(&r->trial, &plain);
    r->want = malloc(r->bytes);
    if (right && r->want)
        memcpy(r->want, stfi_offline_output(r), r->bytes);
    right =
        right && r->want && open_plan(r, dev, STF_FT_DETECT, &r->detect)
        && open_plan(r, dev, STF_FT_CORRECT, &r->correct)
        && (has_same_lanes(plain.plan, r->detect.plan) || take_protected(r));
    stfi_remote_close(&plain);
    return right;
}

int stfi_offline_open(const stfi_offline_row *row, const char *word,
                      stf_device *dev, stfi_offline_run *r)
{
    stfi_problem p;
    uint64_t state = tap_seed();
    int last;

    memset(r, 0, sizeof *r);
    r->row = row;
    if (stfi_problem_parse(word, &p)
        || !stfi_trial_layout(&p, row->layout, &state))
        return 0;
    r->direction =
        p.desc.kind == STF_C2R || (p.desc.kind == STF_C2C && p.desc.n[0] % 2)
            ? STF_INVERSE
            : STF_FORWARD;
    if (row->scale > 0)
        *(r->direction == STF_INVERSE ? &p.desc.scale_inverse
                                      : &p.desc.scale_forward) = row->scale;
    if (stfi_trial_open(&r->trial, &p, 0, stfi_random_u64(&state)))
        return 0;
    last = p.in_place ? 0 : 1;
    r->bytes =
        (size_t)r->trial.array[last].components * r->trial.component_bytes;
    return open_plans(r, dev);
}

void stfi_offline_close(stfi_offline_run *r)
{
    stfi_remote_close(&r->detect);
    stfi_remote_close(&r->correct);
    stfi_trial_close(&r->trial);
    free(r->want);
}

int stfi_offline_is_from_memory(const stfi_remote *remote)
{
    return remote->dev->backend->fft->from_memory(
        stfi_fft_plan_of(remote->plan)->exec, 0);
}

int stfi_offline_is_signed(const stfi_remote *remote)
{
    char work;

    return remote->dev->backend->fft->signs_at(
               stfi_fft_plan_of(remote->plan)->exec, &work)
           != NULL;
}
