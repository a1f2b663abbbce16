/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of 2^k halves all of whose stages run on matrix units, and that stay halves from
 * the load to the store: an element is a word of a register or of shared memory, which
 * units take as it is. So rows may have twice as many points as rows of F32, and
 * exchanges move half as many bytes. Results are multiplied by their roots before they
 * are rounded, once in each stage.
 * Source: [tcFFT], section 3 (halves between stages, fragments as memory has them). */
#ifndef STFK_UNIT_ROWS_H
#define STFK_UNIT_ROWS_H

#include "fft/row_words.h"

namespace stfk
{

/* Whether words are all that a thread has registers for, of those that a multiprocessor
 * has for its blocks. */
constexpr bool lacks_registers = B * STFK_BLOCKS * (V + 96) > 65536;

/* Roots and words of the matrix are conjugate in the inverse direction. */
STFK_DEVICE unsigned conjugate_signs(const work &a)
{
    return (a->inverse != 0) != (STFK_INVERSE != 0) ? 0x80000000u : 0;
}

/* Returns what the results of stage s are multiplied by beside roots. Halves have little
 * room, so a scale below 1 is applied as early as it may be: a stage of radix R whose
 * results are divided by R has none above its inputs, and one whose results are not has
 * one at least as large as the largest of those. So nothing overflows unless a result
 * does. The first stage has the sign, and what the units of the last one multiply by, so
 * that the last one mostly has a factor of 1. */
template <int s> STFK_DEVICE float row_scale(const work &a)
{
    constexpr float back = 1.0f / STFK_UNIT_FACTOR(STFK_UNIT);
    constexpr float before = (float)row_before(s), radix = (float)row_radix(s);
    const float scale = a->scale_f, size = scale < 0 ? -scale : scale;
    /* What stages before have left of it, if they took all they may. */
    const float left = size * before;

    if (s == S - 1)
        return size >= 1 ? size : left < 1 ? left : 1.0f;
    return (s == 0 ? (scale < 0 ? -back * back : back * back) : back)
           * (left >= 1           ? 1.0f
              : left * radix >= 1 ? left
                                  : 1.0f / radix);
}

/* Returns w^(j k), w of order P R, from the table of a stage of radix R that follows
 * others of product P (each_power() in transform.h). */
template <int R, int P>
STFK_DEVICE cx row_root(const work &a, const cx *table, int j, int k)
{
    constexpr bool all = STFK_POWERS_ALL(R, P);
    const int low = all ? j : j & 3;
    const cx one = {1, 0};
    cx w = low == 0 ? one : table_at(table, (low - 1) * P + k);

    if constexpr (!all)
        w = w * (j < 4 ? one : table_at(table, (2 + j / 4) * P + k));
    return {w.x, from_bits(bits_of(w.y) ^ conjugate_signs(a))};
}

/* Result j of column b of stage s, which follows others of product P, is multiplied by
 * w^(j (b / P)), w of order N / P, and by a scale. Of a thread's results that are 8
 * apart, `of` has the factors for a column and for that 16 columns on, of columns t and
 * rounds in turn; steps lead from one to the next. */
template <int s> struct row_factors {
    static constexpr int R = row_radix(s), P = row_before(s),
                         rest = N / (P * R), apart = 16, count = R / 8;
    static constexpr bool by_column = P == 1, by_pair = P <= apart;
    /* Rounds are T / P roots apart, or by one now and then; columns have taken four of
     * them. */
    static constexpr int far = (T > P ? T / P : 1) - (by_column ? 4 : 0);
    cx of[count][by_pair ? 2 : 1], to_column[count], to_round[count];

    STFK_MEMBER row_factors(const work &a, const row_seat &own)
    {
        const cx *table = (const cx *)a->stage + stage_offset(S - 1 - s, false);

        STFK_UNROLL
        for (int h = 0; h < count; h++) {
            const int j = own.g + 8 * h;
            const auto root = [&](int k) {
                return row_root<R, rest>(a, table, j, k);
            };
            of[h][0] = row_scale<s>(a) * root((own.column + 4 * own.q) / P);
            if constexpr (by_pair)
                of[h][1] = of[h][0] * root(apart / P);
            if (by_column)
                to_column[h] = root(1);
            if (V > R)
                to_round[h] = root(far);
        }
    }
    STFK_MEMBER void turn(const cx (&step)[count])
    {
        STFK_UNROLL
        for (int h = 0; h < count; h++) {
            STFK_UNROLL
            for (int p = 0; p < (by_pair ? 2 : 1); p++)
                of[h][p] = of[h][p] * step[h];
        }
    }
    STFK_MEMBER void begin_round(int k)
    {
        if (k > 0 && k * T / P > (k - 1) * T / P)
            turn(to_round);
    }
    STFK_MEMBER cx times(int h, int p, cx v) const
    {
        return v * of[h][by_pair ? p : 0];
    }
    STFK_MEMBER void advance()
    {
        if (by_column)
            turn(to_column);
    }
};

/* Those of the last stage, and of a last stage whose factor is 1. */
struct row_factor {
    float factor;

