/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Candidates for GPUs: what is planned with them keeps to the invariants of
 * schedules, and plans with other shapes than the model's, or measured ones, compute
 * the transform on an emulated device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fft/candidates.h"
#include "fft/desc.h"
#include "fft/lower.h"
#include "run/device.h"
#include "run/fft/fft_plan.h"
#include "support/harness/trial.h"
#include "support/oracle/naive.h"
#include "tests/simt/simt.h"
#include "tests/tap.h"
#include "tests/unit/invariants.h"
#include "tests/unit/random_problem.h"

enum { SHOWN = 5, EACH = 4 };

/* What became of the candidates of random problems. The shortest tiles have fewer
 * shapes than ranks, and some shapes become the model's when they are fitted into
 * block memory. */
typedef struct tally {
    int planned, refused, same, wrong;
} tally;

static void blame(tally *t, const random_problem *p, const stfi_caps *caps,
                  const stfi_choice *choice, const char *what)
{
    char text[RANDOM_PROBLEM_BYTES], chosen[STFI_CHOICE_TEXT] = "";

    if (t->wrong++ >= SHOWN)
        return;
    random_problem_print(p, text);
    stfi_choice_print(choice, chosen);
    tap_diag("%s, %s: %s: %s", caps->name, text, chosen, what);
}

/* Returns 1 if wisdom can keep a choice. */
static int is_kept(const stfi_choice *choice)
{
    char text[STFI_CHOICE_TEXT];
    stfi_choice read;

    return stfi_choice_print(choice, text) && stfi_choice_parse(text, &read)
           && memcmp(&read, choice, sizeof read) == 0;
}

static void examine(const random_problem *p, const stf_fft_desc *full,
                    const stfi_caps *caps, const stfi_choice *choice,
                    const stfi_schedule *model, tally *t)
{
    static stfi_schedule s;
    const invariants_view v = {full, caps, &s};
    const invariant *row;
    stf_status status = stfi_lower_chosen(full, caps, 1, SIZE_MAX, choice, &s);

    if (!is_kept(choice))
        blame(t, p, caps, choice, "its text");
    if (status != STF_OK) {
        t->refused++;
        if (status != STF_ERR_UNSUPPORTED)
            blame(t, p, caps, choice, stf_error_message());
        return;
    }
    t->planned++;
    t->same += memcmp(s.pass, model->pass, sizeof s.pass) == 0;
    for (int i = 0; (row = invariant_at(i)) != NULL; i++) {
        const char *wrong = row->wrong(&v);
        if (wrong != NULL)
            blame(t, p, caps, choice, wrong);
    }
}

static void test_random(const char *preset)
{
    static const int counts[] = {40, 200, 2000};
    static const stfi_choice base;
    static stfi_choice list[STFI_CANDIDATES];
    static stfi_schedule model;
    const stfi_caps *caps = stfi_preset_find(preset);
    uint64_t state = tap_seed();
    random_problem p;
    stf_fft_desc full;
    tally t = {0};

    for (int i = 0; i < counts[tap_level()]; i++) {
        random_problem_draw(&state, &p);
        if (stfi_desc_complete(&p.d, &full) != STF_OK
            || stfi_lower(&full, caps, 1, &model) != STF_OK)
            continue;
        int count = stfi_candidates(&full, &model, 0, &base, EACH, list);
        for (int k = 0; k < count; k++)
            examine(&p, &full, caps, &list[k], &model, &t);
    }
    tap_ok(t.wrong == 0 && t.planned > t.refused && 20 * t.same < t.planned,
           "%s: %d candidates, %d not possible, %d the model's, %d wrong",
           preset, t.planned + t.refused, t.refused, t.same, t.wrong);
}

/* Executes a plan in place of that of `r`; returns the error, relative to the
 * bound. It is that of direct sums, or if there is `cpu`, of an F80 plan. */
