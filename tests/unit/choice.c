/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Choices: their text, whatever it is; candidates of random problems, all of which
 * compute the transform; choices that are not possible. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fft/candidates.h"
#include "fft/desc.h"
#include "fft/factor.h"
#include "fft/lower.h"
#include "run/fft/fft_plan.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

/* Texts, and what is printed of them; NULL: refused. */
static const struct {
    const char *text, *printed;
} texts[] = {
    {"model", "model"},
    {"chunk=4", "chunk=4"},
    {"apart=1 chunk=4", "chunk=4 apart=1"},
    {"split=4096:64x64", "split=4096:64x64"},
    {"radices=64:8x8 radices=32:32", "radices=64:8x8 radices=32:32"},
    {"chunk=1 split=4096:4096 radices=64:4x4x4",
     "chunk=1 split=4096:4096 radices=64:4x4x4"},
    {"split=4096:64x64 shape=64:2 shape=9:5",
     "split=4096:64x64 shape=64:2 shape=9:5"},
    {"native=1 chunk=2", "chunk=2 native=1"},
    {"units=4 chunk=2", "chunk=2 units=4"},
    {"units=16", "units=16"},
    {"units=6", NULL},
    {"units=32", NULL},
    {"units=4 units=4", NULL},
    {"native=2", NULL},
    {"native=1 native=1", NULL},
    {"shape=64", NULL},
    {"shape=64:", NULL},
    {"shape=64:0", NULL},
    {"shape=64:6", NULL},
    {"shape=64:1 shape=64:2", NULL},
    {"", NULL},
    {" ", NULL},
    {"model ", NULL},
    {"model chunk=4", NULL},
    {"chunk=0", NULL},
    {"chunk=-1", NULL},
    {"chunk=04", NULL},
    {"chunk=4 ", NULL},
    {"chunk=4  apart=1", NULL},
    {"chunk=4 chunk=4", NULL},
    {"chunk=99999999999999999999", NULL},
    {"chunk=9223372036854775807", NULL},
    {"apart=2", NULL},
    {"lanes=4", NULL},
    {"split=4096", NULL},
    {"split=4096:", NULL},
    {"split=4096:64", NULL},
    {"split=4096:64x", NULL},
    {"split=4096:64x64x2", NULL},
    {"split=4096:64x64 split=4096:32x128", NULL},
    {"split=4096:0x64", NULL},
    {"radices=64:8x8x1000000000000000000", NULL},
    {"radices=1:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", NULL},
};

static void test_texts(void)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char printed[STFI_CHOICE_TEXT] = "";
        stfi_choice choice;
        int taken = stfi_choice_parse(texts[i].text, &choice);

        if (texts[i].printed == NULL)
            tap_ok(!taken, "refused: \"%s\"", texts[i].text);
        else
            tap_ok(taken && stfi_choice_print(&choice, printed)
                       && strcmp(printed, texts[i].printed) == 0,
                   "\"%s\" is printed as \"%s\"", texts[i].text, printed);
    }
}

/* All ways are products, differ, and come in rising order of cost; the first one
 * is what the model takes. */
static void test_ways(void)
{
    int wrong = 0;

    for (int64_t n = 2; n <= 5000; n++) {
        stfi_radix_way way[STFI_FACTOR_WAYS];
        int radix[STFI_MAX_STAGES], count = stfi_factor_ways(n, way);
        double cost = 0.0;

        wrong += (count == 0) != (stfi_factor_stages(n, radix, &cost) < 0);
        wrong += count > 0 && fabs(way[0].cost - cost) > 1e-9 * cost;
        for (int i = 0; i < count; i++) {
            int64_t product = 1;
            for (int k = 0; k < way[i].count; k++)
                product *= way[i].radix[k];
            wrong += product != n;
            wrong += i > 0
                     && (way[i].cost < way[i - 1].cost
                         || (way[i].count == way[i - 1].count
                             && memcmp(way[i].radix, way[i - 1].radix,
                                       (size_t)way[i].count * sizeof(int))
                                    == 0));
        }
    }
    tap_ok(wrong == 0, "ways to split 2 .. 5000: %d wrong", wrong);
}

/* -------------------------------------------------------------- candidates */

static const char *const problems[] = {
    "c2c:f32:64*9",      "c2c:f64:360*5",       "c2c:f32:32x32*3",
    "c2c:f64:8192*3",    "c2c:f32:65536",       "c2c:f64:30030",
    "c2c:f32:4099",      "c2c:f32:101x6*7",     "r2c:f32:16384*2",
    "r2c:f64:120x100*3", "c2r:f32:16384*2",     "c2r:f64:45x77*2",
    "dct2:f64:4096*3",   "r2r=dct2+dst4:64x48", "dht:f32:10000",
    "c2c:bf16:1024*4",   "c2c:f32:16x16x16*4",  "c2c:f80:4096",
    "c2c:f64:1048576",
};

typedef struct arrays {
    void *in, *out, *other, *again;
    size_t out_bytes;
    int64_t reals;
} arrays;

static int make_arrays(const stf_fft_desc *d, arrays *a)
{
    uint64_t state = tap_seed();
    size_t real = stfi_type_get(d->precision)->bytes;
    int64_t in = stfi_problem_components(d, 0) * d->batch;

    a->reals = stfi_problem_components(d, 1) * d->batch;
    a->out_bytes = (size_t)a->reals * real;
    a->in = malloc((size_t)in * real);
    a->out = calloc(1, a->out_bytes); /* reals may have padding */
    a->other = calloc(1, a->out_bytes);
    a->again = calloc(1, a->out_bytes);
    if (a->in == NULL || a->out == NULL || a->other == NULL || a->again == NULL)
        return 0;
    stfi_random_fill(d->precision, a->in, in, &state);
    return 1;
}

