/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Left vectors of checksums: the errors of their rows, the sums that use them,
 * and their cache. Their weights are tested in tests/ft/weights.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ft/weights/left_vector.h"
#include "ft/weights/row.h"
#include "ft/weights/shared.h"
#include "ft/sums.h"
#include "ft/weights/vector.h"
#include "math/roots.h"
#include "tests/ft/take.h"
#include "tests/tap.h"

/* The largest error among some elements of the row of an e with `count`
 * elements, relative to sqrt(n). */
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
    static const int64_t lengths[] = {1,    2,    3,     4,    15,   61,
                                      64,   67,   105,   127,  1000, 1021,
                                      2042, 3072, 16384, 16411};
    size_t i;

    for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        int64_t n = lengths[i], half = n / 2 + 1;
        float *e = take(2 * (size_t)n, sizeof *e);
        long double *row = take(2 * (size_t)n, sizeof *row);
        double error = 1;

        stfi_ft_random_vector(n, e);
        if (!stfi_ft_row(n, n, e, row))
            error = row_error(n, n, e, row);
        tap_ok(error < 0x1p-57, "%d: the row's error is %.2g", (int)n, error);
        memset(row, 0xff, 2 * (size_t)n * sizeof *row);
        error = 1;
        if (!stfi_ft_row(n, half, e, row))
            error = row_error(n, half, e, row);
        tap_ok(error < 0x1p-57, "%d: half a spectrum's is %.2g", (int)n, error);
        free(row);
        free(e);
    }
}

/* 1 if two vectors for the same key agree in every bit. */
static int same(const stfi_ft_vector *a, const stfi_ft_vector *b)
{
    size_t each = stfi_type_sums(a->key.precision)->bytes;

    return a->count == b->count
           && !memcmp(a->e, b->e, 2 * (size_t)a->count * each)
           && !memcmp(a->row, b->row, 2 * (size_t)a->key.n * each);
}

