/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Stages on matrix units. The butterfly of radix R is a real matrix of 2R rows
 * that multiplies columns of R complex elements, real and imaginary part in
 * turn; of radix 4 and 2, a column has several butterflies (seats.h). The threads of a
 * wave multiply as many columns, in four products, of 8
 * columns in waves of 32 (unit8.h), of 16 in waves of 64 (unit16.h). Column c has
 * butterflies that thread c of them would compute otherwise; four threads share a
 * column. A wave thus has the same butterflies on units as elsewhere, and the
 * exchanges between stages, which are there anyway, move elements to the threads
 * that need them.
 *
 * Data in F16 or BF16 are rounded to that at every stage. An element of F32 is the
 * sum of two halves, and so is a root: x = x_h + x_l. Of the four products of such
 * sums, that of x_l and w_l is below the rounding error and is left out; the roots of
 * radix 4 and 2 are halves, and have no w_l. Units cut
 * off what they shift out of their sums, which would be the largest error of all:
 * the products of x_h and w_h are therefore summed up outside of them, each 8
 * terms, or each 16 where a unit has no fewer. A power of two brings the
 * largest component of each column to what F16 holds best.
 * Source: [SplitFFT], section 3 (splitting); [tcFFT], section 3 (one piece);
 * Ootomo and Yokota, "Recovering single precision accuracy from Tensor Cores" (sums
 * outside of the unit). */
#ifndef STFK_MATRIX_H
#define STFK_MATRIX_H

#if STFK_WAVE == 64
#include "fft/unit16.h"
#else
#include "fft/unit8.h"
#endif

