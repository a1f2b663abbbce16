/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The butterflies of one radix in a compact transform (cpu_compact.h). This file
 * is included once per radix, with RADIX defined.
 *
 * Where a row of results is shorter than a vector, the vector is stored whole:
 * what it exceeds the row by is overwritten by the next row, or lies behind the
 * last one. Where it is longer, the last vector overlaps the one before. */

#define OF_RADIX(name) STFI_CAT(STFI_CAT(name, _), RADIX)

INLINE void OF_RADIX(butterflies)(const planes *x, const planes *y,
                                  const user *u, const real *w, int64_t from,
                                  int64_t to, int64_t step, int64_t s)
{
    C v[RADIX];

    UNROLL
    for (int j = 0; j < RADIX; j++)
        v[j] =
            (C){loadu(x->re + from + j * step), loadu(x->im + from + j * step)};
    OF_RADIX(bf)(v);
    UNROLL
    for (int j = 0; j < RADIX; j++) {
        if (j > 0 && w != NULL)
            v[j] = c_mul1(v[j], w[2 * j - 2], w[2 * j - 1]);
        put_elements(y, u, to + j * s, v[j]);
    }
}

INLINE void OF_RADIX(line)(const planes *x, const planes *y, const user *u,
                           const real *w, int64_t from, int64_t to,
                           int64_t step, int64_t s)
{
    for (int64_t q = 0; q < s; q += W) {
        int64_t at = q + W <= s || s < W ? q : s - W;
        OF_RADIX(butterflies)(x, y, u, w, from + at, to + at, step, s);
    }
}

static void OF_RADIX(columns)(const stfi_cpu_step *t, const planes *x,
                              const planes *y)
{
    const int64_t s = t->s, m = t->m, step = m * s;

    for (int64_t b = 0; b < t->blocks; b++) {
        const int64_t at = b * RADIX * step;
        const real *w = t->twiddle;
        if (m == 1) {
            OF_RADIX(line)(x, y, NULL, NULL, at, at, step, s);
            continue;
        }
        for (int64_t p = 0; p < m; p++, w += 2 * (RADIX - 1))
            OF_RADIX(line)
        (x, y, NULL, w, at + p * s, at + p * s * RADIX, step, s);
    }
}

/* The last step, to the user's array, with s >= W. */
static void OF_RADIX(give)(const stfi_cpu_step *t, const planes *x,
                           const user *u)
{
    const int64_t s = t->s;

    for (int64_t b = 0; b < t->blocks; b++)
        OF_RADIX(line)(x, NULL, u, NULL, b * RADIX * s, b * RADIX * s, s, s);
}

/* Stores W rows of RADIX reals, of which v[j] has element j, one behind the
 * other. */
INLINE void OF_RADIX(put_rows)(const V *v, real *to)
{
    UNROLL
    for (int j = 0; j < RADIX; j += W) {
        const int first = j + W <= RADIX || RADIX < W ? j : RADIX - W;
        V square[W];
        UNROLL
        for (int i = 0; i < W; i++)
            square[i] = v[first + i < RADIX ? first + i : RADIX - 1];
        transpose(square);
        UNROLL
        for (int l = 0; l < W; l++)
            storeu(to + l * RADIX + first, square[l]);
    }
}

INLINE void OF_RADIX(across)(const planes *x, const planes *y, const user *u,
                             const real *w, int64_t row, int64_t from,
                             int64_t to, int64_t m)
{
    V re[RADIX], im[RADIX];
    C v[RADIX];

    UNROLL
    for (int j = 0; j < RADIX; j++)
        v[j] = take_elements(x, u, from + j * m);
    OF_RADIX(bf)(v);
    UNROLL
    for (int j = 0; j < RADIX; j++) {
        if (j > 0 && w != NULL)
            v[j] = c_mul(v[j], (C){loadu(w + (2 * j - 2) * row),
                                   loadu(w + (2 * j - 1) * row)});
        re[j] = v[j].r;
        im[j] = v[j].i;
    }
    OF_RADIX(put_rows)(re, y->re + to);
    OF_RADIX(put_rows)(im, y->im + to);
}

INLINE void OF_RADIX(all_rows)(const stfi_cpu_step *t, const planes *x,
                               const planes *y, const user *u)
{
    const int64_t m = t->m, row = stfi_cpu_row_of(m, W);
    const real *w = t->twiddle;

    for (int64_t b = 0; b < t->blocks; b++)
        for (int64_t p = 0; p < m; p += W) {
            int64_t at = p + W <= m || m < W ? p : m - W;
            int64_t from = b * RADIX * m + at;
            int64_t to = b * RADIX * m + at * RADIX;
            if (m == 1)
                OF_RADIX(across)(x, y, u, NULL, 0, from, to, m);
            else
                OF_RADIX(across)(x, y, u, w + at, row, from, to, m);
        }
}

static void OF_RADIX(rows_of)(const stfi_cpu_step *t, const planes *x,
                              const planes *y)
{
    OF_RADIX(all_rows)(t, x, y, NULL);
}

/* The first step, from the user's array, with m >= W. */
static void OF_RADIX(take)(const stfi_cpu_step *t, const planes *y,
                           const user *u)
{
    OF_RADIX(all_rows)(t, NULL, y, u);
}

/* Transforms groups of W arrays of RADIX elements in registers. */
static void OF_RADIX(short)(const user *from, const user *to, int64_t groups)
{
    user x = *from, y = *to;

    for (int64_t g = 0; g < groups && RADIX >= W / 2; g++) {
        C v[RADIX];
        UNROLL
        for (int e = 0; e < RADIX; e += W / 2) {
            const int at = e + W / 2 <= RADIX ? e : RADIX - W / 2;
            if (RADIX >= W / 2)
                take_square(&x, at, v + at);
        }
        OF_RADIX(bf)(v);
        UNROLL
        for (int e = 0; e < RADIX; e += W / 2) {
            const int at = e + W / 2 <= RADIX ? e : RADIX - W / 2;
            if (RADIX >= W / 2)
                give_square(&y, at, v + at);
        }
        x.at += W * x.step;
        y.at += W * y.step;
    }
}

#undef OF_RADIX
#undef RADIX
