/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Protected plans of arrays in all layouts, with scale factors from denormal to huge:
 * no alarm without a fault, what a fault leaves is repaired, and nothing is written
 * but the output. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/harness/trial.h"
#include "tests/devices.h"
#include "tests/ft/trio.h"
#include "tests/tap.h"

/* A GPU takes one of so many rows. */
enum { GPU_STEP = 9 };

/* Runs a trial; if `faults` is 1, with a fault or, unprotected, by its passes.
 * Returns NULL if all is well; then the trial has its output. */
static const char *run_trial(stfi_trial *t, stf_device *dev, int protect,
                             stf_direction direction, int faults)
{
    stf_fault f = {.bit = -1, .magnitude = 1e5, .signal = t->full.batch - 1};
    stf_ft_report r;
    stfi_remote remote;
    stf_status status;
    const char *wrong = NULL;

    t->problem.desc.ft.mode = protect ? STF_FT_CORRECT : STF_FT_OFF;
    stfi_trial_reset(t);
    status = stfi_remote_open(t, dev, &remote);
    if (!status && faults)
        status = protect ? stf_plan_inject(remote.plan, &f, 1)
                         : stfi_signals_by_passes(remote.plan);
    if (!status)
        status = stf_execute(remote.plan, direction,
                             stfi_remote_element(t, &remote, 0),
                             stfi_remote_element(t, &remote, 1));
    if (status >= 0)
        status = stfi_remote_fetch(t, &remote);
    if (!status)
        status = stf_plan_ft_report(remote.plan, &r);
    if (status)
        wrong = stf_error_message();
    else if (protect && (r.detected != faults || r.recomputed != faults))
        wrong = faults ? "a fault is not found" : "an alarm";
    else
        wrong = stfi_trial_damage(t);
    stfi_remote_close(&remote);
    return wrong;
}

static const struct {
    stf_ft_scheme scheme;
    int transactions;
} schemes[] = {{STF_FT_SCHEME_AUTO, 0},
               {STF_FT_SCHEME_TWO_SIDED, 8},
               {STF_FT_SCHEME_SIGNAL, 2},
               {STF_FT_SCHEME_ONE_SIDED, 4}};

/* Returns 1 if the protected plan of a trial has other passes, and so other bits. */
static int has_others(const stfi_trial *t, stf_device *dev)
{
    static const stf_ft_mode modes[] = {STF_FT_OFF, STF_FT_CORRECT};
    stf_plan *plan[2] = {NULL, NULL};
    stf_fft_desc d = t->problem.desc;
    int others = 1;

    for (int i = 0; i < 2; i++) {
        d.ft.mode = modes[i];
        others = others && !stf_plan_fft(dev, &d, &plan[i]);
    }
    others = others && stfi_has_other_passes(dev, plan[0], plan[1]);
    stf_plan_destroy(plan[0]);
    stf_plan_destroy(plan[1]);
    return others;
}

/* Returns 1 if the output of a trial is near to another one. */
static int is_near(const stfi_trial *t, const void *other)
{
    const stfi_fenced *a = &t->array[!t->problem.in_place];
    double gap = 0, norm = 0;
    int64_t count = 0;

    for (int64_t i = 0; i < a->components; i++) {
        double due, have;
        if (!a->mine[i])
            continue;
        due = (double)stfi_trial_get(t, other, i);
        have = (double)stfi_trial_get(t, a->block, i);
        gap = hypot(gap, have - due);
        norm = hypot(norm, due);
        count++;
    }
    return stfi_are_near(&t->full, gap, norm, count);
}

