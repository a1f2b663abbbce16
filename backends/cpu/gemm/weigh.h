/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The sums of checked tiles: B weighed by signs, A times that, and C weighed by
 * the same signs. What is summed up is loaded again, from places that are counted
 * apart from those of what is packed, so that a number that was loaded wrong is not
 * the same in both; and steps are counted, so that no loop ends early unseen. Sums
 * are made in two levels, runs of at most 64 numbers in registers and these added
 * without loss, since the rounding errors of the checksums must be smaller than those
 * of the product, even for small k. */
#ifndef STFI_CPU_WEIGH_H
#define STFI_CPU_WEIGH_H

#include "backends/cpu/gemm/apart.h"

enum { VECTORS = STFI_CPU_GEMM_VECTORS, RUN = 64 };

/* Signs of columns, by their number modulo 64. Four neighbours have the sum 2
 * or -2 under both vectors, so that what hits neighbours alike is seen; 32
 * have the sum 0, so that data of one sign have small sums. The two vectors
 * are orthogonal over each four neighbours, and so nearly over the columns of
 * a micro tile: an error that all of these share, as when an element of A is
 * wrong in a register, may cancel under one of them by chance, but hardly
 * under both. */
#define SIGNS_A(s) s 1, s 1, s 1, -(s 1)
#define SIGNS_B(s) s 1, -(s 1), s 1, s 1
#define SIGNS_16(four, s) four(s), four(s), four(s), four(-s)
/* The first 16 stand once more behind the others, for micro tiles that begin with the
 * last ones. */
static _Alignas(64) const real signs[VECTORS][RUN + 16] = {
    {SIGNS_16(SIGNS_A, +), SIGNS_16(SIGNS_A, -), SIGNS_16(SIGNS_A, +),
     SIGNS_16(SIGNS_A, -), SIGNS_16(SIGNS_A, +)},
    {SIGNS_16(SIGNS_B, +), SIGNS_16(SIGNS_B, -), SIGNS_16(SIGNS_B, -),
     SIGNS_16(SIGNS_B, +), SIGNS_16(SIGNS_B, +)},
};

/* Makes sums that tell that something was left out. */
INLINE void spoil(void *at)
{
    *(real *)at = (real)INFINITY;
}

/* Adds x to W sums; what rounding takes goes into `low`. */
INLINE void add_run(real *high, real *low, V x)
{
    V h = load(high), s = h + x, z = s - h;

    store(high, s);
    store(low, load(low) + ((h - (s - z)) + (x - z)));
}

INLINE void add_run_at(const stfi_cpu_gemm_row_sums *sums, int64_t at, V x)
{
    add_run((real *)sums->high + at, (real *)sums->low + at, x);
}

/* Neighbouring strips of B, or micro tiles of a row, whose sums are a run. */
enum { RUN_TILES = RUN / NR };

INLINE void add_to(real *total, V x, int begins)
{
    if (!begins)
        x += load(total);
    store(total, x);
}

INLINE double lanes_of(V x)
{
    _Alignas(64) real lane[W];
    double total = 0;

    store(lane, x);
    for (int i = 0; i < W; i++)
        total += (double)lane[i];
    return total;
}

/* ---------------------------------------------------------------------- A */

/* A run of a strip of A: sums of one vector of rows. */
typedef struct a_run {
    V r[VECTORS], squares;
} a_run;

/* Takes the elements of step p of the block. */
INLINE void weigh_a(a_run *run, V x, const real *const *bw, int64_t p)
{
    for (int w = 0; w < VECTORS; w++)
        run->r[w] += x * bw[w][p];
    run->squares += x * x;
}

INLINE void end_a(const a_run *run, const stfi_cpu_gemm_sums *sums, int64_t row)
{
    real *squares = (real *)sums->squares_a + row;

    for (int w = 0; w < VECTORS; w++)
        add_run_at(&sums->r[w], row, run->r[w]);
    store(squares, load(squares) + run->squares);
}

/* ---------------------------------------------------------------------- B */

