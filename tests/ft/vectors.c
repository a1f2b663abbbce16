/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Left vectors of checksums and their rows: what doc/abft.md promises. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ft/phases.h"
#include "ft/row.h"
#include "ft/sums.h"
#include "ft/vector.h"
#include "plan/roots.h"
#include "tests/tap.h"

/* The least weight inside a transform of so many points. */
static const struct {
    int64_t n;
    double least;
    tap_level_t level;
} weights[] = {
    { 8, 0.54, TAP_QUICK },     { 16, 0.54, TAP_QUICK },
    { 32, 0.47, TAP_QUICK },    { 64, 0.42, TAP_QUICK },
    { 128, 0.34, TAP_QUICK },   { 256, 0.34, TAP_QUICK },
    { 512, 0.32, TAP_NORMAL },  { 1024, 0.30, TAP_QUICK },
    { 2048, 0.28, TAP_NORMAL }, { 4096, 0.25, TAP_NORMAL },
    { 8192, 0.24, TAP_NORMAL }, { 15, 0.75, TAP_QUICK },
    { 105, 0.53, TAP_QUICK },   { 360, 0.38, TAP_NORMAL },
    { 1000, 0.37, TAP_NORMAL }, { 2187, 0.37, TAP_NORMAL },
    { 2401, 0.42, TAP_NORMAL }, { 3072, 0.28, TAP_NORMAL },
};

static void *take(size_t count, size_t each)
{
    void *memory = malloc(count * each);

    if (!memory)
        exit(99);
    return memory;
}

/* 1 if bfloat16 and binary16 hold x: 8 bits, steps of at least 2^-24. */
static int is_short(float x)
{
    int exponent;
    float step;

    frexpf(x, &exponent);
    step = ldexpf(1, exponent - 8 > -24 ? exponent - 8 : -24);
    return fabsf(x) <= 1 && rintf(x / step) * step == x;
}

/* The largest of ||e_k| - 1|; 1 if a component is longer. */
static float roundness(int64_t n, const float *e)
{
    float worst = 0;
    int64_t k;

    for (k = 0; k < n; k++) {
        if (!is_short(e[2 * k]) || !is_short(e[2 * k + 1]))
            return 1;
        worst = fmaxf(worst, fabsf(hypotf(e[2 * k], e[2 * k + 1]) - 1));
    }
    return worst;
}

static void test_levelled(void)
{
    size_t i;

    for (i = 0; i < sizeof weights / sizeof *weights; i++) {
        int64_t n = weights[i].n;
        float *e, *random;
        double least = 0, random_least = 1;

        if (weights[i].level > tap_level())
            continue;
        e = take(4 * (size_t)n, sizeof *e);
        random = e + 2 * n;
        stfi_ft_phases_random(n, random);
        if (stfi_ft_phases_levelled(n, e)
            || stfi_ft_least_weight(n, e, &least)
            || stfi_ft_least_weight(n, random, &random_least))
            tap_diag("%s", stf_error_message());
        tap_ok(least >= weights[i].least && random_least < least,
               "%d: least weight %.3f, at least %.2f (random %.4f)", (int)n,
               least, weights[i].least, random_least);
        tap_ok(roundness(n, e) < 0x1p-7f && roundness(n, random) < 0x1p-7f,
               "%d: phases of length 1, of eight bits", (int)n);
        free(e);
    }
    tap_ok(stfi_ft_has_levelled(8192) && stfi_ft_has_levelled(105)
           && !stfi_ft_has_levelled(8193) && !stfi_ft_has_levelled(16384)
           && !stfi_ft_has_levelled(1021), "which lengths are levelled");
}

/* The largest error of some elements of the row, relative to sqrt(n). */
static double row_error(int64_t n, int64_t count, const float *e,
                        const long double *row)
{
    long double worst = 0;
    int64_t i, k;

    for (i = 0; i < 16; i++) {
        int64_t j = i < 4 ? i % n : (i * 7919 * 7919 + 13) % n;
        long double re = 0, im = 0, c, s;
        for (k = 0; k < count; k++) {
            stfi_root_l((uint64_t)(j * k), (uint64_t)n, &c, &s);
            re += e[2 * k] * c - e[2 * k + 1] * s;
            im += e[2 * k] * s + e[2 * k + 1] * c;
        }
        worst = fmaxl(worst, hypotl(re - row[2 * j], im - row[2 * j + 1]));
    }
    return (double)(worst / sqrtl((long double)n));
}

static void test_rows(void)
{
    static const int64_t lengths[] = { 1, 2, 3, 4, 15, 61, 64, 67, 105, 127,
                                       1000, 1021, 2042, 3072, 16384, 16411 };
    size_t i;

    for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        int64_t n = lengths[i], half = n / 2 + 1;
        float *e = take(2 * (size_t)n, sizeof *e);
        long double *row = take(2 * (size_t)n, sizeof *row);
        double error = 1;

        stfi_ft_phases_random(n, e);
        if (!stfi_ft_row(n, n, e, row))
            error = row_error(n, n, e, row);
        tap_ok(error < 0x1p-57, "%d: the row's error is %.2g", (int)n, error);
        memset(row, 0xff, 2 * (size_t)n * sizeof *row);
        error = 1;
        if (!stfi_ft_row(n, half, e, row))
            error = row_error(n, half, e, row);
        tap_ok(error < 0x1p-57, "%d: half a spectrum's is %.2g", (int)n,
               error);
        free(row);
        free(e);
    }
}

