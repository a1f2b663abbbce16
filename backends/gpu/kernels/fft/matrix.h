/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Stages on matrix units. The butterfly of radix R is a real matrix of 2R rows
 * that multiplies columns of R complex elements, real and imaginary part in
 * turn. 32 threads multiply 32 columns, in four products of 8. Column c has the
 * butterfly that thread c of them would compute otherwise; thread 4 g + q holds
 * elements q + 4 i of columns g + 8 t before a stage, and results g + 8 m of
 * columns 2 q + p + 8 t after it (0 <= t < 4, p < 2, i < R/4, m < R/8). A wave
 * thus has the same butterflies on units as elsewhere, and the exchanges between
 * stages, which are there anyway, move elements to the threads that need them.
 *
 * Data in F16 or BF16 are rounded to that at every stage. An element of F32 is the
 * sum of two halves, and so is a root: x = x_h + x_l. Of the four products of such
 * sums, that of x_l and w_l is below the rounding error and is left out. Units cut
 * off what they shift out of their sums, which would be the largest error of all:
 * the products of x_h and w_h are therefore summed up outside of them, each 8
 * terms. A power of two brings the largest component of each column to what F16
 * holds best.
 * Source: [SplitFFT], section 3 (splitting); [tcFFT], section 3 (one piece);
 * Ootomo and Yokota, "Recovering single precision accuracy from Tensor Cores" (sums
 * outside of the unit). */
#ifndef STFK_MATRIX_H
#define STFK_MATRIX_H

#include "fft/tile.h"