static double difference(const stf_fft_desc *d, const arrays *a)
{
    long double sum = 0.0, all = 0.0;

    for (int64_t i = 0; i < a->reals; i++) {
        long double x = stfi_type_read(d->precision, a->out, i);
        long double y = stfi_type_read(d->precision, a->other, i);
        sum += (x - y) * (x - y);
        all += x * x;
    }
    return (double)sqrtl(sum / all);
}

/* Executes a plan with a choice; returns 1 if the result is that of the model's
 * plan, and of another execution, bit by bit. */
static int computes(stf_device *dev, const stf_fft_desc *d,
                    const stfi_choice *choice, arrays *a)
{
    stf_direction way = d->kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    double bound = d->precision == STF_BF16  ? 1e-2
                   : d->precision == STF_F32 ? 2e-6
                                             : 4e-15;
    stf_ft_report report;
    stfi_fft_plan *plan;
    int fine;

    if (stfi_fft_plan_create_as(dev, d, 1, choice, &plan) != STF_OK) {
        tap_diag("no plan: %s", stf_error_message());
        return 0;
    }
    fine = stf_execute(&plan->head, way, a->in, a->other) == STF_OK
           && difference(d, a) <= bound
           && stf_execute(&plan->head, way, a->in, a->again) == STF_OK
           && memcmp(a->again, a->other, a->out_bytes) == 0
           && stf_plan_ft_report(&plan->head, &report) == STF_OK
           && report.detected == 0
           && (d->ft.mode == STF_FT_OFF || report.groups_checked > 0);
    stf_plan_destroy(&plan->head);
    return fine;
}

/* Returns 1 if a candidate is wrong: its text, or what it computes. Some are not
 * possible, as lowering says. */
static int try_candidate(stf_device *dev, const stf_fft_desc *d,
                         const stf_fft_desc *full, const stfi_choice *choice,
                         arrays *a, int *refused)
{
    static stfi_schedule s;
    char text[STFI_CHOICE_TEXT];
    stfi_choice read;
    stfi_caps caps;

    if (!stfi_choice_print(choice, text) || !stfi_choice_parse(text, &read)
        || memcmp(&read, choice, sizeof read) != 0
        || dev->backend->caps(dev->ctx, &caps) != STF_OK)
        return 1;
    if (stfi_lower_chosen(full, &caps, 1, SIZE_MAX, choice, &s)
        == STF_ERR_UNSUPPORTED) {
        ++*refused;
        return 0;
    }
    if (computes(dev, d, choice, a))
        return 0;
    tap_diag("%s", text);
    return 1;
}

/* All candidates of a problem. */
static void test_problem(stf_device *dev, const char *word, stf_ft_mode mode)
{
    static stfi_choice list[STFI_CANDIDATES], model;
    stfi_problem p;
    stf_fft_desc full;
    stfi_fft_plan *plan = NULL;
    arrays a = {0};
    int count = 0, refused = 0, wrong = 0;

    if (stfi_problem_parse(word, &p) == STF_OK) {
        p.desc.ft.mode = mode;
        p.desc.threads = 1;
    }
    if (stfi_desc_complete(&p.desc, &full) != STF_OK
        || stfi_fft_plan_create_as(dev, &p.desc, 1, &model, &plan) != STF_OK
        || !make_arrays(&full, &a)
        || stf_execute(&plan->head,
                       p.desc.kind == STF_C2R ? STF_INVERSE : STF_FORWARD, a.in,
                       a.out)
               != STF_OK)
        wrong = 1000;
    else
        count = stfi_candidates(&full, plan->schedule, 1, &model, 4, list);
    for (int i = 0; i < count; i++)
        wrong += try_candidate(dev, &p.desc, &full, &list[i], &a, &refused);
    tap_ok(wrong == 0 && count > refused,
           "%s, mode %d: %d candidates, %d not possible, %d wrong", word,
           (int)mode, count, refused, wrong);
    stf_plan_destroy(plan != NULL ? &plan->head : NULL);
    free(a.in);
    free(a.out);
    free(a.other);
    free(a.again);
}

/* What a file may ask for, and cannot be. */
static void test_impossible(stf_device *dev)
{
    static const char *const choices[] = {
        "radices=1024:1024",
        "radices=1024:32x32x1",
        "radices=1024:512x2",
        "split=1024:1024x1",
        "split=1024:1x1024",
        "split=65536:65536",
        "split=65536:2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2",
    };
    stf_fft_desc d = stf_fft_desc_default();

    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        stfi_choice choice;
        stfi_fft_plan *plan = NULL;
        stf_status status;

        d.n[0] = strstr(choices[i], "65536") != NULL ? 65536 : 1024;
        d.batch = 64; /* so that 1024 is a tile */
        status = stfi_choice_parse(choices[i], &choice)
                     ? stfi_fft_plan_create_as(dev, &d, 1, &choice, &plan)
                     : STF_ERR_INTERNAL;
        tap_ok(status == STF_ERR_UNSUPPORTED
                   || (i >= 5 && status == STF_OK), /* a large cache */
               "%s: %s", choices[i], stf_error_message());
        stf_plan_destroy(plan != NULL ? &plan->head : NULL);
    }
}

int main(void)
{
    stf_device *dev;

    tap_begin("choice");
    test_texts();
    test_ways();
    if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "a device"))
        return tap_end();
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        test_problem(dev, problems[i], STF_FT_OFF);
        if (tap_level() > TAP_QUICK && strstr(problems[i], "f80") == NULL)
            test_problem(dev, problems[i], STF_FT_CORRECT);
    }
    test_impossible(dev);
    stf_device_close(dev);
    return tap_end();
}
