/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The butterflies of one radix in a compact transform (cpu_compact.h). This
 * file is included once per radix, with RADIX defined.
 *
 * Where a row of results is shorter than a vector, the vector is stored whole:
 * what it exceeds the row by is overwritten by the next row, or lies behind the
 * last one. Where it is longer, the last vector overlaps the one before. */

#define OF_RADIX(name) STFI_CAT(STFI_CAT(name, _), RADIX)

/* Butterflies over W columns, with results multiplied by w if `turned`, to y
 * or, if `giving`, to the user's array. */
INLINE void OF_RADIX(butterflies)(planes x, planes y, user u, int giving,
                                  int turned, const real *w, int64_t step,
                                  int64_t s)
{
    C v[RADIX];

    UNROLL
    for (int j = 0; j < RADIX; j++)
        v[j] = (C){loadu(x.re + j * step), loadu(x.im + j * step)};
    OF_RADIX(bf)(v);
    UNROLL
    for (int j = 0; j < RADIX; j++) {
        if (turned && j > 0)
            v[j] = c_mul1(v[j], w[2 * j - 2], w[2 * j - 1]);
        if (giving) {
            give_elements(u, j * s, v[j]);
        } else {
            storeu(y.re + j * s, v[j].r);
            storeu(y.im + j * s, v[j].i);
        }
    }
}

INLINE void OF_RADIX(line)(planes x, planes y, user u, int giving, int turned,
                           const real *w, int64_t step, int64_t s)
{
    for (int64_t q = 0; q < s; q += W) {
        int64_t at = q + W <= s || s < W ? q : s - W;
        user to = u;
        to.at += giving ? 2 * at : 0;
        OF_RADIX(butterflies)
        (planes_at(x, at), planes_at(y, giving ? 0 : at), to, giving, turned, w,
         step, s);
    }
}

static void OF_RADIX(columns)(const stfi_cpu_step *t, planes x, planes y)
{
    const int64_t s = t->s, m = t->m, step = m * s, size = RADIX * step;
    const user none = {.at = NULL};

    for (int64_t b = 0; b < t->blocks; b++) {
        planes from = planes_at(x, b * size), to = planes_at(y, b * size);
        const real *w = t->twiddle;
        if (m == 1) {
            OF_RADIX(line)(from, to, none, 0, 0, NULL, step, s);
            continue;
        }
        for (int64_t p = 0; p < m; p++) {
            OF_RADIX(line)(from, to, none, 0, 1, w, step, s);
            w += 2 * (RADIX - 1);
            from = planes_at(from, s);
            to = planes_at(to, RADIX * s);
        }
    }
}

/* The last step, to the user's array, with s >= W. */
static void OF_RADIX(give)(const stfi_cpu_step *t, planes x, const user *to)
{
    const int64_t s = t->s;
    user u = *to;

    for (int64_t b = 0; b < t->blocks; b++) {
        OF_RADIX(line)(x, x, u, 1, 0, NULL, s, s);
        x = planes_at(x, RADIX * s);
        u.at += 2 * RADIX * s;
    }
}

/* Stores W rows of RADIX reals, of which v[j] has element j, one behind the
 * other. If `split`, lanes are in the order of split_elements(). */
INLINE void OF_RADIX(put_rows)(const V *v, int split, real *to)
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
            storeu(to + l * RADIX + first,
                   square[split ? lane_of_split(l) : l]);
    }
}

/* Butterflies over W neighbours p, from x or, if `taking`, the user's array. */
INLINE void OF_RADIX(across)(planes x, planes y, user u, int taking,
                             const real *w, int64_t row, int64_t m)
{
    V re[RADIX], im[RADIX];
    C v[RADIX];

    UNROLL
    for (int j = 0; j < RADIX; j++)
        v[j] = taking ? split_elements(u, j * m)
                      : (C){loadu(x.re + j * m), loadu(x.im + j * m)};
    OF_RADIX(bf)(v);
    UNROLL
    for (int j = 0; j < RADIX; j++) {
        if (j > 0) {
            C f = {loadu(w + (2 * j - 2) * row), loadu(w + (2 * j - 1) * row)};
            v[j] = c_mul(v[j], taking ? (C){split(f.r), split(f.i)} : f);
        }
        re[j] = v[j].r;
        im[j] = v[j].i;
    }
    OF_RADIX(put_rows)(re, taking, y.re);
    OF_RADIX(put_rows)(im, taking, y.im);
}

INLINE void OF_RADIX(all_rows)(const stfi_cpu_step *t, planes x, planes y,
                               user u, int taking)
{
    const int64_t m = t->m, row = stfi_cpu_row_of(m, W);
    const real *w = t->twiddle;

    for (int64_t b = 0; b < t->blocks; b++)
        for (int64_t p = 0; p < m; p += W) {
            int64_t at = p + W <= m || m < W ? p : m - W;
            int64_t from = b * RADIX * m + at;
            planes to = planes_at(y, b * RADIX * m + at * RADIX);
            user part = u;
            part.at += taking ? 2 * from : 0;
            OF_RADIX(across)
            (planes_at(x, taking ? 0 : from), to, part, taking, w + at, row, m);
        }
}

static void OF_RADIX(rows_of)(const stfi_cpu_step *t, planes x, planes y)
{
    OF_RADIX(all_rows)(t, x, y, (user){.at = NULL}, 0);
}

/* The first step, from the user's array, with m >= W. */
static void OF_RADIX(take)(const stfi_cpu_step *t, planes y, const user *u)
{
    OF_RADIX(all_rows)(t, y, y, *u, 1);
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
