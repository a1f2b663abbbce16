/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Speed under load; see load.h. A round of executions suffers one fault or
 * none; results stay on the device. */
#include "tools/load.h"

#include <math.h>

#include "base/alloc.h"
#include "base/status.h"
#include "tools/command.h"
#include "tools/stats.h"

/* Ten rounds a second make 600 faults a minute. */
static const double ROUND_SECONDS = 0.1;

enum { ROUNDS = 9, MOST_EXECUTIONS = 1 << 20 };

/* Executions in place before data that began as N(0,1) come near the largest
 * number: a transform multiplies their size by the root of its points. */
static int executions_until_overflow(const stf_fft_desc *d)
{
    double digits = 0.0;

    for (int a = 0; a < d->rank; a++)
        digits += 0.5 * log10((double)d->n[a]);
    return digits > 0.5 ? (int)fmax(30.0 / digits, 1.0) : 60;
}

/* Seconds of `count` executions, and of placing their fault if there is one;
 * data that have grown are made anew off the clock. */
static stf_status run_round(stfi_rig *r, int count, const stf_fault *fault,
                            double *seconds_p)
{
    stfi_trial *t = &r->trial;
    int most = t->in == t->out ? executions_until_overflow(&t->full) : count;
    double seconds = 0.0;
    stf_status status = STF_OK;

    for (int done = 0; done < count && status == STF_OK; done += most) {
        int some = count - done < most ? count - done : most;
        double began;

        if (done == 0 || t->in == t->out)
            status = stfi_trial_load(t, 0);
        began = stfi_clock();
        if (done == 0 && fault != NULL && status == STF_OK)
            status = stf_plan_inject(t->plan, fault, 1);
        for (int i = 0; i < some && status == STF_OK; i++) {
            status = stfi_trial_execute(t);
            if (status > STF_OK || status == STF_ERR_UNCORRECTED)
                status = STF_OK;
        }
        if (status == STF_OK)
            status = stf_synchronize(t->dev);
        seconds += stfi_clock() - began;
    }
    *seconds_p = seconds;
    return status;
}

static stf_status calibrate(stfi_rig *r, int *count_p)
{
    double seconds = 0.0;
    stf_status status = STF_OK;

    for (*count_p = 1; status == STF_OK && *count_p < MOST_EXECUTIONS;
         *count_p *= 2) {
        status = run_round(r, *count_p, NULL, &seconds);
        if (seconds > 0.5 * ROUND_SECONDS)
            break;
    }
    if (status == STF_OK && seconds > 0.0)
        *count_p = (int)fmax(1.0, *count_p * ROUND_SECONDS / seconds);
    return status;
}

/* N(0,1) in every transform. */
static stf_status fill(stfi_rig *r, uint64_t seed)
{
    int64_t batch = r->trial.full.batch;
    stfi_draw *draw;
    void *memory;
    stf_status status = stfi_alloc((size_t)batch * sizeof *draw, "the data",
                                   &memory);

    if (status != STF_OK)
        return status;
    draw = memory;
    for (int64_t t = 0; t < batch; t++)
        draw[t] = (stfi_draw){.seed = stfi_random_u64(&seed)};
    status = stfi_rig_draw(r, draw);
    stfi_dealloc(memory);
    return status;
}

stf_status stfi_load_measure(stfi_rig *r, uint64_t seed, stfi_load *load_p)
{
    double clean[ROUNDS], struck[ROUNDS], transforms;
    int count = 1;
    stf_status status = fill(r, seed);

    if (status == STF_OK)
        status = calibrate(r, &count);
    for (int i = 0; i < ROUNDS && status == STF_OK; i++) {
        stf_fault fault;
        status = stf_plan_draw_fault(r->trial.plan, seed + (uint64_t)i,
                                     &fault);
        if (status == STF_OK)
            status = run_round(r, count, NULL, &clean[i]);
        if (status == STF_OK)
            status = run_round(r, count, &fault, &struck[i]);
    }
    if (status != STF_OK)
        return status;
    transforms = (double)count * (double)r->trial.full.batch;
    load_p->clean = transforms / stfi_median(clean, ROUNDS);
    load_p->faults_per_minute = 60.0 / stfi_median(struck, ROUNDS);
    load_p->struck = transforms / stfi_median(struck, ROUNDS);
    return STF_OK;
}
