/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Properties that transforms must have, whoever computes them: linearity,
 * impulses, shifts, Parseval, inverses. No oracle is needed, so lengths beyond
 * its reach are tested too. Every property is an equation between transforms;
 * it must hold within the sum of the bounds of the transforms in it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/devices.h"
#include "tests/backend/world.h"
#include "tests/tap.h"

static int forward(stfi_world *w, int from, int to)
{
    return stfi_world_transform(w, w->plan, STF_FORWARD, from, to);
}

static int inverse(stfi_world *w, int from, int to)
{
    return stfi_world_transform(w, w->plan, STF_INVERSE, from, to);
}

static int64_t random_element(stfi_world *w)
{
    return (int64_t)(stfi_random_u64(&w->state) % (uint64_t)w->points);
}

/* Multiplies a complex number by a phase and stores it at `to`. */
static void rotate(long double xr, long double xi, long double cr,
                   long double ci, long double *to)
{
    to[0] = xr * cr - xi * ci;
    to[1] = xr * ci + xi * cr;
}

/* Each property returns its error in units of the permitted one. A result above
 * 1 is a failure, and so is a call that fails (INFINITY). */

static double linearity(stfi_world *w)
{
    const long double a = 0.6L, b = -0.8L;
    long double slack, whole = 0;
    int64_t i;

    stfi_world_randomize(w, 0);
    if (!forward(w, 0, 1))
        return INFINITY;
    for (i = 0; i < 2 * w->count; i++)
        w->want[i] = a * get(w, 1, i);
    slack = a * stfi_world_norm(w, 1);
    stfi_world_randomize(w, 2);
    if (!forward(w, 2, 1))
        return INFINITY;
    for (i = 0; i < 2 * w->count; i++) {
        w->want[i] += b * get(w, 1, i);
        whole += w->want[i] * w->want[i];
        set(w, 0, i, a * get(w, 0, i) + b * get(w, 2, i));
    }
    slack += -b * stfi_world_norm(w, 1);
    if (!forward(w, 0, 1))
        return INFINITY;
    /* The errors of all three transforms, relative to the wanted result. */
    slack = (slack + stfi_world_norm(w, 1)) / sqrtl(whole);
    return stfi_world_distance(w, 1, 2 * w->count)
           / (w->bound * (double)slack + w->unit);
}

static double impulse(stfi_world *w)
{
    int64_t b, k, at = random_element(w);

    memset(w->v[0], 0, w->bytes);
    for (b = 0; b < w->d.batch; b++)
        set(w, 0, 2 * (b * w->points + at), 1);
    if (!forward(w, 0, 1))
        return INFINITY;
    for (b = 0; b < w->d.batch; b++)
        for (k = 0; k < w->points; k++) {
            long double *to = w->want + 2 * (b * w->points + k);
            stfi_world_phase(w, at, k, &to[0], &to[1]);
            to[1] = -to[1];
        }
    return stfi_world_distance(w, 1, 2 * w->count) / (w->bound + w->unit);
}

static double constant(stfi_world *w)
{
    int64_t i;

    memset(w->want, 0, 2 * (size_t)w->count * sizeof *w->want);
    for (i = 0; i < w->count; i++) {
        set(w, 0, 2 * i, 1);
        set(w, 0, 2 * i + 1, -0.5L);
    }
    for (i = 0; i < w->d.batch; i++) {
        w->want[2 * i * w->points] = (long double)w->points;
        w->want[2 * i * w->points + 1] = -0.5L * (long double)w->points;
    }
    if (!forward(w, 0, 1))
        return INFINITY;
    return stfi_world_distance(w, 1, 2 * w->count) / w->bound;
}

static double time_shift(stfi_world *w)
{
    int64_t b, i, s = random_element(w);
    long double re, im;

    stfi_world_randomize(w, 0);
    if (!forward(w, 0, 1))
        return INFINITY;
    for (b = 0; b < w->d.batch; b++)
        for (i = 0; i < w->points; i++) {
            int64_t to = 2 * (b * w->points + i);
            int64_t from = 2 * (b * w->points + stfi_world_shift(w, i, s));
            set(w, 2, to, get(w, 0, from));
            set(w, 2, to + 1, get(w, 0, from + 1));
            stfi_world_phase(w, s, i, &re, &im);
            rotate(get(w, 1, to), get(w, 1, to + 1), re, im, w->want + to);
        }
    if (!forward(w, 2, 1))
        return INFINITY;
    return stfi_world_distance(w, 1, 2 * w->count) / (2 * w->bound + w->unit);
}

