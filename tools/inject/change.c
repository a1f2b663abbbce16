/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Random choices of trials, and what faults change; see change.h. */
#include "tools/inject/change.h"

#include <math.h>

#include "base/status.h"
#include "base/type.h"
#include "ft/threshold.h"
#include "support/problem/distribution.h"

/* The smallest clean error, in units of sqrt(L) u. */
static const double LEAST_ERROR = 0.2;

/* So many successive trials have data of one distribution. Tiles that mix small and
 * large data are computed with more care, so data of one kind would make the protection
 * of its neighbours look better than it is. */
enum { KIND_TRIALS = 64 };

/* ------------------------------------------------------------------ chance */

static uint64_t trial_seed(uint64_t seed, int64_t trial)
{
    uint64_t state = seed ^ ((uint64_t)trial * 0x2545f4914f6cdd1du);

    state = stfi_random_u64(&state);
    return stfi_random_u64(&state);
}

stfi_draw stfi_chance_draw(stfi_chance chance, int64_t trial)
{
    return (stfi_draw){
        .seed = trial_seed(chance.seed, trial),
        .distribution = chance.distribution >= 0
                            ? chance.distribution
                            : (int)(trial / KIND_TRIALS % STFI_DISTRIBUTIONS),
    };
}

int stfi_chance_strikes(stfi_chance chance, int64_t trial)
{
    return (trial & 1) == (int64_t)(trial_seed(~chance.seed, trial / 2) & 1);
}

/* ----------------------------------------------------------------- changes */

/* The rounding error of transforms of denormal numbers, which is also the error
 * of a signal of zeros that a fault has struck. */
static long double least_error(const stf_fft_desc *full, double depth)
{
    double step = (double)stfi_type_get(full->precision)->least;
    double points = 1.0;

    for (int a = 0; a < full->rank; a++)
        points *= (double)full->n[a];
    return (long double)step * sqrt(points * (1.0 + depth));
}

stfi_change stfi_change_of(const stfi_rig *r, int64_t t, const void *clean)
{
    const stf_fft_desc *full = &r->setup.full;
    double depth = stfi_ft_depth(full);
    stfi_change c = {
        .clean = sqrtl(stfi_rig_distance2(r, t, clean, NULL)),
        .norm = sqrtl(stfi_rig_norm2(r, t)),
    };

    c.unit = LEAST_ERROR * sqrt(fmax(1.0, depth))
             * stfi_type_get(full->precision)->unit_roundoff * c.norm;
    c.unit = fmaxl(c.unit, fmaxl(c.clean, least_error(full, depth)));
    return c;
}

double stfi_change_size(const stfi_rig *r, const stfi_change *c, int64_t t,
                        const void *clean, const void *now)
{
    long double change = sqrtl(stfi_rig_distance2(r, t, now, clean));

    if (change == 0.0L)
        return 0.0;
    return isfinite(change) && c->unit > 0.0L ? (double)(change / c->unit)
                                              : INFINITY;
}

stf_status stfi_change_draw(stfi_rig *r, const stfi_draw *draw, void *clean,
                            void *struck, stf_ft_report report[2],
                            double *size_p)
{
    stf_plan *plan = r->setup.plan;
    stf_fault fault;
    stfi_change unit;
    stf_status status = stfi_rig_draw(r, draw);

    if (status == STF_OK)
        status = stf_plan_draw_fault(plan, ~draw->seed, &fault);
    if (status == STF_OK)
        status = stfi_rig_run(r, plan, NULL, 0, clean, &report[0]);
    if (status == STF_OK)
        status = stfi_rig_run_passes(r, plan, clean);
    if (status == STF_OK)
        status = stfi_rig_run(r, plan, &fault, 1, struck, &report[1]);
    if (status != STF_OK)
        return status;
    unit = stfi_change_of(r, 0, clean);
    *size_p = stfi_change_size(r, &unit, 0, clean, struck);
    return STF_OK;
}
