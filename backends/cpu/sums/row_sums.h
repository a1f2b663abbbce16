/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weighted sums over adjacent elements (ft/sums.h: stfi_ft_row_sum) by vectors
 * of one instruction set. Included once per precision, as gemm.h is.
 *
 * A vector holds elements as they lie in memory, (re, im, re, im, ...). Their
 * products with the weights, and with the weights whose components are swapped,
 * are all four products of components. GROUP vectors are added up in the
 * precision of the data, which adds an error far below that of a transform, and
 * groups in double. */
#ifndef STFI_SUMS_ROW_SUMS_H
#define STFI_SUMS_ROW_SUMS_H

#include "backends/cpu/simd/simd.h"
#include "backends/cpu/sums/row_sums_isa.h"

#if STFI_LANES > 1

enum { GROUP = 8, PAIRS = W / 2 };

#define BACK_2 0, 1
#define BACK_4 2, 3, 0, 1
#define BACK_8 6, 7, 4, 5, 2, 3, 0, 1
#define BACK_16 14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1
#define TWICE_2 0, 0
#define TWICE_4 0, 0, 1, 1
#define TWICE_8 0, 0, 1, 1, 2, 2, 3, 3
#define TWICE_16 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7
#define PERMUTE(v, list) SHUFFLE(v, v, STFI_CAT(list, STFI_LANES))

#if STFI_REAL_BYTES == 4
#define LOWER_4 0, 1
#define UPPER_4 2, 3
#define LOWER_8 0, 1, 2, 3
#define UPPER_8 4, 5, 6, 7
#define LOWER_16 0, 1, 2, 3, 4, 5, 6, 7
#define UPPER_16 8, 9, 10, 11, 12, 13, 14, 15
typedef double D __attribute__((vector_size(STFI_LANES * 8 / 2)));

/* A sum over vectors, in double: its two halves. */
typedef struct total {
    D half[2];
} total;

INLINE void add(total *t, V v)
{
    t->half[0] += CONVERT(SHUFFLE(v, v, STFI_CAT(LOWER_, STFI_LANES)), D);
    t->half[1] += CONVERT(SHUFFLE(v, v, STFI_CAT(UPPER_, STFI_LANES)), D);
}
#else
typedef struct total {
    V whole;
} total;

INLINE void add(total *t, V v)
{
    t->whole += v;
}
#endif

/* What is added up: where elements and weights are, and how they lie there. */
typedef struct row {
    const real *x, *w;
    int parts, backwards, power;
} row;

typedef struct totals {
    total straight; /* data times weights, component by component */
    total swapped;  /* data times weights with components swapped */
    total power;
} totals;

/* Half a vector in memory. */
typedef real H __attribute__((vector_size(STFI_LANES * STFI_REAL_BYTES / 2),
                              aligned(STFI_REAL_BYTES), may_alias));

/* PAIRS elements from element i on; real ones are doubled. */
INLINE V elements_at(const row *r, int64_t i)
{
    H half;

    if (r->parts == 2)
        return loadu(r->x + 2 * i);
    half = *(const H *)(r->x + i);
    return PERMUTE(half, TWICE_);
}

/* The weights of these. */
INLINE V weights_at(const row *r, int64_t i)
{
    if (!r->backwards)
        return loadu(r->w + 2 * i);
    return PERMUTE(loadu(r->w - 2 * i - (W - 2)), BACK_);
}

/* Adds `vectors` vectors, at most GROUP, from element i on. */
INLINE void add_group(const row *r, int64_t i, int vectors, totals *t)
{
    V straight = (V){0}, crossed = (V){0}, power = (V){0};

    UNROLL
    for (int v = 0; v < vectors; v++) {
        V x = elements_at(r, i + v * PAIRS), w = weights_at(r, i + v * PAIRS);
        straight = v == 0 ? x * w : straight + x * w;
        if (r->parts == 2) {
            V s = swapped(w);
            crossed = v == 0 ? x * s : crossed + x * s;
        }
        if (r->power)
            power = v == 0 ? x * x : power + x * x;
    }
    add(&t->straight, straight);
    if (r->parts == 2)
        add(&t->swapped, crossed);
    if (r->power)
        add(&t->power, power);
}