static double frequency_shift(stfi_world *w)
{
    int64_t b, i, s = random_element(w);
    long double re, im, turned[2];

    stfi_world_randomize(w, 0);
    if (!forward(w, 0, 1))
        return INFINITY;
    for (b = 0; b < w->d.batch; b++)
        for (i = 0; i < w->points; i++) {
            int64_t from = 2 * (b * w->points + i);
            int64_t to = 2 * (b * w->points + stfi_world_shift(w, i, s));
            w->want[to] = get(w, 1, from);
            w->want[to + 1] = get(w, 1, from + 1);
            stfi_world_phase(w, s, i, &re, &im);
            rotate(get(w, 0, from), get(w, 0, from + 1), re, im, turned);
            set(w, 2, from, turned[0]);
            set(w, 2, from + 1, turned[1]);
        }
    if (!forward(w, 2, 1))
        return INFINITY;
    return stfi_world_distance(w, 1, 2 * w->count)
           / (2 * w->bound + 2 * w->unit);
}

static double parseval(stfi_world *w)
{
    long double ratio;

    stfi_world_randomize(w, 0);
    if (!forward(w, 0, 1))
        return INFINITY;
    ratio = stfi_world_norm(w, 1) / stfi_world_norm(w, 0)
            / sqrtl((long double)w->points);
    return (double)fabsl(ratio - 1) / w->bound;
}

static double round_trip(stfi_world *w)
{
    int64_t i;

    stfi_world_randomize(w, 0);
    if (!forward(w, 0, 1) || !inverse(w, 1, 2))
        return INFINITY;
    for (i = 0; i < 2 * w->count; i++)
        w->want[i] = (long double)w->points * get(w, 0, i);
    return stfi_world_distance(w, 2, 2 * w->count) / (2 * w->bound);
}

static double conjugate(stfi_world *w)
{
    int64_t i;

    stfi_world_randomize(w, 0);
    if (!inverse(w, 0, 1))
        return INFINITY;
    for (i = 0; i < w->count; i++)
        set(w, 0, 2 * i + 1, -get(w, 0, 2 * i + 1));
    if (!forward(w, 0, 2))
        return INFINITY;
    for (i = 0; i < w->count; i++) {
        w->want[2 * i] = get(w, 2, 2 * i);
        w->want[2 * i + 1] = -get(w, 2, 2 * i + 1);
    }
    return stfi_world_distance(w, 1, 2 * w->count) / (2 * w->bound);
}

static double input_untouched(stfi_world *w)
{
    stfi_world_randomize(w, 0);
    memcpy(w->v[2], w->v[0], w->bytes);
    if (!forward(w, 0, 1))
        return INFINITY;
    return memcmp(w->v[2], w->v[0], w->bytes) ? INFINITY : 0;
}

static double twice_the_same(stfi_world *w)
{
    stfi_world_randomize(w, 0);
    if (!forward(w, 0, 1) || !forward(w, 0, 2))
        return INFINITY;
    return memcmp(w->v[1], w->v[2], w->bytes) ? INFINITY : 0;
}

/* Transforms v[0] by another plan as well; its result is what v[1] must be. */
static double by_other_plan(stfi_world *w, const stf_fft_desc *d)
{
    stf_plan *plan = NULL;
    int64_t i;
    int right;

    stfi_world_randomize(w, 0);
    if (stf_plan_fft(w->dev, d, &plan)) {
        tap_diag("%s", stf_error_message());
        return INFINITY;
    }
    right = !stfi_world_run(w, plan, STF_FORWARD, 0, 1, w->d.batch / d->batch);
    stf_plan_destroy(plan);
    for (i = 0; i < 2 * w->count; i++)
        w->want[i] = get(w, 1, i);
    if (!right || !forward(w, 0, 1))
        return INFINITY;
    return stfi_world_distance(w, 1, 2 * w->count) / (2 * w->bound);
}

static double alone_or_in_batch(stfi_world *w)
{
    stf_fft_desc d = w->d;

    d.batch = 1;
    return by_other_plan(w, &d);
}

static double one_thread_or_two(stfi_world *w)
{
    stf_fft_desc d = w->d;

    d.threads = 3 - d.threads;
    return by_other_plan(w, &d);
}

static double in_place_or_out(stfi_world *w)
{
    int64_t i;

    stfi_world_randomize(w, 0);
    if (!forward(w, 0, 1) || stfi_world_run(w, w->plan, STF_FORWARD, 0, 0, 1))
        return INFINITY;
    for (i = 0; i < 2 * w->count; i++)
        w->want[i] = get(w, 1, i);
    return stfi_world_distance(w, 0, 2 * w->count) / (2 * w->bound);
}

static int real_plan(stfi_world *w, stf_kind kind, stf_plan **plan_p)
{
    stf_fft_desc d = w->d;

    d.kind = kind;
    memset(&d.in, 0, sizeof d.in);
    memset(&d.out, 0, sizeof d.out);
    if (!stf_plan_fft(w->dev, &d, plan_p))
        return 1;
    tap_diag("%s", stf_error_message());
    return 0;
}

