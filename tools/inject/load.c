/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Speed under load; see load.h. A round is a number of executions that suffer
 * one fault together, or none; results stay on the device. */
#include "tools/inject/load.h"

#include <math.h>

#include "base/alloc.h"
#include "base/status.h"
#include "tools/command/command.h"
#include "tools/command/stats.h"

/* Ten rounds a second make 600 faults a minute. The host waits for the device
 * only after so many executions as take WAIT_SECONDS. */
static const double ROUND_SECONDS = 0.1, WAIT_SECONDS = 0.005;

enum { ROUNDS = 9, MOST_AT_ONCE = 1 << 16 };

static stf_status execute(stfi_setup *t, int count)
{
    stf_status status = STF_OK;

    for (int i = 0; i < count && status == STF_OK; i++) {
        status = stfi_setup_execute(t);
        if (status > STF_OK || status == STF_ERR_UNCORRECTED)
            status = STF_OK;
    }
    return status == STF_OK ? stf_synchronize(t->dev) : status;
}

/* Executions per second in one round. If there is a fault, the time to place it
 * is part of the round. Data that grow in place are loaded again while the
 * clock stands still. *at_once_p, the executions between two waits, is passed
 * on from round to round. */
static stf_status run_round(stfi_rig *r, const stf_fault *fault, int *at_once_p,
                            double *rate_p)
{
    stfi_setup *t = &r->setup;
    int in_place = t->in == t->out;
    int most = in_place ? stfi_setup_most_in_place(&t->full) : MOST_AT_ONCE;
    double all = 0.0, executions = 0.0;
    stf_status status = stfi_setup_load(t, 0);

    while (all < ROUND_SECONDS && status == STF_OK) {
        double began, seconds;

        if (in_place)
            status = stfi_setup_load(t, 0);
        began = stfi_clock();
        if (fault != NULL && executions == 0.0 && status == STF_OK)
            status = stf_plan_inject(t->plan, fault, 1);
        if (status == STF_OK)
            status = execute(t, *at_once_p);
        seconds = stfi_clock() - began;
        all += seconds;
        executions += *at_once_p;
        if (seconds < WAIT_SECONDS && 2 * *at_once_p <= most)
            *at_once_p *= 2;
    }
    *rate_p = executions / all;
    return status;
}

/* Fills every transform with N(0,1) data. */
static stf_status fill(stfi_rig *r, uint64_t seed)
{
    int64_t batch = r->setup.full.batch;
    stfi_draw *draw;
    void *memory;
    stf_status status =
        stfi_alloc((size_t)batch * sizeof *draw, "the data", &memory);

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
    double clean[ROUNDS], struck[ROUNDS], batch;
    int at_once = 1;
    stf_status status = fill(r, seed);

    if (status == STF_OK)
        status = run_round(r, NULL, &at_once, &clean[0]); /* warms up */
    for (int i = 0; i < ROUNDS && status == STF_OK; i++) {
        stf_fault fault;
        status = stf_plan_draw_fault(r->setup.plan, seed + (uint64_t)i, &fault);
        if (status == STF_OK)
            status = run_round(r, NULL, &at_once, &clean[i]);
        if (status == STF_OK)
            status = run_round(r, &fault, &at_once, &struck[i]);
    }
    if (status != STF_OK)
        return status;
    batch = (double)r->setup.full.batch;
    load_p->clean = batch * stfi_median(clean, ROUNDS);
    load_p->struck = batch * stfi_median(struck, ROUNDS);
    load_p->faults_per_minute = 60.0 / ROUND_SECONDS;
    return STF_OK;
}
