/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the kernels of matrix products have in common: types, the shape of a
 * block's tile, who computes which part of it, and the signs of checksums.
 *
 * A block computes a tile of BM x BN elements of C in slabs of BK steps of k.
 * Rows of C are neighbours in memory. A thread has TM x TN elements, in units of
 * V neighbouring rows (16 bytes; 2 rows with matrix units), and the threads along
 * the rows alternate, so that they read and store runs. Units that 128 threads use
 * together (STFK_UNIT 3) multiply all rows of a tile and 64 of its columns.
 *
 * A and B may be halves (STFK_HALF), which are computed in F32; C may be, too. */
#ifndef STFK_GEMM_SHAPE_H
#define STFK_GEMM_SHAPE_H

#define STFK_ARGS stfk_gemm

#include "common/types.h"
#include "fft/args.h"
#include "ft/outcome.h"
#include "gemm/gemm_args.h"

namespace stfk
{

/* What a kernel does: it computes tiles, makes the sums that checks take
 * beforehand, splits the operands into halves, adds up the parts of tiles, keeps
 * C as it is, checks tiles that were stored, or computes those again that were not
 * clean. */
enum {
    GEMM_MULTIPLY,
    GEMM_ENCODE,
    GEMM_SPLIT,
    GEMM_ADD,
    GEMM_KEEP,
    GEMM_SETTLE,
    GEMM_MEND
};

constexpr int BM = STFK_BM, BN = STFK_BN, BK = STFK_BK;
constexpr int TM = STFK_TM, TN = STFK_TN;
constexpr int THREADS = BM / TM * (BN / TN);
/* Whether matrix units multiply, whether these are the ones of halves, and whether
 * groups of threads use them together. */
constexpr bool units = STFK_UNIT != 0, half_units = STFK_UNIT >= 2,
               group_units = STFK_UNIT == 3;
constexpr int V = half_units ? 2 : 16 / (int)sizeof(real);
/* A group of 32 threads has RT along the rows and CT along the columns; a thread
 * has CU neighbouring columns. Matrix units multiply STEP steps of k at once. */
constexpr int RT = units ? 4 : 8, CT = 32 / RT, CU = units ? 1 : V;
constexpr int STEP = half_units ? 16 : units ? 4 : 1;
constexpr int WARPS_M = BM / (RT * TM); /* groups of 32 threads along rows */
constexpr bool checked = STFK_CHECK != 0;
/* Whether each thread checks its own elements, with sums of what it multiplies
 * (own_sums.h), or each group of 32 the columns of its part of the tile, with sums that
 * it makes (warp_sums.h), or the block the columns of its tile, with sums that were
 * made beforehand. */
constexpr bool by_thread = STFK_BY_THREAD != 0, by_warp = STFK_BY_WARP != 0;
constexpr bool made_beforehand = !by_thread && !by_warp;
constexpr int VECTORS = STFK_GEMM_VECTORS;
/* Whether the sums that checks expect are in memory, made by a product of their own, and
 * not beside the product. */
constexpr bool expected_there = STFK_EXPECTED != 0;
constexpr bool predicts = checked && !expected_there;
/* Whether tiles read norms with those sums, when they are done, and not before. Those of
 * doubles take long, and are better made while the first slabs are under way. */
constexpr bool norms_late = expected_there && sizeof(real) == 4;
/* Whether the norms of columns of B are made beside the product, of the slabs from
 * which the sums of checks are made, and not beforehand. */
constexpr bool own_norms = STFK_OWN_NORMS != 0;
/* Whether F32 is split into halves. */
constexpr bool splits = STFK_SPLIT != 0;
/* Whether units multiply the weighed rows of A, too (predict_group.h). */
constexpr bool sums_by_unit = STFK_UNIT_SUMS != 0 && !expected_there;
/* Whether these are halves of F32, which are scaled for each tile. */
constexpr bool sums_split = STFK_UNIT_SUMS == 2;
/* Whether they are rows of digits: those that units multiply are. */
constexpr bool in_digits = STFK_UNIT_SUMS != 0;
constexpr int UNIT_ROWS = STFK_GEMM_UNIT_ROWS;
constexpr int WHOLE_STEPS = STFK_GEMM_WHOLE_STEPS;
/* Each vector has half of these rows, of which the last has no digits. */
constexpr int DIGITS = UNIT_ROWS / VECTORS - 1;

STFK_DEVICE bool has_digit(int row)
{
    return row % (DIGITS + 1) < DIGITS;
}

/* Checked tiles begin with A and B, which were there before the sums beforehand were
 * begun, and wait for these then. All others wait at once. */
#define STFK_WAITS_LATE (STFK_CHECK && STFK_ASYNC && !STFK_SPLIT)

static_assert(BM % (RT * TM) == 0 && BN % (CT * TN) == 0, "no whole groups");
static_assert(TM % V == 0 && TN % V == 0, "no whole units");
static_assert(!units || V == 2, "matrix units multiply doubles and halves");
static_assert(made_beforehand || !units, "units multiply for several threads");
static_assert(!by_warp || V == 4, "weights are for units of four rows");
static_assert(BK % 2 == 0 && BN <= THREADS, "too few steps or threads");

template <class T> STFK_DEVICE T magnitude(T v)
{
    return v < 0 ? -v : v;
}

STFK_DEVICE double power_of_two(int e)
{
    return from_bits((count_t)(e + 1023) << 52);
}

STFK_DEVICE bool is_finite(double v)
{
    return v - v == 0;
}

/* V neighbours, which move at once, as numbers and in C. */
struct alignas(V * sizeof(real)) unit {
    real of[V];
};
typedef STFK_STORED_C stored_c;
struct alignas(V * sizeof(stored_c)) unit_c {
    stored_c of[V];
};

/* Elements of A or B in 16 bytes. */
constexpr int U = 16 / (int)sizeof(stored);

/* What A and B were before they were split. */
#if STFK_SPLIT
typedef real original;
#else
typedef stored original;
#endif

/* The number that an element of A or B is. */
STFK_DEVICE real get_element(const stored *p)
{
#if STFK_HALF
    return half_widened<STFK_HALF - 1>(load_half(p));
#else
    return load_table(p);
#endif
}

STFK_DEVICE real get_original(const original *p)
{
#if STFK_SPLIT
    return load_table(p);
#else
    return get_element(p);
#endif
}

/* The same for C. */
STFK_DEVICE real widened(stored_c x)
{
    if constexpr (sizeof(stored_c) != sizeof(real))
        return half_widened<STFK_HALF - 1>(x);
    else
        return (real)x;
}

STFK_DEVICE stored_c narrowed(real x)
{
    if constexpr (sizeof(stored_c) != sizeof(real))
        return (stored_c)half_rounded<STFK_HALF - 1>(x);
    else
        return (stored_c)x;
}

STFK_DEVICE real real_of(const words &w, int i)
{
#if STFK_HALF
    return half_widened<STFK_HALF - 1>(w.of[i / 2] >> i % 2 * 16 & 0xffffu);
#endif
    if constexpr (sizeof(real) == 4)
        return (real)from_bits(w.of[i]);
    else
        return (real)from_bits((count_t)w.of[2 * i]
                               | (count_t)w.of[2 * i + 1] << 32);
}

/* Reads U elements of A or B. */
STFK_DEVICE void get_elements(const stored *from, real *to)
{
    const words w = load_words((const words *)from);

    STFK_UNROLL
    for (int v = 0; v < U; v++)
        to[v] = real_of(w, v);
}

/* Writes a unit of any memory. */
STFK_DEVICE void put_unit(const real *from, real *to)
{
    unit u;

    STFK_UNROLL
    for (int v = 0; v < V; v++)
        u.of[v] = from[v];
    *(unit *)to = u;
}

STFK_DEVICE wide lesser(wide a, wide b)
{
    return a < b ? a : b;
}

/* Row i and column j of the tile that element (i, j) of a thread is. */
STFK_DEVICE int row_of(int i)
{
    const int t = (int)thread_index();

    return t / 32 % WARPS_M * RT * TM + i / V * RT * V + t % RT * V + i % V;
}

STFK_DEVICE int col_of(int j)
{
    const int t = (int)thread_index();

    return t / 32 / WARPS_M * CT * TN + j / CU * CT * CU + t % 32 / RT * CU
           + j % CU;
}

/* Row i that a thread holds of A: its own, or one of 8 of which matrix units
 * make the rows of C of 8 threads. */
STFK_DEVICE int held_row(int i)
{
    const int t = (int)thread_index();

    return units ? t / 32 % WARPS_M * RT * TM + i * 8 + t % 32 / 4 : row_of(i);
}

/* The sign of a row under one of the two vectors. Four neighbours have the sum
 * 2 or -2, so that what hits neighbours alike is seen; 32 have the sum 0, so
 * that data of one sign have small sums. The vectors are orthogonal over each
 * four neighbours: what cancels under one by chance hardly does under both. */
STFK_DEVICE bool is_minus_in_four(int vector, int row)
{
    return (row & 3) == (vector == 0 ? 3 : 1);
}

STFK_DEVICE bool is_minus_four(int vector, int row)
{
    const int last = (row >> 2 & 3) == 3, high = row >> 4;

    return (last ^ ((vector == 0 ? high : high ^ high >> 1) & 1)) != 0;
}

STFK_DEVICE real sign_of(int vector, int row)
{
    return is_minus_in_four(vector, row) != is_minus_four(vector, row)
               ? (real)-1
               : (real)1;
}

/* A tile of C and a part of k. */
struct tile_place {
    wide member, part, tile; /* tile: its number in its matrix */
    wide row, col;           /* of the first element */
    int rows, cols;          /* that are there */
    wide k, steps;
};

/* Tiles are taken in groups of 8 columns of tiles, in which the blocks that run
 * at the same time read few rows of A and columns of B. */
STFK_DEVICE tile_place place_of(const stfk_gemm &a, wide parts, wide number)
{
    const wide tiles = a.tiles_m * a.tiles_n;
    const wide inner = number % tiles, group = inner / (8 * a.tiles_m);
    const wide width = lesser(8, a.tiles_n - 8 * group);
    const wide rest = inner - group * 8 * a.tiles_m;
    tile_place p;

    p.part = number / tiles % parts;
    p.member = number / tiles / parts;
    p.row = rest / width * BM;
    p.col = (8 * group + rest % width) * BN;
    p.tile = p.row / BM + p.col / BN * a.tiles_m;
    p.rows = (int)lesser(BM, a.m - p.row);
    p.cols = (int)lesser(BN, a.n - p.col);
    p.k = p.part * a.part;
    p.steps = lesser(a.part, a.k - p.k);
    return p;
}

/* The number of this block's. */
STFK_DEVICE wide own_number(const stfk_gemm &a)
{
    return a.first + (wide)block_index();
}

STFK_DEVICE real scalar(double value, const void *at)
{
    return at != 0 ? *(const real *)at : (real)value;
}

/* BLAS says that A and B are not read then. */
STFK_DEVICE bool is_scaling(const stfk_gemm &a)
{
    return a.k == 0 || scalar(a.alpha, a.alpha_at) == 0;
}

/* The same, asked twice where it is so: a thread that took it for so alone would add
 * beta C, to which the tile's repair would add it again. */
STFK_DEVICE bool is_surely_scaling(const stfk_gemm &a)
{
    return is_scaling(a)
           && (separate_copy(a.k) == 0
               || scalar(separate_copy(a.alpha), a.alpha_at) == 0);
}

} // namespace stfk

#endif