/* The half spectrum of real data is half of their complex spectrum. The error
 * of a complex transform may lie all in the half that is compared, which makes
 * it sqrt(2) times as large relative to that half. */
static double real_is_half_of_complex(stfi_world *w)
{
    int64_t n = w->d.n[w->d.rank - 1], half = n / 2 + 1, i, rows;
    stf_plan *plan = NULL;
    int right;

    if (!real_plan(w, STF_R2C, &plan))
        return INFINITY;
    stfi_world_randomize(w, 0);
    for (i = 0; i < w->count; i++) {
        set(w, 2, 2 * i, get(w, 0, i));
        set(w, 2, 2 * i + 1, 0);
    }
    rows = w->count / n;
    right = forward(w, 2, 1);
    for (i = 0; i < rows * half; i++) {
        int64_t from = i / half * n + i % half;
        w->want[2 * i] = get(w, 1, 2 * from);
        w->want[2 * i + 1] = get(w, 1, 2 * from + 1);
    }
    right = right && stfi_world_transform(w, plan, STF_FORWARD, 0, 2);
    stf_plan_destroy(plan);
    if (!right)
        return INFINITY;
    return stfi_world_distance(w, 2, 2 * rows * half) / (2.42 * w->bound);
}

/* C2R is the inverse of R2C up to the factor N. */
static double real_round_trip(stfi_world *w)
{
    stf_plan *there = NULL, *back = NULL;
    int right = real_plan(w, STF_R2C, &there) && real_plan(w, STF_C2R, &back);
    int64_t i;

    stfi_world_randomize(w, 0);
    right = right && stfi_world_transform(w, there, STF_FORWARD, 0, 1)
            && stfi_world_transform(w, back, STF_INVERSE, 1, 2);
    stf_plan_destroy(there);
    stf_plan_destroy(back);
    for (i = 0; i < w->count; i++)
        w->want[i] = (long double)w->points * get(w, 0, i);
    if (!right)
        return INFINITY;
    return stfi_world_distance(w, 2, w->count) / (2.42 * w->bound);
}

/* What transform b of a batch is multiplied by in not_disturbed(). */
static long double size_of(const stfi_world *w, int64_t b)
{
    const int step = w->d.precision == STF_F32 ? 30 : 200;

    return ldexpl(1, step * ((int)(b % 3) - 1));
}

/* Measures how far two results of each transform are apart: v[to], where transform
 * b was multiplied by size_of(b), and want[], which was not; but for transform 1,
 * which is not finite if there are several. `each`: components of a transform. */
static double compare_sizes(const stfi_world *w, int to, int64_t each)
{
    double worst = 0;

    for (int64_t b = 0; b < w->d.batch; b++) {
        long double off = 0, all = 0;
        for (int64_t i = b * each; i < (b + 1) * each; i++) {
            long double d = get(w, to, i) / size_of(w, b) - w->want[i];
            off += d * d;
            all += w->want[i] * w->want[i];
        }
        if (b == 1 ? off == off : !(off <= worst * worst * all))
            worst = b == 1 ? INFINITY : (double)sqrtl(off / all);
    }
    return worst / (2.42 * w->bound);
}

/* Transforms of reals by `kind`, one of the real to real kinds too, have the accuracy
 * of their own size beside others of any size in the batch, even beside one that is not
 * finite. */
static double not_disturbed(stfi_world *w, stf_kind kind)
{
    int64_t n = w->d.n[w->d.rank - 1], half = 2 * (n / 2 + 1);
    int64_t rows = w->count / n / w->d.batch;
    int64_t reals = rows * n, spectrum = rows * half;
    int64_t in = kind == STF_C2R ? spectrum : reals;
    int64_t out = kind == STF_R2C ? spectrum : reals;
    stf_direction way = kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    stf_plan *plan = NULL;
    int right = real_plan(w, kind, &plan);

    stfi_world_randomize(w, 0);
    right = right && stfi_world_transform(w, plan, way, 0, 1);
    for (int64_t i = 0; right && i < w->d.batch * out; i++)
        w->want[i] = get(w, 1, i);
    for (int64_t i = 0; right && i < w->d.batch * in; i++)
        set(w, 0, i,
            i == in ? (long double)NAN : get(w, 0, i) * size_of(w, i / in));
    right = right && stfi_world_transform(w, plan, way, 0, 1);
    stf_plan_destroy(plan);
    return right ? compare_sizes(w, 1, out) : INFINITY;
}

static double spectra_not_disturbed(stfi_world *w)
{
    return not_disturbed(w, STF_R2C);
}

