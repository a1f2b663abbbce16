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

/* Packs a strip whose columns are runs of memory, and weighs it if `sums` is not NULL.
 * `rows` is at most mv W. Returns how many steps were weighed. */
INLINE int64_t pack_a_runs(int mv, const real *src, int64_t col, int64_t rows,
                           int64_t depth, real *dst,
                           const stfi_cpu_gemm_sums *sums, int64_t row)
{
    const real *again = src, *bw[VECTORS] = {NULL};
    int64_t done = 0, step = col, rows_again = rows;

    SEPARATE(again);
    SEPARATE(step);
    SEPARATE(rows_again);
    for (int w = 0; w < VECTORS && sums != NULL; w++)
        bw[w] = sums->bw[w].high;
    for (int64_t p = 0; p < depth;) {
        const int64_t end = p + RUN < depth ? p + RUN : depth;
        a_run run[2] = {0};
        for (; p < end; p++, src += col, dst += mv * W) {
            V x[2];
            load_column(mv, src, rows, x);
            for (int v = 0; v < mv; v++)
                store(dst + v * W, x[v]);
            if (sums == NULL)
                continue;
            load_column(mv, again, rows_again, x);
            for (int v = 0; v < mv; v++)
                weigh_a(&run[v], x[v], bw, done);
            again += step;
            done++;
            SEPARATE(done);
        }
        for (int v = 0; v < mv && sums != NULL; v++)
            end_a(&run[v], sums, row + v * W);
    }
    return done;
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

/* Packs one vector of rows, each a run of memory, into places at steps of `step`, and
 * weighs it if `sums` is not NULL. Returns how many steps were weighed. */
INLINE int64_t pack_rows(const real *src, int64_t row_step, int64_t rows,
                         int64_t depth, real *dst, int64_t step,
                         const stfi_cpu_gemm_sums *sums, int64_t row)
{
    const real *again = src, *bw[VECTORS] = {NULL};
    int64_t done = 0, step_again = row_step, rows_again = rows;

    SEPARATE(again);
    SEPARATE(step_again);
    SEPARATE(rows_again);
    for (int w = 0; w < VECTORS && sums != NULL; w++)
        bw[w] = sums->bw[w].high;
    for (int64_t p = 0; p < depth;) {
        const int64_t end = p + RUN < depth ? p + RUN : depth;
        a_run run = {0};
        for (; p < end; p += W) {
            const int64_t columns = depth - p < W ? depth - p : W;
            V x[W];
            load_rows(src + p, row_step, rows, columns, x);
            for (int i = 0; i < columns; i++)
                store(dst + (p + i) * step, x[i]);
            if (sums == NULL)
                continue;
            load_rows(again + done, step_again, rows_again, columns, x);
            for (int i = 0; i < columns; i++)
                weigh_a(&run, x[i], bw, done + i);
            done += columns;
            SEPARATE(done);
        }
        if (sums != NULL)
            end_a(&run, sums, row);
    }
    return done;
}

/* Packs a strip of A, and weighs it if `sums` is not NULL. Returns how many steps were
 * weighed, of all vectors of rows. */
INLINE int64_t pack_a_strip(const stfi_cpu_part *part, const real *src,
                            int64_t rows, int64_t depth, real *dst,
                            const stfi_cpu_gemm_sums *sums, int64_t row)
{
    const int mv = vectors_of(rows);
    int64_t done = 0;

    if (part->row == 1 && mv == 2)
        return 2 * pack_a_runs(2, src, part->col, rows, depth, dst, sums, row);
    if (part->row == 1)
        return pack_a_runs(1, src, part->col, rows, depth, dst, sums, row);
    for (int v = 0; v < mv; v++)
        done += pack_rows(src + v * W * part->row, part->row, rows - v * W,
                          depth, dst + v * W, mv * W, sums, row + v * W);
    return done;
}

INLINE void pack_a_with(const stfi_cpu_part *part, int64_t rows, int64_t depth,
                        real *packed, const stfi_cpu_gemm_sums *sums,
                        int64_t row)
{
    int64_t done = 0;

    for (int64_t i = 0; i < rows; i += MR) {
        const real *src = (const real *)part->at + i * part->row;
        const int64_t left = rows - i < MR ? rows - i : MR;
        done += pack_a_strip(part, src, left, depth, packed + i * depth, sums,
                             row + i);
        SEPARATE(done);
    }
    if (sums != NULL && done != (rows + W - 1) / W * depth)
        spoil((real *)sums->r[0].high + row);
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
INLINE void pack_b_steps(const real *src, int64_t col, int nr, real *dst)
{
    enum { GROUPS = (NR + W - 1) / W };
    const int groups = (nr + W - 1) / W;
    V x[GROUPS][W];

    for (int g = 0; g < groups; g++) {
        for (int j = 0; j < W; j++) {
            int c = g * W + j;
            x[g][j] = c < nr ? loadu(src + c * col) : (V){0};
        }
        TURN(x[g]);
    }
    for (int i = 0; i < W; i++)
        for (int g = 0; g < groups; g++)
            *(VU *)(dst + i * nr + g * W) = x[g][i];
}

/* Packs a strip whose columns are runs of memory. */
INLINE void pack_b_columns(const real *src, int64_t col, int64_t depth, int nr,
                           real *dst)
{
    int64_t p = 0;

    for (; p + W <= depth; p += W)
        pack_b_steps(src + p, col, nr, dst + p * nr);
    for (; p < depth; p++)
        for (int j = 0; j < nr; j++)
            dst[p * nr + j] = src[j * col + p];
}

INLINE void pack_b_strip(const stfi_cpu_part *part, int64_t j, int64_t depth,
                         int nr, real *dst, stfi_cpu_gemm_sums *sums)
{
    const real *src = (const real *)part->at + j * part->col;
    int64_t col = part->col;

    if (col == 1)
        pack_b_runs(src, part->row, depth, nr, dst);
    else
        pack_b_columns(src, part->col, depth, nr, dst);
    if (sums == NULL)
        return;
    SEPARATE(col);
    weigh_b_strip((const real *)part->at + j * col, col, depth, nr, sums, j);
}

/* Packs the strips of a block. Returns how many columns they have. */
INLINE int64_t pack_b_with(const stfi_cpu_part *part, int64_t depth,
                           int64_t cols, real *dst, stfi_cpu_gemm_sums *sums)
{
    int64_t done = 0;

    for (int64_t j = 0; j < cols; j += NR) {
        const int nr = cols - j < NR ? (int)(cols - j) : NR;
        if (nr == NR)
            pack_b_strip(part, j, depth, NR, dst + j * depth, sums);
        else
            pack_b_strip(part, j, depth, nr, dst + j * depth, sums);
        if (sums != NULL)
            end_b(sums, depth, j, cols);
        done += nr;
        SEPARATE(done);
    }
    return done;
}

static void pack_b(const stfi_cpu_part *part, int64_t depth, int64_t cols,
                   void *packed, stfi_cpu_gemm_sums *sums)
{
    if (sums == NULL || part->col == 1) {
        pack_b_with(part, depth, cols, packed, NULL);
        if (sums != NULL)
            weigh_b_rows(part->at, part->row, depth, cols, sums);
        return;
    }
    begin_b(sums, depth);
    if (pack_b_with(part, depth, cols, packed, sums) != cols)
        spoil(sums->bw[0].high);
}

#endif