/* Makes bw of a block whose rows are runs of memory. */
static void weigh_b_rows(const real *src, int64_t row, int64_t depth,
                         int64_t cols, stfi_cpu_gemm_sums *sums)
{
    V squares = {0};

    for (int64_t p = 0; p < depth; p++, src += row) {
        _Alignas(64) real high[VECTORS][W] = {{0}}, low[VECTORS][W] = {{0}};
        for (int64_t j = 0; j < cols; j += RUN) {
            V s[VECTORS] = {0};
            for (int64_t g = j; g < j + RUN && g < cols; g += W) {
                _Alignas(64) real edge[W] = {0};
                V x;
                if (g + W > cols)
                    memcpy(edge, src + g, (size_t)(cols - g) * sizeof *edge);
                x = g + W > cols ? load(edge) : loadu(src + g);
                for (int w = 0; w < VECTORS; w++)
                    s[w] += x * load(signs[w] + (g - j));
                squares += x * x;
            }
            for (int w = 0; w < VECTORS; w++)
                add_run(high[w], low[w], s[w]);
        }
        for (int w = 0; w < VECTORS; w++)
            ((real *)sums->bw[w].high)[p] =
                (real)(lanes_of(load(high[w])) + lanes_of(load(low[w])));
    }
    sums->squares_b += lanes_of(squares);
}

/* Adds W steps from step p on, or as many as `left` are, of a strip of `nr` columns to
 * the runs of bw; column `column` of the tile is the strip's first. */
INLINE void weigh_b_steps(const real *src, int64_t col, int64_t left, int nr,
                          const stfi_cpu_gemm_sums *sums, int64_t p,
                          int64_t column, V *squares)
{
    V s[VECTORS] = {0}, q = {0};

    for (int j = 0; j < nr; j++, src += col) {
        _Alignas(64) real edge[W] = {0};
        V x;
        if (left < W)
            memcpy(edge, src, (size_t)left * sizeof *edge);
        x = left < W ? load(edge) : loadu(src);
        for (int w = 0; w < VECTORS; w++)
            s[w] += x * signs[w][column % RUN + j];
        q += x * x;
    }
    *squares += q;
    for (int w = 0; w < VECTORS; w++)
        add_to((real *)sums->run_b[w] + p, s[w], column / NR % RUN_TILES == 0);
}

/* Weighs a strip whose columns are runs of memory. */
INLINE void weigh_b_strip(const real *src, int64_t col, int64_t depth, int nr,
                          stfi_cpu_gemm_sums *sums, int64_t column)
{
    V squares = {0};
    int64_t p = 0;

    for (; p + W <= depth; p += W)
        weigh_b_steps(src + p, col, W, nr, sums, p, column, &squares);
    if (p < depth)
        weigh_b_steps(src + p, col, depth - p, nr, sums, p, column, &squares);
    sums->squares_b += lanes_of(squares);
}

static void begin_b(stfi_cpu_gemm_sums *sums, int64_t depth)
{
    const int64_t count = (depth + W - 1) / W * W;

    for (int w = 0; w < VECTORS; w++) {
        memset(sums->bw[w].high, 0, (size_t)count * sizeof(real));
        memset(sums->bw[w].low, 0, (size_t)count * sizeof(real));
    }
}

/* Ends the runs of bw if the strip from `column` on is their last one; after the last
 * strip, makes bw. */
static void end_b(stfi_cpu_gemm_sums *sums, int64_t depth, int64_t column,
                  int64_t cols)
{
    const int is_last = column + NR >= cols;

    if (column / NR % RUN_TILES != RUN_TILES - 1 && !is_last)
        return;
    for (int w = 0; w < VECTORS; w++) {
        real *high = sums->bw[w].high, *low = sums->bw[w].low;
        for (int64_t p = 0; p < depth; p += W) {
            add_run(high + p, low + p, load((real *)sums->run_b[w] + p));
            if (is_last)
                store(high + p, load(high + p) + load(low + p));
        }
    }
}

/* ---------------------------------------------------------------------- C */