static void test_cache(void)
{
    const stfi_ft_key single = stfi_ft_key_whole(96, 0, STF_F32),
                      twice = stfi_ft_key_whole(96, 0, STF_F64),
                      half = stfi_ft_key_whole(96, 1, STF_F32);
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

/* The second vector for a key has the elements of the first one at other places, with
 * both signs, and its own row: that of the first one half of it further, but for
 * phases. */
static void test_second(void)
{
    enum { N = 96 };
    stfi_ft_key key = stfi_ft_key_whole(N, 0, STF_F64);
    const stfi_ft_vector *a = NULL, *b = NULL;
    stfi_ft_cache *cache = NULL;
    int wrong = 0;

    if (!stfi_ft_cache_create(&cache) && !stfi_ft_vector_get(cache, key, &a)) {
        key.second = 1;
        if (stfi_ft_vector_get(cache, key, &b) != STF_OK)
            b = NULL;
    }
    for (int k = 0; k < N && b != NULL; k++) {
        const double *from = (const double *)a->e + 2 * ((k + 1) % N);
        const double *e = (const double *)b->e + 2 * k;
        const double *r = (const double *)b->row + 2 * k;
        const double *far = (const double *)a->row + 2 * ((k + N / 2) % N);
        const int sign = k % 2 ? -1 : 1;
        wrong += e[0] != sign * from[0] || e[1] != sign * from[1]
                 || fabs(hypot(r[0], r[1]) - hypot(far[0], far[1])) > 1e-12;
    }
    tap_ok(b != NULL && b != a && wrong == 0, "a second vector");
    stfi_ft_vector_release(cache, a);
    stfi_ft_vector_release(cache, b);
    stfi_ft_cache_destroy(cache);
}

/* A key may ask for a vector of real elements; it is stored like any other, as
 * (re, im). With a real row besides, the row is real at even places. */
static void test_axis(void)
{
    stfi_ft_key real = stfi_ft_key_whole(64, 0, STF_F64), both;
    const stfi_ft_vector *e = NULL, *other = NULL;
    stfi_ft_cache *cache = NULL;
    int failures = 0;

    real.shape.axis = 1;
    both = real;
    both.shape.real = 1;
    if (stfi_ft_cache_create(&cache) || stfi_ft_vector_get(cache, real, &e)
        || stfi_ft_vector_get(cache, both, &other)) {
        tap_ok(0, "vectors are made: %s", stf_error_message());
        return;
    }
    for (int k = 0; k < 64; k++) {
        const double *a = (const double *)e->e + 2 * k;
        const double *b = (const double *)other->e + 2 * k;
        const double *r = (const double *)other->row + 2 * k;
        failures += a[0] == 0 || a[1] != 0 || (b[0] == 0) == (b[1] == 0)
                    || (k % 2 == 0 && fabs(r[1]) > 1e-15);
    }
    tap_ok(!failures, "elements and rows that are real");
    stfi_ft_vector_release(cache, e);
    stfi_ft_vector_release(cache, other);
    stfi_ft_cache_destroy(cache);
}

/* An optimised vector is made once for all caches and precisions, as long as
 * there is a cache. When it is made again, it is the same. */
static void test_shared(void)
{
    const stfi_ft_key single = stfi_ft_key_whole(120, 0, STF_F32);
    const stfi_ft_vector *v = NULL;
    stfi_ft_cache *cache = NULL;
    float e[2][240] = {{0}, {0}};
    int i, right = !stfi_ft_shared_find(&single.shape, 120, 120, e[0]);

    for (i = 0; i < 2 && right; i++) {
        right = !stfi_ft_cache_create(&cache)
                && !stfi_ft_vector_get(cache, single, &v)
                && stfi_ft_shared_find(&single.shape, 120, 120, e[i])
                && !memcmp(e[i], v->e, sizeof e[i])
                && !stfi_ft_shared_find(&single.shape, 60, 120, e[i]);
        stfi_ft_cache_destroy(cache);
        right = right && !stfi_ft_shared_find(&single.shape, 120, 120, e[i]);
    }
    tap_ok(right && !memcmp(e[0], e[1], sizeof e[0]),
           "an optimised vector is shared while there are caches");
}

/* Vectors of another cache and precision come from the shared ones: a false one
 * is found in them. */
static void test_shared_use(void)
{
    const stfi_ft_key twice = stfi_ft_key_whole(120, 0, STF_F64);
    const stfi_ft_vector *v = NULL;
    stfi_ft_cache *cache = NULL;
    float e[240];

    for (int i = 0; i < 240; i++)
        e[i] = (float)(i % 7);
    tap_ok(!stfi_ft_cache_create(&cache)
               && !stfi_ft_shared_add(&twice.shape, 120, 120, e)
               && !stfi_ft_vector_get(cache, twice, &v)
               && ((const double *)v->e)[6] == 6
               && ((const double *)v->e)[239] == 239 % 7,
           "what is shared is not made again");
    stfi_ft_cache_destroy(cache);
}

/* When there are more vectors than are kept, the oldest ones are dropped. */
static void test_shared_bound(void)
{
    enum { COUNT = 16384, MANY = 200 };
    const stfi_ft_key key = stfi_ft_key_whole(120, 0, STF_F32);
    static float e[2 * COUNT];
    stfi_ft_cache *cache = NULL;
    int kept = 0, right = !stfi_ft_cache_create(&cache);

    for (int i = 1; i <= MANY && right; i++)
        right = !stfi_ft_shared_add(&key.shape, i, COUNT, e);
    for (int i = MANY; i > 0; i--)
        if (stfi_ft_shared_find(&key.shape, i, COUNT, e))
            kept += kept == MANY - i;
    tap_ok(right && kept < MANY && kept > 0
               && (size_t)kept * sizeof e <= STFI_FT_SHARED_BYTES
               && (size_t)(kept + 2) * sizeof e > STFI_FT_SHARED_BYTES,
           "the %d youngest of %d shared vectors are kept", kept, (int)MANY);
    stfi_ft_cache_destroy(cache);
}

/* Tests the largest component of strided data, and sums of data that are scaled
 * so that they do not overflow. */
static void test_sums(void)
{
    static const double x[] = {3e300, -4e300, 9, 9, 0, -1e300, 9, 9},
                        w[] = {1, 0, 0, 1, 2, 0};
    stfi_ft_side s = {.rank = 1,
                      .parts = 2,
                      .n = {2},
                      .stride = {4},
                      .weight = {w},
                      .period = {2}};
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

/* When there are more vectors than the cache keeps, unused ones are dropped,
 * and those in use stay. */
static void test_bounded(void)
{
    stfi_ft_key key = stfi_ft_key_whole(1 << 20, 0, STF_F64);
    const stfi_ft_vector *used = NULL, *v;
    stfi_ft_cache *cache = NULL;
    double first;
    int i, failures = 0;

    if (tap_level() < TAP_LONG)
        return;
    if (stfi_ft_cache_create(&cache) || stfi_ft_vector_get(cache, key, &used)) {
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

/* Each allocation for a vector fails once. */
static void test_memory(int64_t n)
{
    stfi_ft_cache *cache = NULL;
    const stfi_ft_vector *v = NULL;
    stf_status status = STF_ERR_MEMORY;
    long at;
    int right = stfi_ft_cache_create(&cache) == STF_OK;

    for (at = 1; at < 100 && status == STF_ERR_MEMORY; at++) {
        stfi_ft_key key = stfi_ft_key_whole(n, 0, STF_F64);
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
    test_rows();
    test_cache();
    test_shared();
    test_axis();
    test_second();
    test_shared_use();
    test_shared_bound();
    test_sums();
    test_bounded();
    test_memory(48);
    test_memory(67);
    return tap_end();
}
