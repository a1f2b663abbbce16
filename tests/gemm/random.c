/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products at random on the CPU against the definition: sizes, layouts,
 * transposes, batches, alignments, scalars, threads, in every precision and
 * instruction set; and sizes at which tiles and blocks end. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/type.h"
#include "support/problem/distribution.h"
#include "tests/gemm/rig.h"
#include "tests/tap.h"

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(stfi_random_u64(state) % (uint64_t)n);
}

/* A size from 0 on; often one at which strips end, or one more or less. */
static int64_t draw_size(uint64_t *state)
{
    static const int64_t ends[] = {1, 3, 4, 6, 8, 12, 14, 16, 28, 32, 64, 96};
    const int64_t count = sizeof ends / sizeof *ends;

    return below(state, 3) > 0
               ? below(state, 131)
               : ends[below(state, count)] + below(state, 3) - 1;
}

static double draw_scalar(uint64_t *state)
{
    static const double some[] = {1, 0, -1, 0.3, -2.5, 1e3};

    return some[below(state, sizeof some / sizeof *some)];
}

/* Gaps behind columns, and distances: packed, with a gap, downwards; C between
 * the columns of its neighbours. */
static void draw_layout(stf_gemm_desc *d, uint64_t *state)
{
    const int64_t most = 140;

    if (below(state, 2) == 0)
        d->lda = most + below(state, 9);
    if (below(state, 2) == 0)
        d->ldb = most + below(state, 9);
    if (below(state, 2) == 0)
        d->ldc = most + below(state, 9);
    d->batch = below(state, 4) > 0 ? 1 : 1 + below(state, 4);
    if (below(state, 3) == 0)
        d->dist_a = below(state, 2) ? STF_SHARED : -(most * most + 77);
    if (below(state, 3) == 0)
        d->dist_b = below(state, 2) ? STF_SHARED : 20011;
    if (below(state, 3) == 0)
        d->dist_c = below(state, 2) ? 22222 : -23456;
    if (below(state, 5) == 0 && d->dist_c == 0 && d->ldc != 0) {
        d->dist_c = most;
        d->ldc = most * d->batch;
    }
}

static int is_half(stf_precision precision)
{
    return precision == STF_F16 || precision == STF_BF16;
}

static stf_gemm_desc draw(stf_precision precision, uint64_t *state)
{
    stf_gemm_desc d = stf_gemm_desc_default();

    d.precision = d.precision_c = precision;
    if (is_half(precision) && below(state, 2))
        d.precision_c = STF_F32;
    if (is_half(precision) && below(state, 2))
        d.compute = STF_COMPUTE_TENSOR;
    d.order = (stf_order)below(state, 2);
    d.transa = (stf_transpose)below(state, 3);
    d.transb = (stf_transpose)below(state, 3);
    d.m = draw_size(state);
    d.n = draw_size(state);
    d.k = draw_size(state);
    d.threads = 1 + (int32_t)below(state, 3);
    d.scalars = (int32_t)below(state, 2);
    draw_layout(&d, state);
    return d;
}

static void tell(const stf_gemm_desc *d)
{
    tap_diag("precision %d order %d trans %d %d m %lld n %lld k %lld ld %lld "
             "%lld %lld batch %lld dist %lld %lld %lld threads %d",
             (int)d->precision, (int)d->order, (int)d->transa, (int)d->transb,
             (long long)d->m, (long long)d->n, (long long)d->k,
             (long long)d->lda, (long long)d->ldb, (long long)d->ldc,
             (long long)d->batch, (long long)d->dist_a, (long long)d->dist_b,
             (long long)d->dist_c, (int)d->threads);
}

/* Computes a product and compares it; returns 1 if it is right. */
static int try(stf_device *dev, const stf_gemm_desc *d, double alpha,
               double beta, int shift, rig_result *worst, uint64_t seed)
{
    rig r;
    stf_plan *plan = NULL;
    rig_result found;
    int right = 0;

    if (rig_make(&r, d, shift, -1, seed)
        && stf_plan_gemm(dev, d, &plan) == STF_OK) {
        rig_scalars(&r, alpha, beta);
        right = rig_execute(&r, plan) == STF_OK;
        found = rig_compare(&r);
        right &= found.bound <= 1 && found.usual <= 1 && !found.touched;
        if (found.bound > worst->bound)
            worst->bound = found.bound;
        if (found.usual > worst->usual)
            worst->usual = found.usual;
        if (!right)
            tap_diag("error %g and %g of the bounds, touched %d", found.bound,
                     found.usual, found.touched);
    } else {
        tap_diag("%s", stf_error_message());
    }
    if (!right) {
        tell(d);
        tap_diag("alpha %g beta %g shift %d", alpha, beta, shift);
    }
    stf_plan_destroy(plan);
    rig_free(&r);
    return right;
}

static const char *const types[] = {"f16", "bf16", "f32", "f64", "f80"};

