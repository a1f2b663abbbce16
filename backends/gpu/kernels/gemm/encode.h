/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What checks need beforehand: the rows of A of each tile, weighed by signs, and
 * norms. A block takes a tile's rows and a piece of k, or some columns of B and a
 * chunk of k, unless their norms are made beside the product (own_norms). Groups of
 * 32 threads read along the neighbours in memory. */
#ifndef STFK_GEMM_ENCODE_H
#define STFK_GEMM_ENCODE_H

#include "gemm/weighed.h"

namespace stfk
{

constexpr int E = STFK_GEMM_THREADS, LINES = E / 32;

/* A sum of squares of data of any size: of large ones, of small ones, and of
 * all others, each scaled so that no square leaves the range. Squares of
 * floats never leave that of doubles. */
struct squares {
    double large, middle, small;

    STFK_MEMBER void add(double x)
    {
        if constexpr (sizeof(real) == 4) {
            middle = multiply_add(x, x, middle);
        } else {
            const double size = magnitude(x);
            if (!(size <= 0x1p400))
                large += x * 0x1p-600 * (x * 0x1p-600);
            else if (size < 0x1p-400)
                small += x * 0x1p600 * (x * 0x1p600);
            else
                middle += x * x;
        }
    }

    STFK_MEMBER void add(const squares &s)
    {
        large += s.large;
        middle += s.middle;
        small += s.small;
    }

