/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Faults in data whose squares underflow; see protected.h. */
#include <inttypes.h>

#include "tests/simt/protected.h"
#include "tests/simt/simt.h"
#include "tests/tap.h"

/* FAULTS: at once, each in a transform of its own. A fault of a few bits makes about
 * one residual in hundreds exactly 0. */
enum { FAULTS = 512, BITS = 6 };
static const double tiny = 0x1p-90;

static void make_tiny(stfi_trial *t)
{
    stfi_trial_reset(t);
    for (int64_t i = 0; i < t->array[0].components; i++)
        if (t->array[0].mine[i])
            stfi_trial_set(t, t->array[0].block, i,
                           tiny * stfi_trial_get(t, t->array[0].block, i));
}

/* Adds to `sum` what came of faults that flip a bit of the first stage's inputs. */
static stf_status strike(protected_run *r, int bit, uint64_t *state,
                         stf_ft_report *sum)
{
    stfi_trial *t = &r->trial;
    stf_fault fault[FAULTS];
    stf_ft_report report = {0};
    stf_status status;

    for (int i = 0; i < FAULTS; i++)
        fault[i] = (stf_fault){
            .signal = i,
            .element = (int64_t)(stfi_random_u64(state) % (uint64_t)t->points),
            .component = (int32_t)(stfi_random_u64(state) % 2),
            .bit = bit};
    make_tiny(t);
    if ((status = stf_plan_ft_reset(r->guarded.plan))
        || (status = stf_plan_inject(r->guarded.plan, fault, FAULTS)))
        return status;
    (void)protected_execute(r, &r->guarded);
    (void)stf_plan_ft_report(r->guarded.plan, &report);
    sum->detected += report.detected;
    sum->recomputed += report.recomputed;
    return STF_OK;
}

static void check_repairs(protected_run *r, const char *word)
{
    uint64_t state = tap_seed();
    stf_ft_report sum = {0};
    stf_status status = STF_OK;

    for (int bit = 0; bit < BITS && status == STF_OK; bit++)
        status = strike(r, bit, &state, &sum);
    tap_ok(status == STF_OK && sum.detected > 0
               && sum.detected == sum.recomputed,
           "%s: what is detected in tiny data is repaired: %" PRId64
           " of %" PRId64,
           word, sum.recomputed, sum.detected);
}

void protected_check_tiny(void)
{
    static const char word[] = "c2c:f32:out:30*512";
    stfi_problem p;
    static protected_run r = {.direction = STF_FORWARD};

    if (stfi_problem_parse(word, &p)
        || stfi_trial_open(&r.trial, &p, 0, tap_seed())
        || stfi_simt_device_open("h200", &r.dev)) {
        tap_ok(0, "%s: %s", word, stf_error_message());
    } else {
        r.trial.problem.desc.ft.mode = STF_FT_CORRECT;
        if (!stfi_remote_open(&r.trial, r.dev, &r.guarded))
            check_repairs(&r, word);
        else
            tap_ok(0, "%s: %s", word, stf_error_message());
    }
    stfi_remote_close(&r.guarded);
    stfi_trial_close(&r.trial);
    stf_device_close(r.dev);
}
