/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What checks need beforehand: the rows of A of each tile, weighed by signs,
 * and norms. A block takes a tile's rows, or some columns of B, and a chunk of
 * k. Groups of 32 threads read along the neighbours in memory. */
#ifndef STFK_GEMM_ENCODE_H
#define STFK_GEMM_ENCODE_H

#include "gemm/shape.h"

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
};

/* Sums of the rows of A at one step, under both vectors. They are added in
 * double: the rounding errors of checksums must be smaller than the
 * product's. */
struct weighed_sum {
    double of[VECTORS];
};

/* Adds U rows from `row` on, a multiple of U. */
STFK_DEVICE void weigh(weighed_sum &s, squares &q, const real *x, int row)
{
    constexpr int FOUR = U < 4 ? U : 4;

    STFK_UNROLL
    for (int w = 0; w < VECTORS; w++)
        STFK_UNROLL
    for (int u = 0; u < U; u += FOUR) {
        double sum = 0;
        STFK_UNROLL
        for (int v = u; v < u + FOUR; v++)
            sum += is_minus_in_four(w, row + v) ? -(double)x[v] : (double)x[v];
        s.of[w] += is_minus_four(w, row + u) ? -sum : sum;
    }
    STFK_UNROLL
    for (int v = 0; v < U; v++)
        q.add((double)x[v]);
}

/* Rows whose neighbours are in memory: 8 threads read 128 bytes of one step, as
 * often as they need for a tile, all before the first is added. */
constexpr int SIDE = 8, SPAN = SIDE * U, TURNS = BM > SPAN ? BM / SPAN : 1;

STFK_DEVICE void get_rows(const stored *from, int count, bool wide, real *x)
{
    if (wide && count >= U) {
        get_elements(from, x);
        return;
    }
    STFK_UNROLL
    for (int v = 0; v < U; v++)
        x[v] = v < count ? get_element(from + v) : 0;
}

STFK_DEVICE void weigh_across(const stfk_gemm &a, const encoded &x, real *to,
                              squares &q)
{
    const int lane = (int)thread_index() % SIDE;

    STFK_UNROLL_SOME
    for (int k = (int)thread_index() / SIDE; k < STFK_GEMM_CHUNK;
         k += E / SIDE) {
        const int there = k < x.steps ? x.there : 0;
        const stored *from = x.from + (there > 0 ? k * a.a.along : 0);
        weighed_sum s = {};
        real held[TURNS][U];
        STFK_UNROLL
        for (int i = 0; i < TURNS; i++) {
            const int row = i * SPAN + lane * U;
            get_rows(from + row, there - row, a.a.wide, held[i]);
        }
        STFK_UNROLL
        for (int i = 0; i < TURNS; i++)
            weigh(s, q, held[i], i * SPAN + lane * U);
        STFK_UNROLL
        for (int w = 0; w < VECTORS; w++) {
            STFK_UNROLL
            for (int m = 1; m < SIDE; m *= 2)
                s.of[w] += shuffle_xor(s.of[w], m);
            if (lane == 0 && there > 0)
                to[w * a.k + k] = (real)s.of[w];
        }
    }
}

/* Rows whose steps are neighbours in memory: a thread has a step, and reads some
 * rows before it adds the first. */
STFK_DEVICE void weigh_along(const stfk_gemm &a, const encoded &x, real *to,
                             squares &q)
{
    constexpr int SOME = 16;
    static_assert(E == STFK_GEMM_CHUNK && BM % SOME == 0, "no whole turns");
    const int k = (int)thread_index();
    weighed_sum s = {};

    if (k >= x.steps)
        return;
    for (int i = 0; i < x.there; i += SOME) {
        real held[SOME];
        STFK_UNROLL
        for (int v = 0; v < SOME; v++)
            held[v] = i + v < x.there
                          ? get_element(x.from + (i + v) * a.a.across + k)
                          : 0;
        STFK_UNROLL
        for (int v = 0; v < SOME; v += U)
            weigh(s, q, held + v, i + v);
    }
    for (int w = 0; w < VECTORS; w++)
        to[w * a.k + k] = (real)s.of[w];
}

STFK_DEVICE void encode_a(const stfk_gemm &a, wide block)
{
    const wide chunk = block % a.chunks, tile = block / a.chunks % a.tiles_m;
    const wide member = block / a.chunks / a.tiles_m;
    const wide k = chunk * STFK_GEMM_CHUNK, row = tile * BM;
    const encoded x = {(const stored *)a.a.base + member * a.a.dist
                           + row * a.a.across + k * a.a.along,
                       (int)lesser(BM, a.m - row),
                       (int)lesser(STFK_GEMM_CHUNK, a.k - k)};
    real *to =
        (real *)a.weighed + (member * a.tiles_m + tile) * VECTORS * a.k + k;
    squares *line = (squares *)shared_memory(), q = {0, 0, 0};

    if constexpr (STFK_A_ALONG_K)
        weigh_along(a, x, to, q);
    else
        weigh_across(a, x, to, q);
    add_lanes(q);
    if (thread_index() % 32 == 0)
        line[thread_index() / 32] = q;
    block_sync();
    if (thread_index() != 0)
        return;
    for (int n = 1; n < LINES; n++)
        q.add(line[n]);
    a.norm_a[(member * a.tiles_m + tile) * a.chunks + chunk] = q.stored();
}

/* Columns of B whose steps are neighbours in memory: 32 threads read some
 * columns, all before the first is squared. */
STFK_DEVICE void square_along(const stfk_gemm &a, const encoded &x,
                              double *norm)
{
    constexpr int COLS = STFK_GEMM_LINES / LINES, STEPS = STFK_GEMM_CHUNK / 32;
    const int lane = (int)thread_index() % 32;
    const int col = (int)thread_index() / 32 * COLS;
    real held[COLS][STEPS];

    STFK_UNROLL
    for (int j = 0; j < COLS; j++)
        STFK_UNROLL
    for (int i = 0; i < STEPS; i++) {
        const int k = i * 32 + lane;
        held[j][i] = col + j < x.there && k < x.steps
                         ? get_element(x.from + (col + j) * a.b.across + k)
                         : 0;
    }
    STFK_UNROLL
    for (int j = 0; j < COLS; j++) {
        squares q = {0, 0, 0};
        STFK_UNROLL
        for (int i = 0; i < STEPS; i++)
            q.add((double)held[j][i]);
        add_lanes(q);
        if (lane == 0 && col + j < x.there)
            norm[col + j] = q.stored();
    }
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
        real held[SOME];
        STFK_UNROLL
        for (int v = 0; v < SOME; v++) {
            const int k = (i + v) * LINES + line;
            held[v] = k < x.steps && lane < x.there
                          ? get_element(x.from + k * a.b.along + lane)
                          : 0;
        }
        STFK_UNROLL
        for (int v = 0; v < SOME; v++)
            q.add((double)held[v]);
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
                       (int)lesser(STFK_GEMM_CHUNK, a.k - k)};

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