namespace stfk
{

/* Where a stage leaves the result 0 of butterfly b; see put_results(). Of bits that are
 * apart, the places are. */
template <int R, int P> STFK_DEVICE int first_result(int b)
{
    return b / P * (P * R) + b % P;
}

/* The same exchanges as put_results() and get_inputs(). Their member `m` is
 * not needed: who holds what follows from the thread's seat. */
template <int R, int P> struct put_columns {
    const cx *v;
    member m;
    template <part which> STFK_MEMBER void run() const
    {
        constexpr bool disjoint = power_of_two(R) && power_of_two(P),
                       apart = disjoint && power_of_two(T);
        const seat s(R);
        const int own = element_in(R, s.result());

        each_after<R>(s, [&](int i, int lane, const column_part<R> &c) {
            const int known = apart ? c.more : 0;
            put<which>(place_sum<disjoint>(
                           lane,
                           first_result<R, P>(c.b + (c.more - known)) + own * P,
                           first_result<R, P>(known) + (c.j - own) * P),
                       v[i]);
        });
    }
};

template <int R> struct get_columns {
    cx *v;
    member m;
    template <part which> STFK_MEMBER void run() const
    {
        constexpr bool disjoint = power_of_two(N / R),
                       apart = disjoint && power_of_two(T);
        const seat s(R);
        const int own = element_in(R, s.q);

        each_before<R>(s, [&](int i, int lane, const column_part<R> &c) {
            const int known = apart ? c.more : 0;
            get<which>(place_sum<disjoint>(
                           lane, c.b + (c.more - known) + own * (N / R),
                           known + (c.j - own) * (N / R)),
                       v[i]);
        });
    }
};

/* ------------------------------------------------------------ the product */

/* Radices whose roots are 1, -i, -1 and i, which halves hold as they are. */
STFK_CONST bool has_exact_roots(int r)
{
    return r < 8;
}

/* A word of the matrix of such a radix: of result `row` and element e of a column. */
template <int R> STFK_DEVICE unsigned exact_word(int row, int e)
{
    const int power = element_in(R, row) * element_in(R, e) * (4 / R) % 4;
    const unsigned one = has_range_of_f32 ? 0x3f80u : 0x3c00u;
    const unsigned root = power < 2 ? one : one | 0x8000u;

    return block_in(R, row) != block_in(R, e) ? 0
           : power % 2 != 0                   ? root << 16
                                              : root;
}

/* A thread's part of the matrix of radix R. The table has the words of all powers of
 * exp(-2 pi i/16), the halves' first and second pieces. The rows of result j + 8 of
 * radix 16 differ from those of result j in the signs of odd elements only, which
 * the columns take instead. */
template <int R> struct butterfly_matrix {
    butterfly_rows<column_size(R)> high, low;

    STFK_MEMBER butterfly_matrix(const seat &s, const cx *table)
    {
        STFK_UNROLL
        for (int i = 0; i < column_size(R) / 4; i++) {
            if constexpr (has_exact_roots(R)) {
                high.set(s, i, exact_word<R>(s.row(), s.q + 4 * i));
            } else {
                int e = s.row() * (s.q + 4 * i) * (16 / R) % 16;
                vec2<real> w = load_table((const vec2<real> *)table + e);
                high.set(s, i, bits_of(w.x));
                if constexpr (two_pieces)
                    low.set(s, i, bits_of(w.y));
            }
        }
    }
};

/* A thread's part of a column: the halves of its elements, and what they and the
 * roots were multiplied by, inverted. */
template <int R> struct column {
    static constexpr int count = column_size(R) / 4;
    unsigned high[count], low[count];
    float back;

    STFK_MEMBER explicit column(const cx *x)
    {
        back = has_exact_roots(R) ? 1.0f : 1.0f / STFK_UNIT_FACTOR(STFK_UNIT);
        split(x, has_range_of_f32 ? 1.0f : best_scale(x));
    }
    /* 2^14 is to be the largest component's power of two, or less if the scale
     * would be more than a float. */
    STFK_MEMBER float best_scale(const cx *x)
    {
        float peak = 0;

        STFK_UNROLL
        for (int i = 0; i < count; i++)
            peak = greater(greater(peak, x[i].x), x[i].y);
        peak = greater(peak, shuffle_xor(peak, sharing));
        peak = greater(peak, shuffle_xor(peak, 2 * sharing));
        unsigned power = bits_of(peak) >> 23;
        power = power < 15 ? 15 : power;
        back *= make_float((power - 14) << 23);
        return make_float((268 - power) << 23);
    }
    /* Returns the greater modulus. */
    STFK_MEMBER static float greater(float a, float b)
    {
        return from_bits(
            larger(bits_of(a) & 0x7fffffffu, bits_of(b) & 0x7fffffffu));
    }
    STFK_MEMBER static unsigned larger(unsigned a, unsigned b)
    {
        return a > b ? a : b;
    }
    /* Changes all signs if `one` is 1. */
    STFK_MEMBER void negate(bool one)
    {
        const unsigned signs = one ? 0x80008000u : 0;

        STFK_UNROLL
        for (int i = 0; i < count; i++) {
            high[i] ^= signs;
            if constexpr (two_pieces)
                low[i] ^= signs;
        }
    }
    STFK_MEMBER void split(const cx *x, float scale)
    {
        STFK_UNROLL
        for (int i = 0; i < count; i++) {
            cx u = scale * x[i];
            high[i] = half_pair<piece_type>(u.x, u.y);
            if constexpr (two_pieces)
                low[i] = half_pair<piece_type>(
                    u.x - half_widened<piece_type>(high[i] & 0xffffu),
                    u.y - half_widened<piece_type>(high[i] >> 16));
        }
    }
};

/* Computes 16 rows of the product of the matrix and columns of one piece. */
template <int R>
STFK_DEVICE void multiply_one(const butterfly_matrix<R> &f, const column<R> &c,
                              float (&d)[4])
{
    STFK_UNROLL
    for (int n = 0; n < 4; n++)
        d[n] = 0;
    STFK_UNROLL
    for (int i = 0; i < column_size(R) / 8; i++)
        add_steps(f.high, c.high, i, d);
}

/* The same of two pieces. A row of exact roots has no more than four terms, of which a
 * unit has nothing to cut off if they are about as large as each other. */
template <int R>
STFK_DEVICE void multiply_two(const butterfly_matrix<R> &f, const column<R> &c,
                              float (&d)[4])
{
    float rest[4] = {0, 0, 0, 0};

    if constexpr (has_exact_roots(R))
        multiply_one<R>(f, c, d);
    else
        add_apart(f.high, c.high, d);
    STFK_UNROLL
    for (int i = 0; i < column_size(R) / 8; i++) {
        add_steps(f.high, c.low, i, rest);
        if constexpr (!has_exact_roots(R))
            add_steps(f.low, c.high, i, rest);
    }
    STFK_UNROLL
    for (int n = 0; n < 4; n++)
        d[n] += rest[n];
}

/* Replaces a thread's elements of columns by their results. */
template <int R>
STFK_DEVICE void multiply_columns(const seat &s, const butterfly_matrix<R> &f,
                                  cx *x)
{
    column<R> c(x);
    const scales_after back(s, c.back);

    STFK_UNROLL
    for (int h = 0; h < column_size(R) / 8; h++) {
        float d[4];
        if (h > 0)
            c.negate(s.q % 2 != 0);
        if constexpr (two_pieces)
            multiply_two<R>(f, c, d);
        else
            multiply_one<R>(f, c, d);
        STFK_UNROLL
        for (int p = 0; p < 2; p++)
            x[h * 2 + p] = back.result(d, p);
    }
}

} // namespace stfk

#endif