static double reals_not_disturbed(stfi_world *w)
{
    return not_disturbed(w, STF_C2R);
}

static double half_complex_not_disturbed(stfi_world *w)
{
    return not_disturbed(w, STF_R2HC);
}

static double cosines_not_disturbed(stfi_world *w)
{
    return not_disturbed(w, STF_DCT3);
}

static const struct {
    const char *what;
    double (*measure)(stfi_world *w);
} properties[] = {
    {"is linear", linearity},
    {"turns an impulse into a wave", impulse},
    {"turns a constant into an impulse", constant},
    {"turns a shift into a phase", time_shift},
    {"turns a phase into a shift", frequency_shift},
    {"keeps the norm (Parseval)", parseval},
    {"is undone by its inverse", round_trip},
    {"is the conjugate inverse of the conjugate", conjugate},
    {"leaves its input alone", input_untouched},
    {"gives the same bits twice", twice_the_same},
    {"is the same alone and in a batch", alone_or_in_batch},
    {"is the same by one thread and by two", one_thread_or_two},
    {"is the same in place and out of place", in_place_or_out},
    {"of reals is half of it", real_is_half_of_complex},
    {"of reals is undone by its inverse", real_round_trip},
    {"of reals has its own accuracy in a batch", spectra_not_disturbed},
    {"back to reals has its own accuracy in a batch", reals_not_disturbed},
    {"by R2HC has its own accuracy in a batch", half_complex_not_disturbed},
    {"by DCT3 has its own accuracy in a batch", cosines_not_disturbed},
};

enum { PROPERTIES = sizeof properties / sizeof *properties };

static const struct {
    const char *word;
    tap_level_t level;
} problems[] = {
    {"c2c:f32:out:1*5", TAP_QUICK},      {"c2c:f64:out:2*9", TAP_QUICK},
    {"c2c:f32:out:45*7", TAP_QUICK},     {"c2c:f64:out:3x77*4", TAP_QUICK},
    {"c2c:f32:out:30*7", TAP_QUICK},     {"c2c:f64:out:64*33", TAP_QUICK},
    {"c2c:f32:out:97*4", TAP_QUICK},     {"c2c:f64:out:1009*3", TAP_QUICK},
    {"c2c:f32:out:1024*17", TAP_QUICK},  {"c2c:f64:out:2310*2", TAP_QUICK},
    {"c2c:f32:out:4096*3", TAP_QUICK},   {"c2c:f64:out:8191*2", TAP_QUICK},
    {"c2c:f32:out:65521", TAP_QUICK},    {"c2c:f64:out:65536*3", TAP_NORMAL},
    {"c2c:f32:out:30030*2", TAP_QUICK},  {"c2c:f64:out:12x15*6", TAP_QUICK},
    {"c2c:f32:out:7x16x9*2", TAP_QUICK}, {"c2c:f64:out:3x5x4x6x2", TAP_QUICK},
    {"c2c:f32:out:512x384", TAP_NORMAL}, {"c2c:f64:out:60x60x60", TAP_NORMAL},
    {"c2c:f32:out:2097152", TAP_NORMAL}, {"c2c:f64:out:3145728", TAP_NORMAL},
    {"c2c:f32:out:1953125", TAP_NORMAL}, {"c2c:f64:out:1000003", TAP_NORMAL},
    {"c2c:f32:out:1000003", TAP_LONG},   {"c2c:f64:out:2097152*3", TAP_LONG},
    {"c2c:f64:out:1953125", TAP_LONG},   {"c2c:f32:out:16777216", TAP_LONG},
};

static void test_problem(stf_device *dev, const char *name, const char *word)
{
    stfi_world w;
    double ratio;
    int i;

    if (stfi_world_open(&w, dev, word)) {
        for (i = 0; i < PROPERTIES; i++) {
            ratio = properties[i].measure(&w);
            tap_ok(ratio <= 1, "%s: %s %s", name, word, properties[i].what);
            if (!(ratio <= 1))
                tap_diag("%.3g of what is allowed", ratio);
        }
    } else {
        tap_ok(0, "%s: %s: %s", name, word, stf_error_message());
    }
    stfi_world_close(&w);
}

/* The far device computes like the cpu, so the quick problems suffice. */
static void test_device(void *context, stf_device *dev,
                        const stf_device_info *info)
{
    int far = !stfi_device_is_cpu(info) && !stfi_device_is_gpu(info);
    tap_level_t level = far ? TAP_QUICK : tap_level();
    size_t i;

    (void)context;
    for (i = 0; i < sizeof problems / sizeof *problems; i++)
        if (problems[i].level <= level)
            test_problem(dev, info->name, problems[i].word);
}

int main(void)
{
    tap_begin("properties");
    stfi_devices_each(test_device, NULL);
    return tap_end();
}