static void test_random(stf_device *dev, const char *isa,
                        stf_precision precision)
{
    static const int counts[] = {60, 300, 3000};
    const int count = counts[tap_level()];
    uint64_t state = tap_seed() + 31 * (uint64_t)precision;
    rig_result worst = {0};
    int right = 0, tried = 0;

    for (int i = 0; i < count; i++) {
        stf_gemm_desc d = draw(precision, &state);
        double alpha = draw_scalar(&state), beta = draw_scalar(&state);
        int shift = (int)below(&state, 4);
        if (!tap_takes(i))
            continue;
        right += try(dev, &d, alpha, beta, shift, &worst, state);
        tried++;
    }
    tap_ok(right == tried,
           "%s %s: %d products at random, errors up to %.2f of the bound and "
           "%.2f of what is usual",
           isa, types[precision], tried, worst.bound, worst.usual);
}

/* Sizes at which blocks and tiles end (backends/cpu/gemm): the depth of blocks
 * is 64, 256 or 384, blocks of A have up to 480 rows, tiles 960 x 1024. */
static void test_ends(stf_device *dev, const char *isa, stf_precision precision)
{
    static const int64_t rows[][3] = {
        {481, 15, 385}, {33, 29, 768},   {33, 29, 769},  {1, 1, 5000},
        {961, 30, 65},  {31, 1025, 257}, {965, 31, 400}, {64, 64, 64},
        {3, 1030, 130}, {1930, 2, 3},
    };
    const int count = precision == STF_F80 ? 6 : sizeof rows / sizeof *rows;
    uint64_t state = tap_seed();
    rig_result worst = {0};
    int right = 0;

    for (int i = 0; i < count; i++) {
        stf_gemm_desc d = stf_gemm_desc_default();
        d.precision = d.precision_c = precision;
        if (is_half(precision) && i % 2)
            d.precision_c = STF_F32;
        d.m = rows[i][0];
        d.n = rows[i][1];
        d.k = rows[i][2];
        d.transa = (stf_transpose)(i & 1);
        d.transb = (stf_transpose)(i >> 1 & 1);
        d.threads = 1 + i % 2;
        right += try(dev, &d, 1.5, i % 3 ? 0 : -0.5, i & 3, &worst,
                     stfi_random_u64(&state));
    }
    tap_ok(right == count,
           "%s %s: %d products at the ends of tiles, errors up to %.2f of the "
           "bound and %.2f of what is usual",
           isa, types[precision], count, worst.bound, worst.usual);
}

/* The bits of a product do not depend on how many threads share it. */
static void test_threads(stf_device *dev, stf_precision precision)
{
    stf_gemm_desc d = stf_gemm_desc_default();
    void *first = NULL;
    int same = 1;
    rig r;

    d.precision = d.precision_c = precision;
    d.m = 203;
    d.n = 187;
    d.k = 421;
    if (!tap_ok(rig_make(&r, &d, 0, -1, tap_seed()), "a product is made"))
        return;
    rig_scalars(&r, 1.1, 0.7);
    for (d.threads = 1; d.threads <= 7; d.threads++) {
        stf_plan *plan = NULL;
        rig_restore(&r);
        same &= stf_plan_gemm(dev, &d, &plan) == STF_OK
                && rig_execute(&r, plan) == STF_OK;
        stf_plan_destroy(plan);
        if (first == NULL && (first = malloc(r.size[RIG_C])) != NULL)
            memcpy(first, r.memory[RIG_C], r.size[RIG_C]);
        same &= first != NULL;
        for (int64_t i = 0; i < d.m * d.n && same; i++)
            same = rig_get(&r, RIG_C, 0, i % d.m, i / d.m)
                   == stfi_type_read(d.precision_c, first, i);
    }
    free(first);
    rig_free(&r);
    tap_ok(same, "%s: 1 to 7 threads give the same bits", types[precision]);
}

static void test_isa(const char *isa)
{
    static const stf_precision precisions[] = {STF_F16, STF_BF16, STF_F32,
                                               STF_F64, STF_F80};
    stf_device *dev = NULL;

    setenv("STEADFAST_ISA", isa, 1);
    if (stf_device_open("cpu", &dev) != STF_OK) {
        tap_skip("not in this build or processor", "products with %s", isa);
        return;
    }
    for (size_t i = 0; i < sizeof precisions / sizeof *precisions; i++) {
        if (precisions[i] == STF_F80 && strcmp(isa, "base") != 0)
            continue; /* the same kernels everywhere */
        test_random(dev, isa, precisions[i]);
        test_ends(dev, isa, precisions[i]);
        test_threads(dev, precisions[i]);
    }
    stf_device_close(dev);
}

int main(void)
{
    static const char *const isas[] = {"base", "avx2", "avx512"};

    tap_begin("gemm/random");
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
        test_isa(isas[i]);
    return tap_end();
}