static double error_from(stfi_trial *t, stfi_remote *r, stf_plan *plan,
                         stf_device *cpu)
{
    const stfi_source source =
        cpu != NULL ? STFI_SOURCE_F80 : STFI_SOURCE_DIRECT;
    long double *want = NULL;
    double ratio = NAN;

    stf_plan_destroy(r->plan);
    r->plan = plan;
    stfi_trial_reset(t);
    if (stfi_remote_load(t, r) == STF_OK
        && stf_execute(plan, STF_FORWARD, stfi_remote_element(t, r, 0),
                       stfi_remote_element(t, r, 1))
               == STF_OK
        && stfi_remote_fetch(t, r) == STF_OK && stfi_trial_damage(t) == NULL
        && stfi_trial_want(t, cpu, STF_FORWARD, source, &want) == STF_OK)
        ratio = (double)stfi_naive_error(&t->full, stfi_trial_array(t, 1), want)
                / stfi_naive_bound(&t->full);
    stfi_trial_free_want(t, want);
    return ratio;
}

static double error_of(stfi_trial *t, stfi_remote *r, stf_plan *plan)
{
    return error_from(t, r, plan, NULL);
}

/* Three passes of matrix units, of a device with one multiprocessor, so that blocks take
 * tile after tile and the next one arrives meanwhile: the first pass stores rows. */
static void test_tile_after_tile(void)
{
    const stfi_choice_list split = {
        .n = 32768, .count = 3, .factor = {64, 64, 8}};
    stfi_caps caps = *stfi_preset_find("h200");
    stfi_choice choice = {.shapes = 0};
    stf_device *dev = NULL, *cpu = NULL;
    stfi_fft_plan *plan;
    double error = NAN;
    stfi_problem p;
    stfi_trial t;
    stfi_remote r = {.dev = NULL};

    caps.units = 1;
    if (!tap_ok(stfi_simt_device_open_caps(&caps, &dev) == STF_OK
                    && stf_device_open("cpu", &cpu) == STF_OK
                    && stfi_choice_set_split(&choice, &split)
                    && stfi_problem_parse("c2c:f16:tensor:out:32768", &p)
                           == STF_OK
                    && stfi_trial_open(&t, &p, 0, tap_seed()) == STF_OK
                    && stfi_remote_open(&t, dev, &r) == STF_OK,
                "a device of one multiprocessor opens"))
        return;
    if (stfi_fft_plan_create_as(dev, &p.desc, 1, &choice, &plan) == STF_OK
        && plan->schedule->npasses == 3 && plan->schedule->pass[0].block.direct)
        error = error_from(&t, &r, &plan->head, cpu);
    tap_ok(error <= 1.0, "three passes, tile after tile: %.3f of the bound",
           error);
    stfi_remote_close(&r);
    stfi_trial_close(&t);
    stf_device_close(dev);
    stf_device_close(cpu);
}

/* All shapes that the model ranks for one tile, up to a rank that it has not. */
static void test_shapes(stf_device *dev, const char *word, int64_t n,
                        stf_ft_mode mode)
{
    double worst = 0.0;
    int shapes = 0;
    stfi_problem p;
    stfi_trial t;
    stfi_remote r = {.dev = NULL};

    if (!tap_ok(stfi_problem_parse(word, &p) == STF_OK
                    && (p.desc.ft.mode = mode) == mode
                    && stfi_trial_open(&t, &p, 0, tap_seed()) == STF_OK
                    && stfi_remote_open(&t, dev, &r) == STF_OK,
                "%s: %s", word, stf_error_message()))
        return;
    for (int rank = 1; rank < STFI_CHOICE_SHAPES; rank++) {
        stfi_choice choice = {.shapes = 0};
        stfi_fft_plan *plan;
        stfi_choice_set_rank(&choice, n, rank);
        if (stfi_fft_plan_create_as(dev, &p.desc, 1, &choice, &plan) != STF_OK)
            continue;
        shapes++;
        worst = fmax(worst, error_of(&t, &r, &plan->head));
    }
    tap_ok(shapes > 1 && worst <= 1.0,
           "%s, mode %d: %d other shapes of %d points, worst %.3f of the bound",
           word, (int)mode, shapes, (int)n, worst);
    stfi_remote_close(&r);
    stfi_trial_close(&t);
}

/* Makes a plan with a choice. Returns the number of candidates that differ from it
 * in that they have no matrix units, and gets one of them; -1 if the plan's
 * description lacks what it should say. */