    /* What is kept of a chunk: the sum of squares of floats, or a norm (check.h:
     * norm_over()). */
    STFK_MEMBER double stored() const
    {
        if constexpr (sizeof(real) == 4)
            return middle;
        if (large != 0)
            return square_root(large + middle * 0x1p-600 * 0x1p-600) * 0x1p600;
        if (middle != 0)
            return square_root(middle + small * 0x1p-600 * 0x1p-600);
        return square_root(small) * 0x1p-600;
    }
};

/* Whether a sum of squares has lost nothing, and none of a double is to be scaled: they
 * are not far from 1. Halves that have 5 bits of exponent never are. */
STFK_DEVICE bool is_whole(real sum)
{
    const real least = sizeof(real) == 4 ? (real)0x1p-80 : (real)0x1p-800;
    const real most = sizeof(real) == 4 ? (real)0x1p100 : (real)0x1p800;

    return STFK_HALF == 1 || (sum >= least && sum <= most);
}

/* Adds the squares of some numbers. Those of floats are added up as floats before
 * they are converted, which takes longer than adding. */
template <int n> STFK_DEVICE void add_squares(squares &q, const real *x)
{
    real sum = 0;

    STFK_UNROLL
    for (int v = 0; v < n; v++)
        sum = multiply_add(x[v], x[v], sum);
    if (is_whole(sum)) {
        q.middle += (double)sum;
        return;
    }
    STFK_UNROLL
    for (int v = 0; v < n; v++)
        q.add((double)x[v]);
}

STFK_DEVICE squares exchanged(const squares &s, int mask)
{
    if constexpr (sizeof(real) == 4)
        return {0, shuffle_xor(s.middle, mask), 0};
    else
        return {shuffle_xor(s.large, mask), shuffle_xor(s.middle, mask),
                shuffle_xor(s.small, mask)};
}

STFK_DEVICE void add_lanes(squares &s)
{
    for (int m = 1; m < 32; m *= 2)
        s.add(exchanged(s, m));
}

/* A block's part of an operand. */
struct encoded {
    const stored *from; /* element 0, step 0 */
    int there, steps;   /* elements across, steps of k */
    int kept;           /* steps of k whose sums are kept: 0 beyond those */
    real *to;           /* where those of step 0 are kept */
    int scale;          /* of their digits: 2^scale */
};

/* Sums of the rows of A at one step, under both vectors, of groups of four at
 * first. Their rounding errors are less than 16 more steps of the product's chains:
 * there are few additions, and those of K steps are independent. */
struct weighed_sum {
    real of[VECTORS];
};

/* Adds U rows from `row` on, a multiple of U. */
STFK_DEVICE void weigh(weighed_sum &s, squares &q, const real *x, int row)
{
    constexpr int FOUR = U < 4 ? U : 4;

    STFK_UNROLL
    for (int w = 0; w < VECTORS; w++)
        STFK_UNROLL
    for (int u = 0; u < U; u += FOUR) {
        real sum = 0;
        STFK_UNROLL
        for (int v = u; v < u + FOUR; v++)
            sum += is_minus_in_four(w, row + v) ? -x[v] : x[v];
        s.of[w] += is_minus_four(w, row + u) ? -sum : sum;
    }
    add_squares<U>(q, x);
}

/* Keeps the sums of step k of a chunk, or those that thread `lane` of `lanes`
 * does. */
STFK_DEVICE void keep_sums(const stfk_gemm &a, const weighed_sum &s,
                           const encoded &x, int k, int lane, int lanes)
{
#if STFK_UNIT_SUMS
    for (int n = lane; n < VECTORS * DIGITS; n += lanes) {
        const bool first = n < DIGITS;
        const int digit = first ? n : n - DIGITS;
        const int row = digit + (first ? 0 : DIGITS + 1);
        const double sum = (double)(first ? s.of[0] : s.of[1]);
        ((unsigned short *)x.to)[row * weighed_length(a) + k] =
            digit_of((real)(sum * power_of_two(x.scale)), digit);
    }
#else
    (void)lanes;
    if (lane == 0)
        STFK_UNROLL
    for (int w = 0; w < VECTORS; w++)
        x.to[w * weighed_length(a) + k] = s.of[w];
#endif
}

/* Elements stay as they lie in memory until all that a thread reads at once are there:
 * what is converted in a branch, or under a condition, is waited for there. */
#if STFK_HALF
typedef unsigned raw;

STFK_DEVICE raw get_raw(const stored *p)
{
    return load_half(p);
}

STFK_DEVICE real number_of(raw x)
{
    return half_widened<STFK_HALF - 1>(x);
}
#else
typedef stored raw;

STFK_DEVICE raw get_raw(const stored *p)
{
    return load_table(p);
}

STFK_DEVICE real number_of(raw x)
{
    return (real)x;
}
#endif

/* U neighbours: in a piece of 16 bytes, which is aligned, or one by one. */
template <bool pieces> struct neighbours {
    words piece;
    raw one[U];

    /* Reads those of which `count` are there, in pieces all or none. */
    STFK_MEMBER void read(const stored *from, int count)
    {
        if constexpr (pieces)
            piece = count > 0 ? load_words((const words *)from) : words{};
        else
            STFK_UNROLL
        for (int v = 0; v < U; v++)
            one[v] = v < count ? get_raw(from + v) : 0;
    }

    STFK_MEMBER real at(int v) const
    {
        return pieces ? real_of(piece, v) : number_of(one[v]);
    }
};

/* Rows whose neighbours are in memory: 8 threads read 128 bytes of one step, as
 * often as they need for a tile, and of all their steps in pieces, before the first is
 * added. */
constexpr int SIDE = 8, SPAN = SIDE * U, TURNS = BM > SPAN ? BM / SPAN : 1;
constexpr int STRIDE = E / SIDE, OWN_K = STFK_GEMM_PIECE / STRIDE;

/* Weighs what this thread and its neighbours have of step k of a piece. */
template <bool pieces>
STFK_DEVICE void weigh_step(const stfk_gemm &a, const encoded &x, int k,
                            const neighbours<pieces> (&held)[TURNS], squares &q)
{
    const int lane = (int)thread_index() % SIDE;
    weighed_sum s = {};

    STFK_UNROLL
    for (int i = 0; i < TURNS; i++) {
        real y[U];
        STFK_UNROLL
        for (int v = 0; v < U; v++)
            y[v] = held[i].at(v);
        weigh(s, q, y, i * SPAN + lane * U);
    }
    STFK_UNROLL
    for (int w = 0; w < VECTORS; w++) {
        STFK_UNROLL
        for (int m = 1; m < SIDE; m *= 2)
            s.of[w] += shuffle_xor(s.of[w], m);
    }
    if (k < x.kept)
        keep_sums(a, s, x, k, lane, SIDE);
}

template <bool pieces>
STFK_DEVICE void weigh_rows(const stfk_gemm &a, const encoded &x, squares &q)
{
    constexpr int AT_ONCE = pieces ? OWN_K : 1;
    const int own = (int)thread_index() / SIDE;
    const int first = (int)thread_index() % SIDE * U;

    STFK_UNROLL
    for (int n = 0; n < OWN_K; n += AT_ONCE) {
        neighbours<pieces> held[AT_ONCE][TURNS];
        STFK_UNROLL
        for (int m = 0; m < AT_ONCE; m++)
            STFK_UNROLL
        for (int i = 0; i < TURNS; i++) {
            const int k = own + (n + m) * STRIDE, row = first + i * SPAN;
            const int there = k < x.steps ? x.there - row : 0;
            held[m][i].read(x.from + (there > 0 ? k * a.a.along + row : 0),
                            there);
        }
        STFK_UNROLL
        for (int m = 0; m < AT_ONCE; m++)
            weigh_step<pieces>(a, x, own + (n + m) * STRIDE, held[m], q);
    }
}

STFK_DEVICE void weigh_across(const stfk_gemm &a, const encoded &x, squares &q)
{
    if (a.a.wide && x.there % U == 0)
        weigh_rows<true>(a, x, q);
    else
        weigh_rows<false>(a, x, q);
}

/* Rows whose steps are neighbours in memory: a thread has a step and a quarter of the
 * rows, of which it reads some before it adds the first. */
STFK_DEVICE void weigh_along(const stfk_gemm &a, const encoded &x, squares &q)
{
    constexpr int QUARTERS = E / STFK_GEMM_PIECE, OWN = BM / QUARTERS;
    constexpr int SOME = OWN < 16 ? OWN : 16;
    static_assert(OWN % SOME == 0 && SOME % U == 0, "no whole turns");
    const int k = (int)thread_index() % STFK_GEMM_PIECE;
    const int first = (int)thread_index() / STFK_GEMM_PIECE * OWN;
    weighed_sum *part = (weighed_sum *)shared_memory(), s = {};

    for (int i = first; k < x.steps && i < first + OWN && i < x.there;
         i += SOME) {
        raw held[SOME];
        real all[SOME];
        STFK_UNROLL
        for (int v = 0; v < SOME; v++)
            held[v] = i + v < x.there
                          ? get_raw(x.from + (i + v) * a.a.across + k)
                          : 0;
        STFK_UNROLL
        for (int v = 0; v < SOME; v++)
            all[v] = number_of(held[v]);
        STFK_UNROLL
        for (int v = 0; v < SOME; v += U)
            weigh(s, q, all + v, i + v);
    }
    part[thread_index()] = s;
    block_sync();
    if (first == 0 && k < x.kept) {
        for (int n = 1; n < QUARTERS; n++)
            for (int w = 0; w < VECTORS; w++)
                s.of[w] += part[n * STFK_GEMM_PIECE + k].of[w];
        keep_sums(a, s, x, k, 0, 1);
    }
    block_sync();
}

STFK_DEVICE void encode_a(const stfk_gemm &a, wide block)
{
    const wide pieces = a.chunks * STFK_GEMM_PIECES, piece = block % pieces;
    const wide tile = block / pieces % a.tiles_m;
    const wide member = block / pieces / a.tiles_m;
    const wide k = piece * STFK_GEMM_PIECE, row = tile * BM;
    const encoded x = {(const stored *)a.a.base + member * a.a.dist
                           + row * a.a.across + k * a.a.along,
                       (int)lesser(BM, a.m - row),
                       (int)lesser(STFK_GEMM_PIECE, a.k - k),
                       (int)lesser(STFK_GEMM_PIECE, weighed_length(a) - k),
                       weighed_rows(a, member, tile, k),
                       sums_by_unit ? digits_scale(a, member, tile) : 0};
    squares *line = (squares *)shared_memory(), q = {0, 0, 0};

    if constexpr (STFK_A_ALONG_K)
        weigh_along(a, x, q);
    else
        weigh_across(a, x, q);
    add_lanes(q);
    if (thread_index() % 32 == 0)
        line[thread_index() / 32] = q;
    block_sync();
    q = line[thread_index() % LINES];
    for (int n = 1; n < LINES; n *= 2)
        q.add(exchanged(q, n));
    if (thread_index() == 0)
        a.norm_a[(member * a.tiles_m + tile) * pieces + piece] = q.stored();
}

/* Columns of B whose steps are neighbours in memory: 32 threads read some columns,
 * halves of aligned ones by pieces, all before the first is squared. */
template <bool pieces>
STFK_DEVICE void square_steps(const stfk_gemm &a, const encoded &x,
                              double *norm)
{
    constexpr int COLS = STFK_GEMM_LINES / LINES, STEPS = STFK_GEMM_CHUNK / 32;
    const int lane = (int)thread_index() % 32;
    const int col = (int)thread_index() / 32 * COLS;
    neighbours<true> piece[COLS];
    raw held[COLS][STEPS];

    STFK_UNROLL
    for (int j = 0; j < COLS; j++) {
        const stored *from = x.from + (col + j) * a.b.across;
        const int steps = col + j < x.there ? x.steps : 0;
        if constexpr (pieces)
            piece[j].read(from + lane * U, steps);
        else
            STFK_UNROLL
        for (int i = 0; i < STEPS; i++) {
            const int k = i * 32 + lane;
            held[j][i] = k < steps ? get_raw(from + k) : 0;
        }
    }
    STFK_UNROLL
    for (int j = 0; j < COLS; j++) {
        squares q = {0, 0, 0};
        real all[STEPS];
        STFK_UNROLL
        for (int i = 0; i < STEPS; i++)
            all[i] = pieces ? piece[j].at(i % U) : number_of(held[j][i]);
        add_squares<STEPS>(q, all);
        add_lanes(q);
        if (lane == 0 && col + j < x.there)
            norm[col + j] = q.stored();
    }
}

STFK_DEVICE void square_along(const stfk_gemm &a, const encoded &x,
                              double *norm)
{
    constexpr bool fits = STFK_GEMM_CHUNK / 32 == U;

    if (fits && a.b.wide && x.steps == STFK_GEMM_CHUNK)
        square_steps<fits>(a, x, norm);
    else
        square_steps<false>(a, x, norm);
}

/* Columns that are neighbours in memory: a line of 32 threads takes some steps
 * of all, and the lines' sums are added in their order. */
STFK_DEVICE void square_across(const stfk_gemm &a, const encoded &x,
                               double *norm)
{
    constexpr int STEPS = STFK_GEMM_CHUNK / LINES, SOME = 16;
    const int lane = (int)thread_index() % 32, line = (int)thread_index() / 32;
    squares *part = (squares *)shared_memory(), q = {0, 0, 0};

    for (int i = 0; i < STEPS; i += SOME) {
        raw held[SOME];
        real all[SOME];
        STFK_UNROLL
        for (int v = 0; v < SOME; v++) {
            const int k = (i + v) * LINES + line;
            held[v] = k < x.steps && lane < x.there
                          ? get_raw(x.from + k * a.b.along + lane)
                          : 0;
        }
        STFK_UNROLL
        for (int v = 0; v < SOME; v++)
            all[v] = number_of(held[v]);
        add_squares<SOME>(q, all);
    }
    part[line * 32 + lane] = q;
    block_sync();
    if (line != 0 || lane >= x.there)
        return;
    for (int n = 1; n < LINES; n++)
        q.add(part[n * 32 + lane]);
    norm[lane] = q.stored();
}

STFK_DEVICE void encode_b(const stfk_gemm &a, wide block)
{
    const wide lines = (a.n + STFK_GEMM_LINES - 1) / STFK_GEMM_LINES;
    const wide chunk = block % a.chunks, group = block / a.chunks % lines;
    const wide member = block / a.chunks / lines;
    const wide k = chunk * STFK_GEMM_CHUNK, col = group * STFK_GEMM_LINES;
    const encoded x = {(const stored *)a.b.base + member * a.b.dist
                           + col * a.b.across + k * a.b.along,
                       (int)lesser(STFK_GEMM_LINES, a.n - col),
                       (int)lesser(STFK_GEMM_CHUNK, a.k - k),
                       0,
                       0,
                       0};

    double *norm = a.norm_b + (member * a.chunks + chunk) * a.n + col;

    if constexpr (STFK_B_ALONG_K)
        square_along(a, x, norm);
    else
        square_across(a, x, norm);
}

STFK_DEVICE void encode(const stfk_gemm &a)
{
    const wide block = a.first + (wide)block_index();

    if (is_scaling(a))
        return;
    if (block < a.encode_a)
        encode_a(a, block);
    else
        encode_b(a, block - a.encode_a);
}

} // namespace stfk

#endif
