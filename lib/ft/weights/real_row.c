/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of real to real transforms; see real_row.h.
 *
 * Element (k, j) of M is a cosine or a sine of 2 pi (k + b) (j + a) / L, times a
 * factor of j, where L is the logical length and a, b are 0, 1/2 or 1. With G(x)
 * the sum over k of e[k] exp(-2 pi i (k + b) x / L), cosines make
 * (G(x) + G(-x)) / 2 and sines i (G(x) - G(-x)) / 2, where x = j + a. */
#include "ft/weights/real_row.h"

#include <string.h>

#include "base/alloc.h"
#include "fft/desc.h"
#include "ft/weights/row.h"
#include "math/roots.h"

typedef struct number {
    long double re, im;
} number;

/* The shifts a and b of a kind, in halves; whether its elements are cosines or
 * sines; and what column 0 and the last one are multiplied by, and the
 * others. */
typedef struct shape {
    stf_kind kind;
    int a, b, cosines, sines;
    int first, others, last;
} shape;

static const shape shapes[] = {
    {STF_DCT1, 0, 0, 1, 0, 1, 2, 1}, {STF_DCT2, 1, 0, 1, 0, 2, 2, 2},
    {STF_DCT3, 0, 1, 1, 0, 1, 2, 2}, {STF_DCT4, 1, 1, 1, 0, 2, 2, 2},
    {STF_DST1, 2, 2, 0, 1, 2, 2, 2}, {STF_DST2, 1, 2, 0, 1, 2, 2, 2},
    {STF_DST3, 2, 1, 0, 1, 2, 2, 1}, {STF_DST4, 1, 1, 0, 1, 2, 2, 2},
    {STF_DHT, 0, 0, 1, 1, 1, 1, 1},  {STF_R2HC, 0, 0, 1, 1, 1, 1, 1},
    {STF_HC2R, 0, 0, 1, 1, 1, 2, 2},
};

static const shape *shape_of(stf_kind kind)
{
    size_t i = 0;

    while (shapes[i].kind != kind)
        i++;
    return &shapes[i];
}

/* A row that is being made. */
typedef struct maker {
    const shape *s;
    int64_t n, length; /* length: L */
    const float *e;
    number *work;      /* [length] */
    number *row;       /* [n] */
    stfi_roots *roots; /* of order 4 L */
} maker;

/* exp(-2 pi i q / (4 L)). */
static number root_of(const maker *m, int64_t q)
{
    int64_t order = 4 * m->length;
    number w;

    stfi_roots_get(m->roots, (uint64_t)((q % order + order) % order), &w.re,
                   &w.im);
    return w;
}

static number times(number a, number b)
{
    return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Returns 1 if index m of a half-complex signal is that of an imaginary part. */
static int is_imaginary(const maker *m, int64_t i)
{
    return 2 * i > m->n;
}

/* 1 if row k of the matrix has cosines (0: sines). */
static int is_taken(const maker *m, int64_t k, int sines)
{
    return m->s->kind != STF_R2HC || is_imaginary(m, k) == sines;
}

/* Makes the DFT of which g_at() reads G. */
static stf_status transform(maker *m, int sines)
{
    int whole = m->s->b / 2, half = m->s->a % 2;

    memset(m->work, 0, (size_t)m->length * sizeof *m->work);
    for (int64_t k = 0; k < m->n; k++) {
        int64_t at = k + whole;
        number x = {m->e[2 * k], m->e[2 * k + 1]};
        if (is_taken(m, k, sines))
            m->work[at % m->length] = times(x, root_of(m, 2 * half * at));
    }
    return stfi_ft_row_transform(m->length, &m->work[0].re);
}

/* G(x) for x = twice / 2. */
static number g_at(const maker *m, int64_t twice)
{
    int half = m->s->a % 2, shift = m->s->b % 2;
    int64_t at = (twice - half) / 2 % m->length;

    return times(m->work[at < 0 ? at + m->length : at],
                 root_of(m, shift * twice));
}

static int factor_of(const maker *m, int64_t j)
{
    /* The middle of a half-complex signal has no mirror image. */
    int middle = m->s->kind == STF_HC2R && 2 * j == m->n;
    int first = j == 0, last = j == m->n - 1;

    if (middle || (first && last && m->s->first != m->s->last))
        return 1;
    return first ? m->s->first : last ? m->s->last : m->s->others;
}

/* Adds the sums with cosines, or with sines, to the row. */
static stf_status add(maker *m, int sines)
{
    stf_status status = transform(m, sines);

    for (int64_t j = 0; j < m->n && status == STF_OK; j++) {
        int64_t twice = 2 * j + m->s->a;
        number p = g_at(m, twice), q = g_at(m, -twice);
        long double share = factor_of(m, j) / 2.0L;
        if (m->s->kind == STF_HC2R && is_imaginary(m, j) != sines)
            continue;
        m->row[j].re += share * (sines ? q.im - p.im : p.re + q.re);
        m->row[j].im += share * (sines ? p.re - q.re : p.im + q.im);
    }
    return status;
}

stf_status stfi_ft_real_row(stf_kind kind, int64_t n, const float *e,
                            long double *row)
{
    const stfi_kind *k = stfi_kind_get(kind);
    maker m = {shape_of(kind), n,   k->times * (n + k->plus), e, NULL,
               (number *)row,  NULL};
    size_t bytes;
    void *work;
    stf_status status = stfi_bytes((size_t)m.length, sizeof *m.work, 1,
                                   "a checksum's row", &bytes);

    if (status == STF_OK)
        status = stfi_alloc_raw(bytes, "a checksum's row", &work);
    if (status != STF_OK)
        return status;
    m.work = work;
    memset(row, 0, (size_t)n * sizeof *m.row);
    status = stfi_roots_create((uint64_t)(4 * m.length), STF_F64,
                               (uint64_t)(4 * m.length), &m.roots);
    if (m.s->cosines && status == STF_OK)
        status = add(&m, 0);
    if (m.s->sines && status == STF_OK)
        status = add(&m, 1);
    stfi_roots_destroy(m.roots);
    stfi_dealloc(work);
    return status;
}