/* Adds the last `count` < PAIRS elements, from element i on. */
INLINE void add_rest(const row *r, int64_t i, int64_t count, totals *t)
{
    real x[W], w[W];
    row rest = {x, w, r->parts, 0, r->power};

    memset(x, 0, sizeof x);
    memset(w, 0, sizeof w);
    memcpy(x, r->x + i * r->parts, (size_t)(count * r->parts) * sizeof *x);
    for (int64_t k = 0; k < count; k++)
        memcpy(w + 2 * k, r->w + (r->backwards ? -2 : 2) * (i + k),
               2 * sizeof *w);
    add_group(&rest, 0, 1, t);
}

/* The sums of the even and of the odd lanes. */
INLINE void fold(const total *t, double *even, double *odd)
{
    double v[W];

    memcpy(v, t, sizeof v);
    UNROLL
    for (int half = W / 2; half > 1; half /= 2)
        UNROLL
    for (int i = 0; i < half; i++)
        v[i] += v[i + half];
    *even = v[0];
    *odd = v[1];
}

/* `r` has constants for parts, backwards and power. */
INLINE void add_row(const row *r, int64_t count, stfi_ft_products *products_p)
{
    totals t;
    int64_t i = 0;
    double odd;

    memset(&t, 0, sizeof t);
    for (; i + GROUP * PAIRS <= count; i += GROUP * PAIRS)
        add_group(r, i, GROUP, &t);
    if (i + PAIRS <= count) {
        add_group(r, i, (int)((count - i) / PAIRS), &t);
        i += (count - i) / PAIRS * PAIRS;
    }
    if (i < count)
        add_rest(r, i, count - i, &t);
    *products_p = (stfi_ft_products){.rr = 0};
    fold(&t.straight, &products_p->rr,
         r->parts == 2 ? &products_p->ii : &products_p->ir);
    if (r->parts == 2)
        fold(&t.swapped, &products_p->ir, &products_p->ri);
    if (r->power) {
        fold(&t.power, &products_p->power, &odd);
        products_p->power += r->parts == 2 ? odd : 0;
    }
}

/* FORM is a sum of STFI_FT_ROW_...; each has a function of its own, so that the
 * loops have no branches. */
#define DEFINE(form)                                                         \
    static void add_form_##form(const void *x, const void *w, int64_t count, \
                                stfi_ft_products *products_p)                \
    {                                                                        \
        const row r = {x, w, (form)&STFI_FT_ROW_COMPLEX ? 2 : 1,             \
                       ((form)&STFI_FT_ROW_BACKWARDS) != 0,                  \
                       ((form)&STFI_FT_ROW_POWER) != 0};                     \
        add_row(&r, count, products_p);                                      \
    }

DEFINE(0)
DEFINE(1)
DEFINE(2)
DEFINE(3)
DEFINE(4)
DEFINE(5)
DEFINE(6)
DEFINE(7)

#undef DEFINE

typedef uint64_t words __attribute__((vector_size(STFI_LANES * STFI_REAL_BYTES),
                                      aligned(1), may_alias));

static uint64_t add_bits(const void *x, int64_t bytes)
{
    enum { AT_A_TIME = 4, SIZE = sizeof(words), WORD = sizeof(uint64_t) };
    const char *at = x, *end = at + bytes;
    words part[AT_A_TIME] = {{0}};
    uint64_t bits = 0;

    for (; end - at >= AT_A_TIME * SIZE; at += AT_A_TIME * SIZE)
        UNROLL
    for (int i = 0; i < AT_A_TIME; i++)
        part[i] += *(const words *)(const void *)(at + i * SIZE);
    for (int i = 0; i < AT_A_TIME; i++)
        for (int w = 0; w < SIZE / WORD; w++)
            bits += part[i][w];
    for (int64_t size; at < end; at += size) {
        uint64_t word = 0;
        size = end - at < WORD ? end - at : WORD;
        memcpy(&word, at, (size_t)size);
        bits += word;
    }
    return bits;
}

#include "backends/cpu/sums/many_rows.h"

/* Of function f, one for each form. */
#define EACH_FORM(f)                                   \
    {                                                  \
        f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7) \
    }
#define ONE(form) add_form_##form
#define MANY(form) add_many_##form
#define FORMS                                     \
    {                                             \
        add_bits, EACH_FORM(ONE), EACH_FORM(MANY) \
    }
#else
#define FORMS         \
    {                 \
        NULL, {NULL}, \
        {             \
            NULL      \
        }             \
    }
#endif

#define KERNELS STFI_ISA_NAME(stfi_cpu_row_sums_)

extern const stfi_cpu_row_sums KERNELS;

const stfi_cpu_row_sums KERNELS = {STFI_ISA_TEXT, STFI_REAL_ID, FORMS};

#endif