static int count_native(stf_device *dev, const stfi_trial *t,
                        const stfi_choice *choice, const char *says,
                        stfi_fft_plan **plan_p, stfi_choice *native_p)
{
    static stfi_choice list[STFI_CANDIDATES];
    char text[4096] = "";
    int count = 0, native = 0;

    if (stfi_fft_plan_create_as(dev, &t->problem.desc, 1, choice, plan_p)
            != STF_OK
        || stf_plan_describe(&(*plan_p)->head, text, sizeof text) != STF_OK
        || strstr(text, says) == NULL)
        return -1;
    count =
        stfi_candidates(&t->full, (*plan_p)->schedule, 0, choice, EACH, list);
    for (int i = 0; i < count; i++)
        if (list[i].native > choice->native) {
            *native_p = list[i];
            native++;
        }
    return native;
}

/* Matrix units are a permission: one candidate goes without them. */
static void test_native(stf_device *dev, const char *word)
{
    static stfi_choice model, native, none;
    stfi_fft_plan *plan[2] = {NULL, NULL};
    int offered, again;
    double error = NAN;
    stfi_problem p;
    stfi_trial t;
    stfi_remote r = {.dev = NULL};

    if (!tap_ok(stfi_problem_parse(word, &p) == STF_OK
                    && stfi_trial_open(&t, &p, 0, tap_seed()) == STF_OK
                    && stfi_remote_open(&t, dev, &r) == STF_OK,
                "%s: %s", word, stf_error_message()))
        return;
    offered = count_native(dev, &t, &model, "matrix stages: pass 0", &plan[0],
                           &native);
    again = count_native(dev, &t, &native, "compute native: no pass", &plan[1],
                         &none);
    if (plan[1] != NULL)
        error = error_of(&t, &r, &plan[1]->head);
    tap_ok(offered == 1 && again == 0 && error <= 1.0,
           "%s: %d candidate without matrix units, %.3f of the bound", word,
           offered, error);
    stf_plan_destroy(plan[0] != NULL ? &plan[0]->head : NULL);
    stfi_remote_close(&r);
    stfi_trial_close(&t);
}

/* 1 if units have all stages of even radices, none of which is above `most`. */
static int has_units_to(const stfi_schedule *s, int most)
{
    int right = 1;

    for (int i = 0; i < s->npasses; i++)
        for (int k = 0; k < s->pass[i].nstages; k++) {
            const int r = s->pass[i].radix[k];
            right &= (int)(s->pass[i].matrix >> k & 1) == (r % 2 == 0);
            right &= r % 2 != 0 || r <= most;
        }
    return right;
}

/* Some candidates have all stages on units that can be there, up to a radix. */
static void test_units(stf_device *dev, const char *word, int wanted)
{
    static stfi_choice model, list[STFI_CANDIDATES];
    static stfi_schedule s;
    int count = 0, offered = 0, right = 0;
    double worst = 0.0;
    stfi_caps caps;
    stfi_problem p;
    stfi_trial t;
    stfi_remote r = {.dev = NULL};

    if (!tap_ok(stfi_problem_parse(word, &p) == STF_OK
                    && stfi_trial_open(&t, &p, 0, tap_seed()) == STF_OK
                    && stfi_remote_open(&t, dev, &r) == STF_OK
                    && dev->backend->caps(dev->ctx, &caps) == STF_OK
                    && stfi_lower(&t.full, &caps, 1, &s) == STF_OK,
                "%s: %s", word, stf_error_message()))
        return;
    count = stfi_candidates(&t.full, &s, 0, &model, EACH, list);
    for (int i = 0; i < count; i++) {
        stfi_fft_plan *plan;
        if (list[i].unit_radix == 0
            || stfi_fft_plan_create_as(dev, &p.desc, 1, &list[i], &plan)
                   != STF_OK)
            continue;
        offered++;
        right += has_units_to(plan->schedule, list[i].unit_radix);
        worst = fmax(worst, error_of(&t, &r, &plan->head));
    }
    tap_ok(
        offered == wanted && right == wanted && worst <= 1.0,
        "%s: %d candidates with all stages on units, worst %.3f of the bound",
        word, right, worst);
    stfi_remote_close(&r);
    stfi_trial_close(&t);
}

/* A check from end to end knows how often the plan rounds to halves: before ten stages
 * of radix 2, and in the end. Who checks without a plan counts two roundings and four
 * stages. */
