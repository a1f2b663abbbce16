/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The sums of a finished tile of C, read from memory, for products that are
 * checked as a whole. */
#ifndef STFI_CPU_WEIGH_STORED_H
#define STFI_CPU_WEIGH_STORED_H

/* One vector of `rows` rows, and columns [from, to), at most RUN. */
INLINE void weigh_stored_run(const stfi_cpu_gemm_stored *x, int64_t row,
                             int64_t rows, int64_t from, int64_t to,
                             const stfi_cpu_gemm_sums *sums)
{
    const real beta = *(const real *)x->beta;
    real *squares = (real *)sums->squares_c + row;
    V s[VECTORS] = {0}, q = {0};

    for (int64_t j = from; j < to; j++) {
        V c, before;
        load_column(1, (const real *)x->c + row + j * x->ldc, rows, &c);
        q += c * c;
        if (x->before != NULL) {
            load_column(1, (const real *)x->before + row + j * x->ld_before,
                        rows, &before);
            before = before * beta;
            q += before * before;
            c -= before;
        }
        for (int w = 0; w < VECTORS; w++)
            s[w] += c * signs[w][j - from];
    }
    for (int w = 0; w < VECTORS; w++)
        add_run_at(&sums->s[w], row, s[w]);
    store(squares, load(squares) + q);
}

INLINE void multiply_at(real *x, V factor)
{
    store(x, load(x) * factor);
}

static void weigh_stored(const stfi_cpu_gemm_stored *x, int64_t rows,
                         int64_t cols, const stfi_cpu_gemm_sums *sums)
{
    const V alpha = (V){0} + *(const real *)x->alpha;

    for (int64_t i = 0; i < rows; i += W) {
        const int64_t left = rows - i < W ? rows - i : W;
        for (int64_t j = 0; j < cols; j += RUN)
            weigh_stored_run(x, i, left, j, j + RUN < cols ? j + RUN : cols,
                             sums);
        for (int w = 0; w < VECTORS; w++) {
            multiply_at((real *)sums->r[w].high + i, alpha);
            multiply_at((real *)sums->r[w].low + i, alpha);
        }
        multiply_at((real *)sums->squares_a + i, alpha * alpha);
    }
}

#endif