namespace stfk
{

static_assert(sizeof(real) == 4, "units take F32 as halves");
static_assert(B % 32 == 0 && wave_size == 32, "units take whole waves");

enum { UNIT_SPLIT, UNIT_F16, UNIT_BF16 };

/* Elements have two pieces; each is of this type. */
constexpr bool two_pieces = STFK_UNIT == UNIT_SPLIT;
constexpr int piece_type = STFK_UNIT == UNIT_BF16 ? HALF_BF16 : HALF_F16;
constexpr bool has_range_of_f32 = STFK_UNIT == UNIT_BF16;

/* Where the thread is in its group of 32. */
struct seat {
    int first, g, q;
    STFK_MEMBER seat()
    {
        int i = (int)own_thread();
        first = i & ~31;
        g = i >> 2 & 7;
        q = i & 3;
    }
};

/* Returns the part of the tile of thread first + i, i < 32, both of one group of
 * 32. If the threads of a group are of one lane, or of as many lanes, the compiler
 * can compute what they have in common once. */
STFK_DEVICE member neighbour(int first, int i)
{
    constexpr int interleave = STFK_STORE_INTERLEAVE;
    const bool same = interleave % 32 == 0;
    const bool apart = interleave == 1 && L % 32 == 0;
    int n = same || apart ? first : first + i;
    member m = {n / interleave % L,
                n % interleave + n / (interleave * L) * interleave};

    return {apart ? m.lane + i : m.lane, same ? m.t + i : m.t};
}

/* Calls use(i, lane, b, j) for each register i before a stage of radix R: it
 * holds element b + j N/R of the lane. */
template <int R, class Use>
STFK_DEVICE void each_before(const seat &s, const Use &use)
{
    STFK_UNROLL
    for (int k = 0; k < rounds(R); k++) {
        STFK_UNROLL
        for (int t = 0; t < 4; t++) {
            member m = neighbour(s.first + s.g, 8 * t);
            STFK_UNROLL
            for (int i = 0; i < R / 4; i++)
                use(k * R + t * (R / 4) + i, m.lane, m.t + k * T, s.q + 4 * i);
        }
    }
}

/* Calls use(i, lane, b, j) for each register i after a stage of radix R: it
 * holds result j of butterfly b. */
template <int R, class Use>
STFK_DEVICE void each_after(const seat &s, const Use &use)
{
    STFK_UNROLL
    for (int k = 0; k < rounds(R); k++) {
        STFK_UNROLL
        for (int n = 0; n < 8; n++) {
            member m = neighbour(s.first + 2 * s.q, n % 2 + n / 2 * 8);
            STFK_UNROLL
            for (int h = 0; h < R / 8; h++)
                use(k * R + n / 2 * (R / 4) + h * 2 + n % 2, m.lane,
                    m.t + k * T, s.g + 8 * h);
        }
    }
}

/* The same exchanges as put_results() and get_inputs(). Their member `m` is
 * not needed: who holds what follows from the thread's seat. */
template <int R, int P> struct put_columns {
    const cx *v;
    member m;
    template <part which> STFK_MEMBER void run() const
    {
        constexpr bool disjoint = power_of_two(R) && power_of_two(P);
        const seat s;

        each_after<R>(s, [&](int i, int lane, int b, int j) {
            int e = b / P * (P * R) + b % P + s.g * P;
            put<which>(place_sum<disjoint>(lane, e, (j - s.g) * P), v[i]);
        });
    }
};

template <int R> struct get_columns {
    cx *v;
    member m;
    template <part which> STFK_MEMBER void run() const
    {
        const seat s;

        each_before<R>(s, [&](int i, int lane, int b, int j) {
            int e = b + s.q * (N / R);
            get<which>(
                place_sum<power_of_two(N / R)>(lane, e, (j - s.q) * (N / R)),
                v[i]);
        });
    }
};

/* ------------------------------------------------------------ the product */

/* A thread's part of the matrix of radix R: rows g (the real part of result g)
 * and g + 8 (its imaginary part), for elements q + 4 i. The table has the words
 * of all powers of exp(-2 pi i/16), the halves' first and second pieces. The rows
 * of result g + 8 of radix 16 differ from these in the signs of odd elements
 * only, which the columns take instead. */
template <int R> struct butterfly_matrix {
    struct pieces {
        unsigned real[R / 4], imag[R / 4];
        STFK_MEMBER void set(int i, unsigned word)
        {
            real[i] = word;
            imag[i] = (word << 16 | word >> 16) ^ 0x8000u;
        }
    };
    pieces high, low;

    STFK_MEMBER butterfly_matrix(const seat &s, const cx *table)
    {
        STFK_UNROLL
        for (int i = 0; i < R / 4; i++) {
            int e = s.g * (s.q + 4 * i) * (16 / R) % 16;
            vec2<real> w = load_table((const vec2<real> *)table + e);
            high.set(i, bits_of(w.x));
            if constexpr (two_pieces)
                low.set(i, bits_of(w.y));
        }
    }
};

/* A thread's part of a column: the halves of its elements, and what they and the
 * roots were multiplied by, inverted. */
template <int R> struct column {
    unsigned high[R / 4], low[R / 4];
    float back;

    STFK_MEMBER explicit column(const cx *x)
    {
        back = 1.0f / STFK_UNIT_FACTOR(STFK_UNIT);
        split(x, has_range_of_f32 ? 1.0f : best_scale(x));
    }
    /* 2^14 is to be the largest component's power of two, or less if the scale
     * would be more than a float. */
    STFK_MEMBER float best_scale(const cx *x)
    {
        float peak = 0;

        STFK_UNROLL
        for (int i = 0; i < R / 4; i++)
            peak = greater(greater(peak, x[i].x), x[i].y);
        peak = greater(peak, shuffle_xor(peak, 1));
        peak = greater(peak, shuffle_xor(peak, 2));
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
        for (int i = 0; i < R / 4; i++) {
            high[i] ^= signs;
            if constexpr (two_pieces)
                low[i] ^= signs;
        }
    }
    STFK_MEMBER void split(const cx *x, float scale)
    {
        STFK_UNROLL
        for (int i = 0; i < R / 4; i++) {
            cx u = scale * x[i];
            high[i] = half_pair<piece_type>(u.x, u.y);
            if constexpr (two_pieces)
                low[i] = half_pair<piece_type>(
                    u.x - half_widened<piece_type>(high[i] & 0xffffu),
                    u.y - half_widened<piece_type>(high[i] >> 16));
        }
    }
};

/* Adds the product of a piece of the matrix and of 8 columns, of steps 2 i and
 * 2 i + 1, to 16 rows. */
template <class Piece>
STFK_DEVICE void add_steps(const Piece &f, const unsigned *x, int i,
                           float (&d)[4])
{
    const unsigned a[4] = {f.real[2 * i], f.imag[2 * i], f.real[2 * i + 1],
                           f.imag[2 * i + 1]};
    const unsigned b[2] = {x[2 * i], x[2 * i + 1]};

    half_multiply<piece_type>(d, a, b);
}

/* Computes 16 rows of the product of the matrix and 8 columns of one piece. */
template <int R>
STFK_DEVICE void multiply_one(const butterfly_matrix<R> &f, const column<R> &c,
                              float (&d)[4])
{
    STFK_UNROLL
    for (int n = 0; n < 4; n++)
        d[n] = 0;
    STFK_UNROLL
    for (int i = 0; i < R / 8; i++)
        add_steps(f.high, c.high, i, d);
}

/* The same of two pieces. */
template <int R>
STFK_DEVICE void multiply_two(const butterfly_matrix<R> &f, const column<R> &c,
                              float (&d)[4])
{
    float rest[4] = {0, 0, 0, 0};

    STFK_UNROLL
    for (int i = 0; i < R / 4; i++) {
        float sum[4] = {0, 0, 0, 0};
        half_multiply<piece_type>(sum, f.high.real[i], f.high.imag[i],
                                  c.high[i]);
        STFK_UNROLL
        for (int n = 0; n < 4; n++)
            d[n] = i == 0 ? sum[n] : d[n] + sum[n];
    }
    STFK_UNROLL
    for (int i = 0; i < R / 8; i++) {
        add_steps(f.high, c.low, i, rest);
        add_steps(f.low, c.high, i, rest);
    }
    STFK_UNROLL
    for (int n = 0; n < 4; n++)
        d[n] += rest[n];
}

/* Replaces a thread's elements of 8 columns by their results. Column 2 q + p
 * belongs to the threads from 4 (2 q + p) on before the stage. */
template <int R>
STFK_DEVICE void multiply_columns(const seat &s, const butterfly_matrix<R> &f,
                                  cx *x)
{
    column<R> c(x);
    const float back[2] = {shuffle(c.back, 8 * s.q),
                           shuffle(c.back, 8 * s.q + 4)};

    STFK_UNROLL
    for (int h = 0; h < R / 8; h++) {
        float d[4];
        if (h > 0)
            c.negate(s.q % 2 != 0);
        if constexpr (two_pieces)
            multiply_two<R>(f, c, d);
        else
            multiply_one<R>(f, c, d);
        STFK_UNROLL
        for (int p = 0; p < 2; p++)
            x[h * 2 + p] = back[p] * cx{d[p], d[2 + p]};
    }
}

} // namespace stfk

#endif