/* Compares plans with protection, a scheme for each turn, and without. */
static const char *run_layout(stf_device *dev, const char *word,
                              const char *layout, double scale, size_t turn,
                              stf_direction direction, uint64_t *state)
{
    const char *wrong = NULL;
    void *want[2] = {NULL, NULL}; /* as it is run, and by its passes */
    const void *output;
    size_t bytes;
    stfi_trial t;
    stfi_problem p;

    if (stfi_problem_parse(word, &p))
        return stf_error_message();
    p.desc.scale_forward = p.desc.scale_inverse = scale;
    p.desc.ft.scheme = schemes[turn % 4].scheme;
    p.desc.ft.transactions = schemes[turn % 4].transactions;
    if (!stfi_trial_layout(&p, layout, state))
        return NULL;
    if (stfi_trial_open(&t, &p, 0, tap_seed()))
        return stf_error_message();
    output = t.array[!p.in_place].block;
    bytes = (size_t)t.array[!p.in_place].components * t.component_bytes;
    for (int passes = 0; passes < 2 && !wrong; passes++) {
        wrong = run_trial(&t, dev, 0, direction, passes);
        if (!(want[passes] = malloc(bytes)))
            wrong = "no memory";
        else
            memcpy(want[passes], output, bytes);
    }
    wrong = wrong ? wrong : run_trial(&t, dev, 1, direction, 0);
    if (!wrong && has_others(&t, dev)) {
        wrong =
            is_near(&t, want[1]) ? NULL : "not near to that without protection";
        memcpy(want[1], output, bytes);
    }
    if (!wrong && memcmp(want[0], output, bytes)
        && memcmp(want[1], output, bytes))
        wrong = "not as without protection";
    /* When the result is denormal, no fault changes it by enough. */
    if (!wrong && fabs(scale) > 1e-30)
        wrong = run_trial(&t, dev, 1, direction, 1);
    if (!wrong && memcmp(want[1], output, bytes))
        wrong = "not repaired";
    free(want[0]);
    free(want[1]);
    stfi_trial_close(&t);
    return wrong;
}

static void test_layouts(stf_device *dev, const stf_device_info *info)
{
    static const char *const list[] = {
        "c2c:f32:out:60*7",     "c2c:f64:in:64*33",     "c2c:f32:in:1021*2",
        "c2c:f64:out:5x4x6*3",  "r2c:f32:out:30x44*2",  "r2c:f64:in:100*3",
        "r2c:f64:out:99*4",     "c2r:f32:in:9x20*5",    "c2r:f64:out:99*4",
        "c2r:f32:out:64*3",     "c2r:f64:out:6x5x8*2",  "c2c:f32:out:8*40",
        "c2c:f32:in:2048*3",    "c2c:f64:out:20011*1",  "dct2:f32:out:60*7",
        "dct3:f64:in:9x20*5",   "dct4:f32:in:64*33",    "dst4:f64:out:99*4",
        "dst1:f32:out:30x44*2", "dct1:f64:in:101*3",    "dht:f32:out:17*9",
        "hc2r:f64:out:1021*2",  "dct2:f64:out:65536*1",
    };
    static const char *const layouts[] = {"packed", "interleaved", "gaps",
                                          "negative", "mixed"};
    static const double scales[6] = {1, -0.125, 1e-3, 1e20, 1e-25, 1e-44};
    uint64_t state = tap_seed();
    size_t i, k;

    for (k = 0; k < sizeof layouts / sizeof *layouts; k++) {
        int failures = 0;
        for (i = 0; i < sizeof list / sizeof *list; i++) {
            int inverse = list[i][2] == 'r' || (i % 2 && list[i][0] == 'c');
            double scale = scales[(i + 2 * k) % 6];
            const char *wrong = NULL;
            if (stfi_device_takes(info, (int)(i + k), GPU_STEP)
                && stfi_trio_has(info, list[i]))
                wrong = run_layout(dev, list[i], layouts[k], scale, i + k,
                                   inverse ? STF_INVERSE : STF_FORWARD, &state);
            failures += wrong != NULL;
            if (wrong)
                tap_diag("%s %s, times %g: %s", list[i], layouts[k], scale,
                         wrong);
        }
        tap_ok(!failures, "%s: %s arrays", info->name, layouts[k]);
    }
}

static void test_device(void *context, stf_device *dev,
                        const stf_device_info *info)
{
    (void)context;
    test_layouts(dev, info);
}

int main(void)
{
    tap_begin("ft/layouts");
    stfi_devices_each(test_device, NULL);
    return tap_end();
}
