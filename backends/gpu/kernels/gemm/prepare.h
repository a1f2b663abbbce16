/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The block memory of checks, and what is read into it before a tile's product: the
 * norms that thresholds are made of. */
#ifndef STFK_GEMM_PREPARE_H
#define STFK_GEMM_PREPARE_H

#include "gemm/split.h"

namespace stfk
{

/* ||A|| of a tile and ||b_j|| of a column, over a part of k. */
struct norms {
    double a, b;
};

/* An element of a tile; so many are corrected at most (two_sided.h). */
struct place {
    unsigned short row, col;
};
enum { MOST_WRONG = 4 };

/* Block memory of checks, behind the slabs. Sums that end a tile lie where the
 * slabs were. */
struct memory {
    norms norm[BN]; /* of the tile's rows of A, and of a column */
    real vector[VECTORS]
               [BN]; /* residuals of the look before; until then, the sums
                                 that are expected (expected_there) */
    real ratio[BN];  /* of the residual and its threshold */
    real shrink[BN]; /* 2^-e: C_ij of the column is below 2^e */
    real line[BM];   /* a column of C */
    stfi_ft_state state;
    unsigned char wrongs; /* the elements that are to be corrected */
    float noted;          /* the largest residual when the tile was begun */
    int worst;            /* the column with the largest ratio */
    place wrong[MOST_WRONG];
};
static_assert(sizeof(memory)
                  <= (4 * BN + BM) * sizeof(real) + BN * sizeof(norms) + 32,
              "gemm_tiles.c counts less");

STFK_DEVICE memory *memory_of(real *shared)
{
    return (memory *)(shared + STAGES * SLAB);
}

/* Norms of doubles are scaled by 2^-e before they are squared, e as exponent_above() has
 * it of the largest; of floats, of whose chunks the sums of squares are kept, nothing has
 * to be (encode.h: stored()). */
STFK_DEVICE double square_of(double x, double down)
{
    return sizeof(real) == 4 ? x : x * down * (x * down);
}

/* Returns e with x < 2^e, or a bound of the type's exponents. */
STFK_DEVICE int exponent_above(double x)
{
    const int most = sizeof(real) == 4 ? 126 : 1022;
    const int e = (int)(bits_of(x) >> 52 & 0x7ff) - 1022;

    return e > most ? most : e < -most ? -most : e;
}

/* Comparisons leave NaN out, the sums do not. */
STFK_DEVICE double larger(double x, double most)
{
    return x > most ? x : most;
}

STFK_DEVICE double norm_of(int e, double sum)
{
    return sizeof(real) == 4 ? square_root(sum)
                             : power_of_two(e) * square_root(sum);
}

/* The norm over chunks of k, which are `step` apart. Of floats the chunks' sums of
 * squares are added, of doubles their norms, without overflow. The loads do not wait
 * for each other. */
STFK_DEVICE double norm_over(const double *chunk, wide step, int count)
{
    double most = 0, sum = 0;

    if constexpr (sizeof(real) == 8) {
        STFK_UNROLL_MANY
        for (int n = 0; n < count; n++)
            most = larger(chunk[n * step], most);
    }
    const int e = exponent_above(most);
    const double down = power_of_two(-e);
    STFK_UNROLL_MANY
    for (int n = 0; n < count; n++)
        sum += square_of(chunk[n * step], down);
    return norm_of(e, sum);
}

/* The same of neighbours, of which the threads of a group of 32 read some each. */
STFK_DEVICE double norm_together(const double *chunk, int count)
{
    const int lane = (int)thread_index() % 32;
    double most = 0, sum = 0;

    if constexpr (sizeof(real) == 8) {
        for (int n = lane; n < count; n += 32)
            most = larger(chunk[n], most);
        for (int m = 1; m < 32; m *= 2)
            most = larger(shuffle_xor(most, m), most);
    }
    const int e = exponent_above(most);
    const double down = power_of_two(-e);
    for (int n = lane; n < count; n += 32)
        sum += square_of(chunk[n], down);
    for (int m = 1; m < 32; m *= 2)
        sum += shuffle_xor(sum, m);
    return norm_of(e, sum);
}

/* The pieces of the norm of a tile's rows of A, over this part of k. */
STFK_DEVICE const double *pieces_of(const stfk_gemm &a, const tile_place &p,
                                    int *count)
{
    const wide member = a.a.shared ? 0 : p.member;

    *count = (int)((p.steps + STFK_GEMM_PIECE - 1) / STFK_GEMM_PIECE);
    return a.norm_a
           + (member * a.tiles_m + p.row / BM) * a.chunks * STFK_GEMM_PIECES
           + p.k / STFK_GEMM_PIECE;
}

/* ||b_j|| of column j, over this part of k. */
STFK_DEVICE double norm_of_column(const stfk_gemm &a, const tile_place &p,
                                  int col)
{
    const wide member = a.b.shared ? 0 : p.member;
    const wide chunk = p.k / STFK_GEMM_CHUNK;
    const int count = (int)((p.steps + STFK_GEMM_CHUNK - 1) / STFK_GEMM_CHUNK);

    return norm_over(a.norm_b + (member * a.chunks + chunk) * a.n + p.col + col,
                     a.n, count);
}

/* What makes elements of a column small enough to be squared. */
STFK_DEVICE real shrink_of(const norms &n)
{
    return (real)power_of_two(-exponent_above(n.a * n.b));
}

/* The largest residual of all, as the ledger has it now: not as a cache has it. */
STFK_DEVICE float noted_so_far(const stfk_gemm &a)
{
    return make_float(*(const volatile unsigned *)&a.ledger->worst);
}

/* The sum that a column is expected to have. Digits are added up as those that units
 * leave a tile (predict_group.h). */
STFK_DEVICE real expected_of(const stfk_gemm &a, const tile_place &p, int w,
                             int col)
{
    constexpr int ROWS = in_digits ? UNIT_ROWS : VECTORS;
    const real *at = (const real *)a.predicted
                     + (p.member * a.n + p.col + col) * ROWS * a.tiles_m
                     + p.row / BM * ROWS;
    real sum = 0;

#if STFK_UNIT_SUMS
    for (int n = DIGITS - 1; n >= 0; n--)
        sum = multiply_add(at[w * (DIGITS + 1) + n], digit_weight(n), sum);
    return sum * (real)(1 << DIGITS_MORE);
#endif
    sum = at[w];
    return sum;
}

/* Reads the norms of a tile, while the copies of its first slabs are under way. All
 * threads call it. */
STFK_DEVICE void prepare(const stfk_gemm &a, const tile_place &p, memory *m)
{
    const int t = (int)thread_index();
    int count;
    const double *pieces = pieces_of(a, p, &count);
    const double rows = norm_together(pieces, count);

    if (t == 0)
        m->noted = noted_so_far(a);
    if (t >= BN)
        return;
    m->norm[t] = {t < p.cols ? rows : 0,
                  t < p.cols && !own_norms ? norm_of_column(a, p, t) : 0};
    m->shrink[t] = shrink_of(m->norm[t]);
}

/* Reads the sums that the tile's columns are expected to have. */
STFK_DEVICE void take_expected(const stfk_gemm &a, const tile_place &p,
                               memory *m)
{
    const int t = (int)thread_index();

    if (t < p.cols)
        for (int w = 0; w < VECTORS; w++)
            m->vector[w][t] = expected_of(a, p, w, t);
}

} // namespace stfk

#endif
