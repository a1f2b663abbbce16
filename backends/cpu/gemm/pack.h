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

/* Loads a column of a strip, with zeros below the last row. */
INLINE void load_column(int mv, const real *src, int64_t rows, V *x)
{
    _Alignas(64) real edge[2 * W] = {0};

    if (rows < mv * W) {
        memcpy(edge, src, (size_t)rows * sizeof *edge);
        src = edge;
    }
    for (int v = 0; v < mv; v++)
        x[v] = loadu(src + v * W);
}

/* Packs a strip whose columns are runs of memory. `rows` is at most mv W. */
INLINE void pack_a_runs(int mv, const real *src, int64_t col, int64_t rows,
                        int64_t depth, real *dst,
                        const stfi_cpu_gemm_sums *sums, int64_t row)
{
    for (int64_t p = 0; p < depth;) {
        const int64_t end = p + RUN < depth ? p + RUN : depth;
        a_run run[2] = {0};
        for (; p < end; p++, src += col, dst += mv * W) {
            V x[2];
            load_column(mv, src, rows, x);
            for (int v = 0; v < mv; v++) {
                store(dst + v * W, x[v]);
                if (sums != NULL)
                    weigh_a(&run[v], x[v], sums, p);
            }
        }
        for (int v = 0; v < mv && sums != NULL; v++)
            end_a(&run[v], sums, row + v * W);
    }
}

/* Loads W columns, or those that there are, of W rows that are runs of
 * memory. */
INLINE void load_rows(const real *src, int64_t row, int64_t rows,
                      int64_t columns, V *x)
{
    for (int i = 0; i < W; i++) {
        _Alignas(64) real edge[W] = {0};
        const real *from = i < rows ? src + i * row : edge;
        if (columns < W && i < rows) {
            memcpy(edge, from, (size_t)columns * sizeof *edge);
            from = edge;
        }
        x[i] = loadu(from);
    }
    TURN(x);
}

/* Packs one vector of rows, each a run of memory, into places at steps of
 * `step`. */
INLINE void pack_rows(const real *src, int64_t row_step, int64_t rows,
                      int64_t depth, real *dst, int64_t step,
                      const stfi_cpu_gemm_sums *sums, int64_t row)
{
    for (int64_t p = 0; p < depth;) {
        const int64_t end = p + RUN < depth ? p + RUN : depth;
        a_run run = {0};
        for (; p < end; p += W) {
            const int64_t columns = depth - p < W ? depth - p : W;
            V x[W];
            load_rows(src + p, row_step, rows, columns, x);
            for (int i = 0; i < columns; i++) {
                store(dst + (p + i) * step, x[i]);
                if (sums != NULL)
                    weigh_a(&run, x[i], sums, p + i);
            }
        }
        if (sums != NULL)
            end_a(&run, sums, row);
    }
}

INLINE void pack_a_with(const stfi_cpu_part *part, int64_t rows, int64_t depth,
                        real *dst, const stfi_cpu_gemm_sums *sums, int64_t row)
{
    for (int64_t i = 0; i < rows; i += MR, row += MR) {
        const real *src = (const real *)part->at + i * part->row;
        int64_t left = rows - i < MR ? rows - i : MR;
        int mv = vectors_of(left);
        if (part->row != 1)
            for (int v = 0; v < mv; v++)
                pack_rows(src + v * W * part->row, part->row, left - v * W,
                          depth, dst + v * W, mv * W, sums, row + v * W);
        else if (mv == 2)
            pack_a_runs(2, src, part->col, left, depth, dst, sums, row);
        else
            pack_a_runs(1, src, part->col, left, depth, dst, sums, row);
        dst += mv * W * depth;
    }
}

static void pack_a(const stfi_cpu_part *part, int64_t rows, int64_t depth,
                   void *packed, stfi_cpu_gemm_sums *sums, int64_t row)
{
    if (sums == NULL)
        pack_a_with(part, rows, depth, packed, NULL, 0);
    else
        pack_a_with(part, rows, depth, packed, sums, row);
}

/* ---------------------------------------------------------------------- B */

/* Packs a strip whose rows are runs of memory. */
INLINE void pack_b_runs(const real *src, int64_t row, int64_t depth, int nr,
                        real *dst)
{
    for (int64_t p = 0; p < depth; p++, src += row, dst += nr)
        memcpy(dst, src, (size_t)nr * sizeof *dst);
}

/* Packs W steps of a strip whose columns are runs of memory. Vectors that reach
 * behind the end of a row of the strip are stored before the next row is. */
INLINE void pack_b_steps(const real *src, int64_t col, int nr, real *dst,
                         stfi_cpu_gemm_sums *sums, int64_t p, int64_t column,
                         V *squares)
{
    enum { GROUPS = (NR + W - 1) / W };
    const int groups = (nr + W - 1) / W;
    V x[GROUPS][W], run[VECTORS] = {0};

    for (int g = 0; g < groups; g++) {
        for (int j = 0; j < W; j++) {
            int c = g * W + j;
            x[g][j] = c < nr ? loadu(src + c * col) : (V){0};
            if (sums != NULL && c < nr)
                weigh_b(run, squares, x[g][j], column + c);
        }
        TURN(x[g]);
    }
    for (int i = 0; i < W; i++)
        for (int g = 0; g < groups; g++)
            *(VU *)(dst + i * nr + g * W) = x[g][i];
    for (int w = 0; w < VECTORS && sums != NULL; w++)
        add_run_at(&sums->bw[w], p, run[w]);
}

/* Packs a strip whose columns, from `column` of the tile on, are runs of
 * memory. */
INLINE void pack_b_columns(const real *src, int64_t col, int64_t depth, int nr,
                           real *dst, stfi_cpu_gemm_sums *sums, int64_t column)
{
    V squares = {0};
    int64_t p = 0;

    for (; p + W <= depth; p += W)
        pack_b_steps(src + p, col, nr, dst + p * nr, sums, p, column, &squares);
    for (; p < depth; p++)
        for (int j = 0; j < nr; j++) {
            real x = src[j * col + p];
            dst[p * nr + j] = x;
            if (sums != NULL)
                weigh_b_element(sums, p, x, column + j);
        }
    if (sums != NULL)
        sums->squares_b += lanes_of(squares);
}

INLINE void pack_b_with(const stfi_cpu_part *part, int64_t depth, int64_t cols,
                        real *dst, stfi_cpu_gemm_sums *sums)
{
    for (int64_t j = 0; j < cols; j += NR) {
        const real *src = (const real *)part->at + j * part->col;
        int nr = cols - j < NR ? (int)(cols - j) : NR;
        if (part->col == 1 && nr == NR)
            pack_b_runs(src, part->row, depth, NR, dst);
        else if (part->col == 1)
            pack_b_runs(src, part->row, depth, nr, dst);
        else if (nr == NR)
            pack_b_columns(src, part->col, depth, NR, dst, sums, j);
        else
            pack_b_columns(src, part->col, depth, nr, dst, sums, j);
        dst += nr * depth;
    }
}

static void pack_b(const stfi_cpu_part *part, int64_t depth, int64_t cols,
                   void *packed, stfi_cpu_gemm_sums *sums)
{
    if (sums == NULL) {
        pack_b_with(part, depth, cols, packed, NULL);
        return;
    }
    if (part->col == 1) {
        weigh_b_rows(part->at, part->row, depth, cols, sums);
        pack_b_with(part, depth, cols, packed, NULL);
        return;
    }
    begin_b(sums, depth);
    pack_b_with(part, depth, cols, packed, sums);
    end_b(sums, depth);
}

#endif
