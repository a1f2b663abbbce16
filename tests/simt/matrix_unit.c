/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The matrix unit of the emulated multiprocessor; see matrix_unit.h. The product
 * of two halves has at most 22 bits, so terms are exact in double. */
#include "tests/simt/matrix_unit.h"

#include <math.h>

#include "base/half.h"
#include "base/random.h"

enum { ROWS = 16, COLS = 8, MOST_STEPS = 16, F32_BITS = 24 };

static stfi_simt_matrix_unit unit = {.sums = STFI_SIMT_NEAREST, .block = 8};

void stfi_simt_set_matrix_unit(const stfi_simt_matrix_unit *u)
{
    unit = *u;
}

/* ---------------------------------------------------------------- operands */

static double number(unsigned word, int second)
{
    float v = stfi_half_from_f16(second ? word >> 16 : word & 0xffffu);

    return unit.sums == STFI_SIMT_FLUSHED && fabsf(v) < 0x1p-14f ? 0 : v;
}

/* Element k of a row of A. */
static double element_a(simt_product *const *p, int row, int k)
{
    return number(p[4 * (row % 8) + k % 8 / 2]->a[row / 8 + k / 8 * 2], k % 2);
}

/* Element k of a column of B. */
static double element_b(simt_product *const *p, int col, int k)
{
    return number(p[4 * col + k % 8 / 2]->b[k / 8], k % 2);
}

/* -------------------------------------------------------------------- sums */

/* Returns x without what is below 2^(exponent - bits), towards zero. */
static double cut(double x, int exponent, int bits)
{
    return ldexp(trunc(ldexp(x, bits - exponent)), exponent - bits);
}

static float add_cut(float sum, const double *term, int count)
{
    double most = fabs((double)sum), total;
    int exponent, own;

    for (int i = 0; i < count; i++)
        most = fabs(term[i]) > most ? fabs(term[i]) : most;
    frexp(most, &exponent);
    total = cut(sum, exponent, F32_BITS + unit.bits);
    for (int i = 0; i < count; i++)
        total += cut(term[i], exponent, F32_BITS + unit.bits);
    frexp(total, &own);
    return (float)cut(total, own, F32_BITS);
}

/* Adds the terms, in the order in which they are given. */
static float add_all(float sum, const double *term, int count)
{
    int ordinary = isfinite(sum);

    for (int i = 0; i < count; i++)
        ordinary &= isfinite(term[i]) != 0;
    for (int i = 0; i < count; i++)
        if (unit.sums != STFI_SIMT_CUT || !ordinary)
            sum = (float)(sum + term[i]);
        else if (i % unit.block == 0)
            sum =
                add_cut(sum, term + i, count < unit.block ? count : unit.block);
    return unit.sums == STFI_SIMT_FLUSHED && fabsf(sum) < 0x1p-126f ? 0 : sum;
}

void stfi_simt_multiply(simt_product *const p[STFI_SIMT_GROUP])
{
    float sum[ROWS][COLS];
    int steps = (int)p[0]->steps;

    for (int row = 0; row < ROWS; row++)
        for (int col = 0; col < COLS; col++) {
            uint64_t state = unit.seed + (uint64_t)(COLS * row + col);
            uint64_t draw = stfi_random_u64(&state);
            const int first = (int)(draw % MOST_STEPS);
            const int stride = (int)(draw >> 32 & (MOST_STEPS - 1)) | 1;
            double term[MOST_STEPS];
            for (int i = 0; i < steps; i++) {
                int k = (first + i * stride) % steps;
                term[i] = element_a(p, row, k) * element_b(p, col, k);
            }
            sum[row][col] =
                add_all(p[4 * (row % 8) + col / 2]->d[row / 8 * 2 + col % 2],
                        term, steps);
        }
    for (int i = 0; i < STFI_SIMT_GROUP; i++)
        for (int n = 0; n < 4; n++)
            p[i]->d[n] = sum[i / 4 + n / 2 * 8][i % 4 * 2 + n % 2];
}