    STFK_MEMBER void begin_round(int)
    {
    }
    STFK_MEMBER cx times(int, int, cx v) const
    {
        return factor * v;
    }
    STFK_MEMBER void advance()
    {
    }
};

struct no_row_factor {
    STFK_MEMBER void begin_round(int)
    {
    }
    STFK_MEMBER cx times(int, int, cx v) const
    {
        return v;
    }
    STFK_MEMBER void advance()
    {
    }
};

/* A thread's part of the matrix of radix R, for columns as rows have them. */
template <int R> struct row_matrix {
    butterfly_rows<R> rows;

    STFK_MEMBER row_matrix(const work &a, const row_seat &s)
    {
        const cx *table = (const cx *)a->stage + stage_total(false);

        STFK_UNROLL
        for (int i = 0; i < R / 4; i++) {
            const int e =
                s.row() * (s.q + 4 * bits_reversed(i, R / 4)) * (16 / R);
            rows.set(s, i,
                     bits_of(load_table((const vec2<real> *)table + e % 16).x)
                         ^ conjugate_signs(a));
        }
    }
};

/* Replaces a thread's elements of a column by its results. */
template <int R, class Factors>
STFK_DEVICE void multiply_row_column(const row_seat &own,
                                     const row_matrix<R> &f,
                                     const Factors &factors, unsigned *x)
{
    const unsigned odd = own.q % 2 != 0 ? 0x80008000u : 0;
    unsigned y[R / 4];

    STFK_UNROLL
    for (int h = 0; h < R / 8; h++) {
        float d[4] = {0, 0, 0, 0};
        STFK_UNROLL
        for (int i = 0; i < R / 4 && h > 0; i++)
            x[i] ^= odd;
        STFK_UNROLL
        for (int i = 0; i < R / 8; i++)
            add_steps(f.rows, x, i, d);
        STFK_UNROLL
        for (int p = 0; p < 2; p++) {
            const cx v = factors.times(h, p, cx{d[p], d[2 + p]});
            const unsigned u = half_pair<piece_type>(v.x, v.y);
            y[h * 2 + p] = lacks_registers ? word_made_here(u) : u;
        }
    }
    STFK_UNROLL
    for (int i = 0; i < R / 4; i++)
        x[i] = y[i];
}

template <int s, class Factors>
STFK_DEVICE void run_row_stage(const work &a, Factors factors, unsigned *w)
{
    constexpr int R = row_radix(s);
    const row_seat own;
    const row_matrix<R> f(a, own);

    STFK_UNROLL
    for (int k = 0; k < V / R; k++) {
        factors.begin_round(k);
        STFK_UNROLL
        for (int t = 0; t < 4; t++) {
            multiply_row_column<R>(own, f, factors, w + k * R + t * (R / 4));
            factors.advance();
        }
    }
}

/* Computes stages s .. S-1. */
template <int s> struct row_stages {
    STFK_MEMBER static void run(const work &a, unsigned *w)
    {
        run_row_stage<s>(a, row_factors<s>(a, row_seat()), w);
        if (s > 0)
            tile_sync();
        put_words<row_radix(s), row_before(s)>(w);
        tile_sync();
        get_words<row_radix(s + 1)>(w);
        row_stages<s + 1>::run(a, w);
    }
};

template <> struct row_stages<S - 1> {
    STFK_MEMBER static void run(const work &a, unsigned *w)
    {
        const float factor = row_scale<S - 1>(a);

        if (factor == 1)
            run_row_stage<S - 1>(a, no_row_factor{}, w);
        else
            run_row_stage<S - 1>(a, row_factor{factor}, w);
    }
};

/* As transform_tile in ops.h. */
template <int op, class Watch> struct unit_rows_tile {
    unsigned w[V];

    STFK_MEMBER void compute(Watch &c)
    {
        load_row_words(c.a, w);
        prefetch_row(c.a);
        row_stages<0>::run(c.a, w);
    }
    STFK_MEMBER void store(Watch &c)
    {
        store_row_words<Watch>(c.a, w);
    }
};

} // namespace stfk

#endif