static void test_roundings(stf_device *dev)
{
    const double wanted = sqrt(6.0 / 11.0);
    stf_ft_report own = {0}, other = {0};
    stfi_problem p;
    stfi_trial t;
    stfi_remote r = {.dev = NULL};
    int right = stfi_problem_parse("c2c:f16:tensor:out:1024*2", &p) == STF_OK;

    p.desc.ft.mode = STF_FT_DETECT;
    p.desc.ft.level = STF_FT_OFFLINE;
    dev->unit_radix = 2;
    right = right && stfi_trial_open(&t, &p, 0, tap_seed()) == STF_OK
            && stfi_remote_open(&t, dev, &r) == STF_OK;
    dev->unit_radix = 0;
    if (!tap_ok(right, "a plan with stages of radix 2: %s",
                stf_error_message()))
        return;
    stfi_trial_reset(&t);
    right = stfi_remote_load(&t, &r) == STF_OK
            && stf_execute(r.plan, STF_FORWARD, stfi_remote_element(&t, &r, 0),
                           stfi_remote_element(&t, &r, 1))
                   == STF_OK
            && stf_plan_ft_report(r.plan, &own) == STF_OK
            && stf_check_fft(dev, &t.full, STF_FORWARD,
                             stfi_remote_element(&t, &r, 0),
                             stfi_remote_element(&t, &r, 1), &other)
                   == STF_OK;
    tap_ok(right && fabs(own.max_residual / other.max_residual - wanted) < 0.02,
           "a plan's residual of %.3f, and %.3f without the plan",
           own.max_residual, other.max_residual);
    stfi_remote_close(&r);
    stfi_trial_close(&t);
}

/* A plan that is measured on the device. */
static void test_measured(stf_device *dev, const char *word)
{
    char text[4096] = "";
    double error = NAN;
    stfi_problem p;
    stfi_trial t;
    stfi_remote r = {.dev = NULL};
    stf_plan *plan = NULL;

    if (!tap_ok(stfi_problem_parse(word, &p) == STF_OK
                    && stfi_trial_open(&t, &p, 0, tap_seed()) == STF_OK
                    && stfi_remote_open(&t, dev, &r) == STF_OK,
                "%s: %s", word, stf_error_message()))
        return;
    p.desc.effort = STF_EFFORT_MEASURE;
    p.desc.effort_seconds = 300.0; /* compilers of the host are slow */
    if (stf_plan_fft(dev, &p.desc, &plan) == STF_OK) {
        stf_plan_describe(plan, text, sizeof text);
        error = error_of(&t, &r, plan);
    }
    tap_ok(strstr(text, " ways in ") != NULL && error <= 1.0,
           "%s: measured, %.3f of the bound", word, error);
    if (strstr(text, "effort ") != NULL)
        tap_diag("%.100s", strstr(text, "effort "));
    stfi_remote_close(&r);
    stfi_trial_close(&t);
}

int main(void)
{
    stf_device *dev = NULL;

    tap_begin("simt/candidates");
    test_random("h200");
    test_random("a100");
    test_random("mi300x");
    if (stfi_simt_missing() != NULL) {
        tap_skip(stfi_simt_missing(), "plans on the emulated GPU");
        return tap_end();
    }
    setenv("STEADFAST_WISDOM", "off", 1);
    if (!tap_ok(stfi_simt_cache_open()
                    && stfi_simt_device_open("h200", &dev) == STF_OK,
                "the device opens"))
        return tap_end();
    test_shapes(dev, "c2c:f32:out:240*3", 240, STF_FT_OFF);
    if (tap_level() > TAP_QUICK) {
        test_shapes(dev, "c2c:f32:out:240*3", 240, STF_FT_CORRECT);
        test_shapes(dev, "r2c:f64:out:180*5", 90, STF_FT_OFF);
    }
    test_native(dev, "c2c:f16:tensor:out:256*5");
    test_tile_after_tile();
    test_units(dev, "c2c:f32:split:out:32*64", 2);
    test_roundings(dev);
    test_units(dev, "c2c:f16:tensor:out:1024*3", 2);
    test_measured(dev, "c2c:f32:out:60*8");
    if (tap_level() > TAP_QUICK) {
        test_native(dev, "r2c:f32:split:out:128*9");
        test_measured(dev, "c2c:f16:tensor:out:64*8");
    }
    stf_device_close(dev);
    stfi_simt_cache_close();
    return tap_end();
}
