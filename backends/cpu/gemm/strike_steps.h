/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Faults on purpose in a micro tile: its steps are done up to the one that is
 * struck, which is done by itself, and so on. */
#ifndef STFI_CPU_STRIKE_STEPS_H
#define STFI_CPU_STRIKE_STEPS_H

static void strike(const stfi_gemm_fault *f, void *value)
{
    unsigned char *byte = value;

    if (f->bit < 0)
        *(real *)value += (real)f->magnitude;
    else
        byte[f->bit / 8] ^= (unsigned char)(1u << f->bit % 8);
}

/* Returns the first fault from step p of the block on that is in the micro tile
 * at row i and column j; NULL if there is none. */
static const stfi_gemm_fault *next_fault(const stfi_cpu_gemm_block *k,
                                         int64_t i, int64_t j, int mv, int nr,
                                         int64_t p)
{
    const stfi_cpu_gemm_strike *s = k->strike;
    const stfi_gemm_fault *next = NULL;

    for (int n = 0; n < s->count; n++) {
        const stfi_gemm_fault *f = &s->fault[n];
        int64_t row = f->row - s->row - i, col = f->col - s->col - j;
        int64_t step = f->k - s->k;
        if (f->struck < STFI_STRUCK_CHECKSUM && f->member == s->member
            && (f->persistent || !s->again) && row >= 0 && row < mv * W
            && row < k->rows - i && col >= 0 && col < nr && step < k->depth
            && step >= p && (next == NULL || step < next->k - s->k))
            next = f;
    }
    return next;
}

/* Does one step with a fault. */
static void struck_step(const stfi_gemm_fault *f, int64_t row, int64_t col,
                        const real *a, const real *b, real *acc, int mv, int nr)
{
    _Alignas(64) real x[MR], y[NR];

    memcpy(x, a, (size_t)(mv * W) * sizeof *x);
    memcpy(y, b, (size_t)nr * sizeof *y);
    if (f->struck == STFI_STRUCK_A)
        strike(f, &x[row]);
    if (f->struck == STFI_STRUCK_B)
        strike(f, &y[col]);
    micros[nr - 1][mv - 1](1, x, y, acc, 0);
    if (f->struck == STFI_STRUCK_ACCUMULATOR)
        strike(f, &acc[col * mv * W + row]);
}

/* Of several faults at one step, the first strikes. */
static void strike_steps(const stfi_cpu_gemm_block *k, const real *a,
                         const real *b, real *acc, int mv, int nr, int64_t i,
                         int64_t j)
{
    const stfi_gemm_fault *f;
    int64_t p = 0;

    while (p < k->depth && (f = next_fault(k, i, j, mv, nr, p)) != NULL) {
        int64_t step = f->k - k->strike->k;
        micros[nr - 1][mv - 1](step - p, a + p * mv * W, b + p * nr, acc,
                               k->first && p == 0);
        struck_step(f, f->row - k->strike->row - i, f->col - k->strike->col - j,
                    a + step * mv * W, b + step * nr, acc, mv, nr);
        p = step + 1;
    }
    if (p < k->depth)
        micros[nr - 1][mv - 1](k->depth - p, a + p * mv * W, b + p * nr, acc,
                               k->first && p == 0);
}

#endif
