/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Packing blocks of op(A) and op(B) into strips (gemm_kernels.h). What lies
 * along a strip is copied; what lies across it is transposed, W vectors at a
 * time. Elements outside of the matrix are not read. */
#ifndef STFI_CPU_PACK_H
#define STFI_CPU_PACK_H

#if STFI_LANES > 1
#define TURN(v) transpose(v)
#else
#define TURN(v) (void)(v)
#endif

/* Vectors of rows of a strip of A with `rows` rows left. */
INLINE int vectors_of(int64_t rows)
{
    return rows > W ? 2 : 1;
}

/* ---------------------------------------------------------------------- A */

/* Packs a strip whose columns are runs of memory. `rows` is at most mv W. */
INLINE void pack_a_runs(int mv, const real *src, int64_t col, int64_t rows,
                        int64_t depth, real *dst)
{
    for (int64_t p = 0; p < depth; p++, src += col, dst += mv * W) {
        if (rows == mv * W) {
            for (int v = 0; v < mv; v++)
                store(dst + v * W, loadu(src + v * W));
            continue;
        }
        for (int64_t i = 0; i < mv * W; i++)
            dst[i] = i < rows ? src[i] : 0;
    }
}

/* Packs one vector of rows, each a run of memory, into places at steps of
 * `step`. */
INLINE void pack_rows(const real *src, int64_t row, int64_t rows, int64_t depth,
                      real *dst, int64_t step)
{
    int64_t p = 0;

    for (; p + W <= depth; p += W) {
        V x[W];
        for (int i = 0; i < W; i++)
            x[i] = i < rows ? loadu(src + i * row + p) : (V){0};
        TURN(x);
        for (int i = 0; i < W; i++)
            store(dst + (p + i) * step, x[i]);
    }
    for (; p < depth; p++)
        for (int64_t i = 0; i < W; i++)
            dst[p * step + i] = i < rows ? src[i * row + p] : 0;
}

static void pack_a(const stfi_cpu_part *part, int64_t rows, int64_t depth,
                   void *packed)
{
    real *dst = packed;

    for (int64_t i = 0; i < rows; i += MR) {
        const real *src = (const real *)part->at + i * part->row;
        int64_t left = rows - i < MR ? rows - i : MR;
        int mv = vectors_of(left);
        if (part->row != 1)
            for (int v = 0; v < mv; v++)
                pack_rows(src + v * W * part->row, part->row, left - v * W,
                          depth, dst + v * W, mv * W);
        else if (mv == 2)
            pack_a_runs(2, src, part->col, left, depth, dst);
        else
            pack_a_runs(1, src, part->col, left, depth, dst);
        dst += mv * W * depth;
    }
}

/* ---------------------------------------------------------------------- B */

/* Packs a strip whose rows are runs of memory. */
INLINE void pack_b_runs(const real *src, int64_t row, int64_t depth, int nr,
                        real *dst)
{
    for (int64_t p = 0; p < depth; p++, src += row, dst += nr)
        memcpy(dst, src, (size_t)nr * sizeof *dst);
}

/* Packs a strip whose columns are runs of memory. Vectors that reach behind the
 * end of a row of the strip are stored before the next row is. */
INLINE void pack_b_columns(const real *src, int64_t col, int64_t depth, int nr,
                           real *dst)
{
    enum { GROUPS = (NR + W - 1) / W };
    const int groups = (nr + W - 1) / W;
    int64_t p = 0;

    for (; p + W <= depth; p += W) {
        V x[GROUPS][W];
        for (int g = 0; g < groups; g++) {
            for (int j = 0; j < W; j++)
                x[g][j] = g * W + j < nr ? loadu(src + (g * W + j) * col + p)
                                         : (V){0};
            TURN(x[g]);
        }
        for (int i = 0; i < W; i++)
            for (int g = 0; g < groups; g++)
                *(VU *)(dst + (p + i) * nr + g * W) = x[g][i];
    }
    for (; p < depth; p++)
        for (int j = 0; j < nr; j++)
            dst[p * nr + j] = src[j * col + p];
}

static void pack_b(const stfi_cpu_part *part, int64_t depth, int64_t cols,
                   void *packed)
{
    real *dst = packed;

    for (int64_t j = 0; j < cols; j += NR) {
        const real *src = (const real *)part->at + j * part->col;
        int nr = cols - j < NR ? (int)(cols - j) : NR;
        if (part->col == 1 && nr == NR)
            pack_b_runs(src, part->row, depth, NR, dst);
        else if (part->col == 1)
            pack_b_runs(src, part->row, depth, nr, dst);
        else if (nr == NR)
            pack_b_columns(src, part->col, depth, NR, dst);
        else
            pack_b_columns(src, part->col, depth, nr, dst);
        dst += nr * depth;
    }
}

#endif