/* 1 if two vectors of a key agree in every bit. */
static int same(const stfi_ft_vector *a, const stfi_ft_vector *b)
{
    size_t each = a->key.precision == STF_F32 ? sizeof(float)
                                              : sizeof(double);

    return a->count == b->count
           && !memcmp(a->e, b->e, 2 * (size_t)a->count * each)
           && !memcmp(a->row, b->row, 2 * (size_t)a->key.n * each);
}

static void test_cache(void)
{
    static const stfi_ft_key single = { 96, 0, STF_F32 },
                             twice = { 96, 0, STF_F64 },
                             half = { 96, 1, STF_F32 };
    const stfi_ft_vector *a = NULL, *b = NULL, *c = NULL, *d = NULL, *e = NULL;
    stfi_ft_cache *cache = NULL, *other = NULL;

    if (stfi_ft_cache_create(&cache) || stfi_ft_cache_create(&other)
        || stfi_ft_vector_get(cache, single, &a)
        || stfi_ft_vector_get(cache, single, &b)
        || stfi_ft_vector_get(cache, twice, &c)
        || stfi_ft_vector_get(cache, half, &d)
        || stfi_ft_vector_get(other, single, &e)) {
        tap_ok(0, "vectors are made: %s", stf_error_message());
        return;
    }
    tap_ok(a == b && a != c && a != d, "a vector is made once");
    tap_ok(a->count == 96 && d->count == 49, "of the right length");
    tap_ok(same(a, e), "the same every time");
    tap_ok(((float *)a->e)[7] == (float)((double *)c->e)[7]
           && ((float *)a->row)[7] == (float)((double *)c->row)[7],
           "and in every precision");
    stfi_ft_vector_release(cache, b);
    stfi_ft_vector_release(cache, a);
    b = NULL;
    stfi_ft_vector_get(cache, single, &b);
    tap_ok(b == a, "and kept");
    stfi_ft_vector_release(cache, NULL);
    stfi_ft_cache_destroy(cache);
    stfi_ft_cache_destroy(other);
    stfi_ft_cache_destroy(NULL);
}

/* The largest component of strided data, and sums in a unit of it. */
static void test_sums(void)
{
    static const double x[] = { 3e300, -4e300, 9, 9, 0, -1e300, 9, 9 },
                        w[] = { 1, 0, 0, 1, 2, 0 };
    stfi_ft_side s = { .rank = 1, .parts = 2, .n = { 2 }, .stride = { 4 },
                       .weight = { w }, .period = { 2 } };
    long double unit = 0x1p-1000L;
    stfi_ft_sum sum = stfi_ft_sum_f64.sum(&s, x, unit);
    double big = ldexp(1e300, -1000);

    tap_ok(stfi_ft_sum_f64.peak(&s, x) == (long double)4e300
           && fabs((double)sum.re / (4 * big) - 1) < 1e-15
           && fabs((double)sum.im / (-4 * big) - 1) < 1e-15
           && fabs((double)sum.power / (26 * big * big) - 1) < 1e-15,
           "sums of huge numbers in a unit");
    s.reversed = 1;
    sum = stfi_ft_sum_f64.sum(&s, x, unit);
    tap_ok(fabs((double)sum.re / (7 * big) - 1) < 1e-15
           && fabs((double)sum.im / (-8 * big) - 1) < 1e-15,
           "with weights in reverse order");
}

/* More than is kept: what is unused goes, what is in use stays. */
static void test_bounded(void)
{
    stfi_ft_key key = { 1 << 20, 0, STF_F64 };
    const stfi_ft_vector *used = NULL, *v;
    stfi_ft_cache *cache = NULL;
    double first;
    int i, failures = 0;

    if (tap_level() < TAP_LONG)
        return;
    if (stfi_ft_cache_create(&cache)
        || stfi_ft_vector_get(cache, key, &used)) {
        tap_ok(0, "a long vector: %s", stf_error_message());
        return;
    }
    first = ((double *)used->row)[0];
    for (i = 1; i < 20; i++) {
        key.n = (1 << 20) + 1024 * i;
        v = NULL;
        failures += stfi_ft_vector_get(cache, key, &v) != STF_OK;
        stfi_ft_vector_release(cache, v);
    }
    key.n = 1 << 20;
    failures += stfi_ft_vector_get(cache, key, &v) != STF_OK || v != used;
    tap_ok(!failures && ((double *)used->row)[0] == first,
           "vectors in use stay");
    stfi_ft_cache_destroy(cache);
}

/* Every allocation that a vector needs fails once. */
static void test_memory(int64_t n)
{
    stfi_ft_cache *cache = NULL;
    const stfi_ft_vector *v = NULL;
    stf_status status = STF_ERR_MEMORY;
    long at;
    int right = stfi_ft_cache_create(&cache) == STF_OK;

    for (at = 1; at < 100 && status == STF_ERR_MEMORY; at++) {
        stfi_ft_key key = { n, 0, STF_F64 };
        right = right && v == NULL;
        stfi_alloc_fail_at(at);
        status = stfi_ft_vector_get(cache, key, &v);
        stfi_alloc_fail_at(0);
    }
    tap_ok(right && status == STF_OK && v && at > 6,
           "%d: %ld failing allocations are survived", (int)n, at - 2);
    stfi_ft_cache_destroy(cache);
}

int main(void)
{
    tap_begin("ft/vectors");
    test_levelled();
    test_rows();
    test_cache();
    test_sums();
    test_bounded();
    test_memory(48);
    test_memory(67);
    return tap_end();
}
