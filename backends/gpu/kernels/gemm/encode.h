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

    STFK_MEMBER double norm() const
    {
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

STFK_DEVICE void weigh(weighed_sum &s, squares &q, real x, int row)
{
    STFK_UNROLL
    for (int w = 0; w < VECTORS; w++)
        s.of[w] += (double)(sign_of(w, row) * x);
    q.add((double)x);
}

STFK_DEVICE void weigh_rows(const stfk_gemm &a, const encoded &x, real *to,
                            squares &q)
{
    const int lane = (int)thread_index() % 32, line = (int)thread_index() / 32;

    if constexpr (STFK_A_ALONG_K) {
        for (int k = (int)thread_index(); k < x.steps; k += E) {
            weighed_sum s = {};
            for (int i = 0; i < x.there; i++)
                weigh(s, q, load_table(x.from + i * a.a.across + k), i);
            for (int w = 0; w < VECTORS; w++)
                to[w * a.k + k] = (real)s.of[w];
        }
    } else {
        for (int k = line; k < STFK_GEMM_CHUNK; k += LINES) {
            weighed_sum s = {};
            for (int i = lane; i < x.there && k < x.steps; i += 32)
                weigh(s, q, load_table(x.from + k * a.a.along + i), i);
            for (int w = 0; w < VECTORS; w++) {
                for (int m = 1; m < 32; m *= 2)
                    s.of[w] += shuffle_xor(s.of[w], m);
                if (lane == 0 && k < x.steps)
                    to[w * a.k + k] = (real)s.of[w];
            }
        }
    }
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

    weigh_rows(a, x, to, q);
    add_lanes(q);
    if (thread_index() % 32 == 0)
        line[thread_index() / 32] = q;
    block_sync();
    if (thread_index() != 0)
        return;
    for (int n = 1; n < LINES; n++)
        q.add(line[n]);
    a.norm_a[(member * a.tiles_m + tile) * a.chunks + chunk] = q.norm();
}

/* The squares of one column of B. Where neighbours are along n, each line of
 * threads takes some steps of all columns, and their sums are added in their
 * order. */
STFK_DEVICE void square_columns(const stfk_gemm &a, const encoded &x,
                                double *norm)
{
    const int lane = (int)thread_index() % 32, line = (int)thread_index() / 32;
    squares *part = (squares *)shared_memory(), q = {0, 0, 0};

    if constexpr (STFK_B_ALONG_K) {
        for (int j = line; j < STFK_GEMM_LINES; j += LINES) {
            q = {0, 0, 0};
            for (int k = lane; k < x.steps && j < x.there; k += 32)
                q.add((double)load_table(x.from + j * a.b.across + k));
            add_lanes(q);
            if (lane == 0 && j < x.there)
                norm[j] = q.norm();
        }
    } else {
        for (int k = line; k < x.steps && lane < x.there; k += LINES)
            q.add((double)load_table(x.from + k * a.b.along + lane));
        part[line * 32 + lane] = q;
        block_sync();
        if (line != 0 || lane >= x.there)
            return;
        for (int n = 1; n < LINES; n++)
            q.add(part[n * 32 + lane]);
        norm[lane] = q.norm();
    }
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

    square_columns(a, x, a.norm_b + (member * a.chunks + chunk) * a.n + col);
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