/* Adds `mv` vectors of rows from `row` on and `nr` columns from column j on to the
 * runs of their rows. */
INLINE void weigh_micro(const stfi_cpu_gemm_sums *sums, const real *acc, int mv,
                        int nr, int64_t row, int64_t j)
{
    const int begins = j / NR % RUN_TILES == 0;
    V s[VECTORS][2] = {0}, q[2] = {0};

    for (int c = 0; c < nr; c++)
        for (int v = 0; v < mv; v++) {
            const V x = load(acc + (c * mv + v) * W);
            for (int w = 0; w < VECTORS; w++)
                s[w][v] += x * signs[w][j % RUN + c];
            q[v] += x * x;
        }
    for (int v = 0; v < mv; v++) {
        for (int w = 0; w < VECTORS; w++)
            add_to((real *)sums->run[w] + row + v * W, s[w][v], begins);
        add_to((real *)sums->squares_c + row + v * W, q[v], 0);
    }
}

INLINE void weigh_c(const stfi_cpu_gemm_sums *sums, const real *acc, int mv,
                    int nr, int64_t row, int64_t j)
{
    if (mv == 2 && nr == NR)
        weigh_micro(sums, acc, 2, NR, row, j);
    else
        weigh_micro(sums, acc, mv, nr, row, j);
}

/* Ends the runs of a block's rows if the micro tiles from column j on are their last
 * ones. */
static void end_c(const stfi_cpu_gemm_sums *sums, int64_t row, int64_t rows,
                  int64_t j, int64_t cols)
{
    if (j / NR % RUN_TILES != RUN_TILES - 1 && j + NR < cols)
        return;
    for (int w = 0; w < VECTORS; w++)
        for (int64_t i = row; i < row + rows; i += W)
            add_run_at(&sums->s[w], i, load((const real *)sums->run[w] + i));
}

/* ----------------------------------------------------------------- verdict */

/* Between these, squares and their sums have lost nothing that matters. */
#if STFI_REAL_BYTES == 4
#define LEAST_SQUARES 0x1p-80
#define MOST_SQUARES 0x1p100
#else
#define LEAST_SQUARES 0x1p-900
#define MOST_SQUARES 0x1p900
#endif

static double residual_of(const stfi_cpu_gemm_sums *sums, int w, int64_t i)
{
    const stfi_cpu_gemm_row_sums *s = &sums->s[w], *r = &sums->r[w];
    double high = (double)((real *)s->high)[i] - (double)((real *)r->high)[i];
    double low = (double)((real *)s->low)[i] - (double)((real *)r->low)[i];

    return high + low;
}

static void residual(const stfi_cpu_gemm_sums *sums, int64_t row,
                     double residual_p[STFI_CPU_GEMM_VECTORS])
{
    for (int w = 0; w < VECTORS; w++)
        residual_p[w] = residual_of(sums, w, row);
}

static int is_moderate(double squares)
{
    return (squares >= LEAST_SQUARES) & (squares <= MOST_SQUARES);
}

static void judge(const stfi_cpu_gemm_sums *sums,
                  const stfi_cpu_gemm_bound *bound, int64_t rows, double *ratio)
{
    const real *squares_a = sums->squares_a, *squares_c = sums->squares_c;
    const int moderate_b = is_moderate(sums->squares_b);
    const double norm_b = sqrt(sums->squares_b);

    for (int64_t i = 0; i < rows; i++) {
        double d = fabs(residual_of(sums, 0, i));
        double e = fabs(residual_of(sums, 1, i));
        double a = (double)squares_a[i], c = (double)squares_c[i];
        double norms = sqrt(a) * norm_b, chain = sqrt(bound->chain * c);
        double most = d > e ? d : e;
        double tau =
            bound->factor * (chain > norms ? chain : norms) + bound->floor;
        double r =
            moderate_b & is_moderate(a) & is_moderate(c) ? most / tau : -1;
        r = most == 0 ? 0 : r;
        ratio[i] = d + e <= DBL_MAX ? r : (double)INFINITY;
    }
}

#endif
