/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Signals of one batch that differ in scale by many orders of magnitude. A check may
 * add up signals, but not so that a fault in a small one is lost beside a large one:
 * that is an impulse, whose sums have no rounding errors, or random numbers. */
#include <string.h>

#include "base/type.h"
#include "support/problem/problem.h"
#include "tests/ft/trio.h"
#include "tests/tap.h"

static const struct {
    const char *word;
    double tiny; /* its square is within the range of the type */
} problems[] = {
    {"c2c:f64:out:1024*9", 1e-20}, {"c2c:f32:out:1024*9", 1e-10},
    {"c2c:f64:out:60*9", 1e-20},   {"c2c:f32:out:60*21", 1e-10},
    {"c2c:f64:out:8*9", 1e-20},    {"c2c:f32:in:256*19", 1e-10},
    {"r2c:f32:out:2000*9", 1e-10}, {"r2c:f64:out:36*9", 1e-20},
    {"c2c:f64:out:4096*9", 1e-20}, {"c2c:f32:out:35x9*17", 1e-10},
};

/* Draws all signals tiny but one, which is an impulse if it is `exact`. */
static int load(stfi_trio *trio, int64_t large, int exact, double tiny,
                uint64_t *state)
{
    stfi_signals *s = &trio->s;

    for (int64_t b = 0; b < s->d.batch; b++)
        for (int64_t i = 0; i < s->in_count; i++) {
            const double x = stfi_random_normal(state);
            stfi_signals_set(s, s->in, b * s->in_count + i,
                             b != large ? tiny * x
                             : exact    ? i == 0
                                        : x);
        }
    return stfi_trio_load(trio);
}

/* Draws a fault of some signal but the large one. */
static stf_status draw_fault(const stfi_trio *trio, int64_t large, double tiny,
                             uint64_t *state, stf_fault *f)
{
    stf_status status = stf_plan_draw_fault(trio->plan[STFI_TRIO_CORRECT],
                                            stfi_random_u64(state), f);

    f->bit = -1;
    f->magnitude = tiny;
    f->persistent = 0;
    if (f->signal == large)
        f->signal = (large + 1) % trio->s.d.batch;
    return status;
}

static const char *judge(stfi_trio *trio, const stf_fault *f)
{
    stfi_trio_result got = stfi_trio_run(trio, STFI_TRIO_CORRECT, NULL, 0);

    if (!got.ran || got.status != STF_OK || got.r.detected != 0)
        return "an alarm";
    got = stfi_trio_run(trio, STFI_TRIO_DETECT, f, 1);
    if (!got.ran || got.r.detected == 0)
        return "a fault is not found";
    got = stfi_trio_run(trio, STFI_TRIO_CORRECT, f, 1);
    if (!got.ran || got.status < 0 || !stfi_trio_same(trio, -1))
        return "not repaired";
    return NULL;
}

static const char *run(stfi_trio *trio, double tiny, int trials,
                       uint64_t *state)
{
    const char *wrong = NULL;
    stf_fault f;

    for (int i = 0; i < trials && wrong == NULL; i++) {
        const int64_t large =
            (int64_t)(stfi_random_u64(state) % (uint64_t)trio->s.d.batch);
        if (!load(trio, large, i % 2, tiny, state))
            return "no data";
        if (draw_fault(trio, large, tiny, state, &f))
            return stf_error_message();
        wrong = judge(trio, &f);
        if (wrong != NULL)
            tap_diag("signal %d beside %d: pass %d, stage %d, element %d",
                     (int)f.signal, (int)large, (int)f.pass, (int)f.stage,
                     (int)f.element);
    }
    return wrong;
}

static void test_device(void *context, stf_device *dev,
                        const stf_device_info *info)
{
    const int trials = tap_level() == TAP_QUICK ? 20 : 200;

    (void)context;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        const char *wrong = "no plan";
        uint64_t state = tap_seed() + i;
        stfi_trio trio;
        if (stfi_trio_open(&trio, dev, problems[i].word, STF_FORWARD) > 0)
            wrong = run(&trio, problems[i].tiny, trials, &state);
        stfi_trio_close(&trio);
        tap_ok(wrong == NULL, "%s: %s%s%s", info->name, problems[i].word,
               wrong ? ": " : "", wrong ? wrong : "");
    }
}

int main(void)
{
    tap_begin("ft/scales");
    stfi_devices_each(test_device, NULL);
    return tap_end();
}
