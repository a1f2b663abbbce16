/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Location encoding (ft/group.h). In groups with one fault that is large
 * enough, the faulty transform is named. In groups with two faults, no
 * transform without a fault is named. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ft/group.h"
#include "support/problem/distribution.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

enum { MOST = 32 };

static const double SLOPE = 1e-6;

/* A group. The residuals of clean transforms have a root mean square of 0.7 to
 * 1.1 times slope ||x||. */
typedef struct group {
    int count;
    double re[MOST], im[MOST], square[MOST];
} group;

static void draw(group *g, int count, double decades, uint64_t *state)
{
    int j;

    g->count = count;
    for (j = 0; j < count; j++) {
        double norm = pow(10, stfi_random_uniform(-decades, decades, state));
        double rms =
            stfi_random_uniform(0.7, 1.1, state) * SLOPE * norm * sqrt(0.5);
        g->re[j] = rms * stfi_random_normal(state);
        g->im[j] = rms * stfi_random_normal(state);
        g->square[j] = norm * norm;
    }
}

/* The noise above which a fault of transform i must rise: the thresholds of the
 * sums of (j - i)^p d_j for p = 0, 1, 2, added up. */
static double noise(const group *g, int i)
{
    double sum[3] = {0};
    int j;

    for (j = 1; j <= g->count; j++) {
        double square = g->square[j - 1], off = (j - i) * (j - i);
        sum[0] += square;
        sum[1] += off * square;
        sum[2] += off * off * square;
    }
    return 6 * SLOPE * (sqrt(sum[0]) + sqrt(sum[1]) + sqrt(sum[2]));
}

static void strike(group *g, int j, double size, uint64_t *state)
{
    double angle = stfi_random_uniform(0, 6.2831853, state);

    g->re[j - 1] += size * cos(angle);
    g->im[j - 1] += size * sin(angle);
}

static int locate(const group *g)
{
    stfi_ft_moments m;
    int j;

    memset(&m, 0, sizeof m);
    for (j = 0; j < g->count; j++)
        stfi_ft_moments_add(&m, j + 1, (long double)g->re[j],
                            (long double)g->im[j], (long double)g->square[j]);
    return stfi_ft_locate(&m, g->count, (long double)SLOPE, LDBL_EPSILON);
}

/* Strikes every position of groups of every size. Faults of at least 3 times
 * the noise must be located; faults of half the noise must not be, as no
 * location would be certain. */
static void test_single(uint64_t *state)
{
    int trials = 0, wrong = 0, bold = 0, count, j, k;

    for (count = 1; count <= MOST; count++)
        for (j = 1; j <= count; j++)
            for (k = 0; k < 40; k++, trials++) {
                group g;
                draw(&g, count, k % 2 ? 0 : 1, state);
                strike(&g, j,
                       3 * noise(&g, j)
                           * pow(10, stfi_random_uniform(0, 20, state)),
                       state);
                wrong += locate(&g) != j;
                draw(&g, count, k % 2 ? 0 : 1, state);
                strike(&g, j, 0.5 * noise(&g, j), state);
                bold += locate(&g) != 0;
            }
    tap_ok(!wrong, "%d of %d single faults are not located", wrong, trials);
    tap_ok(!bold, "%d of %d that are too small are", bold, trials);
}

static void test_none(uint64_t *state)
{
    int named = 0, k;

    for (k = 0; k < 100000; k++) {
        group g;
        draw(&g, 1 + k % MOST, 1, state);
        named += locate(&g) != 0;
    }
    tap_ok(!named, "%d of %d clean groups name a transform", named, k);
}

/* Two faults in a group, of sizes from a few times to 1e8 times the noise of
 * one transform. */
static void test_two(uint64_t *state)
{
    int trials = 100000, innocent = 0, named = 0, i;

    for (i = 0; i < trials; i++) {
        int count = 2 + (int)(stfi_random_u64(state) % (MOST - 1));
        int j = 1 + (int)(stfi_random_u64(state) % (uint64_t)count), k, at;
        group g;

        do
            k = 1 + (int)(stfi_random_u64(state) % (uint64_t)count);
        while (k == j);
        draw(&g, count, i % 2 ? 0 : 1, state);
        strike(&g, j, SLOPE * pow(10, stfi_random_uniform(0.5, 8, state)),
               state);
        strike(&g, k, SLOPE * pow(10, stfi_random_uniform(0.5, 8, state)),
               state);
        at = locate(&g);
        named += at != 0;
        innocent += at != 0 && at != j && at != k;
    }
    tap_ok(!innocent, "%d of %d groups with two faults name an innocent one",
           innocent, trials);
    tap_ok(named > trials / 10, "%d name the larger one", named);
}

static void test_infinite(uint64_t *state)
{
    static const double values[] = {INFINITY, -INFINITY, NAN, 0};
    int wrong = 0, i;

    for (i = 0; i < 4; i++) {
        group g;
        draw(&g, 8, 0, state);
        if (values[i] == 0)
            memset(&g, 0, sizeof g);
        g.count = 8;
        g.re[3] = values[i];
        wrong += locate(&g) != 0;
        g.im[5] = values[i];
        wrong += locate(&g) != 0;
        g.square[2] = values[i];
        wrong += locate(&g) != 0;
    }
    tap_ok(!wrong, "Inf, NaN and zeros are nowhere");
}

int main(void)
{
    uint64_t state;

    tap_begin("ft/groups");
    state = tap_seed();
    test_single(&state);
    test_none(&state);
    test_two(&state);
    test_infinite(&state);
    return tap_end();
}
