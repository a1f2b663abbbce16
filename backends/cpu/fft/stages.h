/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* All stages: the radices that have a butterfly of their own, the generic one
 * for other primes, and the loop over the stages of a tile. */
#ifndef STFI_FFT_STAGES_H
#define STFI_FFT_STAGES_H

#include "backends/cpu/fft/butterfly.h"
#include "backends/cpu/cpu_pass.h"

#define RADIX 2
#include "backends/cpu/fft/stage.h"
#define RADIX 3
#include "backends/cpu/fft/stage.h"
#define RADIX 4
#include "backends/cpu/fft/stage.h"
#define RADIX 5
#include "backends/cpu/fft/stage.h"
#define RADIX 6
#include "backends/cpu/fft/stage.h"
#define RADIX 7
#include "backends/cpu/fft/stage.h"
#define RADIX 8
#include "backends/cpu/fft/stage.h"
#define RADIX 9
#include "backends/cpu/fft/stage.h"
#define RADIX 10
#include "backends/cpu/fft/stage.h"
#define RADIX 11
#include "backends/cpu/fft/stage.h"
#define RADIX 12
#include "backends/cpu/fft/stage.h"
#define RADIX 13
#include "backends/cpu/fft/stage.h"
#define RADIX 15
#include "backends/cpu/fft/stage.h"
#define RADIX 16
#include "backends/cpu/fft/stage.h"

typedef void (*stage_fn)(real *, const real *, int64_t, int64_t, int, int);
typedef void (*first_fn)(const real *, int64_t, int64_t, int64_t, real *,
                         const uint32_t *, int, int);
typedef void (*last_fn)(const real *, const real *, int64_t, int64_t, int64_t,
                        real *, int, int);

enum { MAX_SPECIAL = 16, MAX_PRIME = 61 };

/* The stages by radix; NULL where the generic butterfly is used. */
static const struct {
    stage_fn dit, dif;
    first_fn first;
    last_fn last;
} stages[MAX_SPECIAL + 1] = {
#define ROW(r) [r] = {dit_##r, dif_##r, first_##r, last_##r}
    ROW(2), ROW(3),  ROW(4),  ROW(5),  ROW(6),  ROW(7),  ROW(8),
    ROW(9), ROW(10), ROW(11), ROW(12), ROW(13), ROW(15), ROW(16),
#undef ROW
};

static int is_special(int radix)
{
    return radix <= MAX_SPECIAL && stages[radix].dit != NULL;
}

/* One butterfly of an odd prime r over tile elements that are `stride` apart. w
 * holds the powers j < r of exp(-2 pi i/r). The method is that of bf_odd(). */
static void bf_prime(real *t, int64_t stride, int r, const real *w, int ro,
                     int io)
{
    C plus[MAX_PRIME / 2 + 1], minus[MAX_PRIME / 2 + 1];
    C first = c_load(t, ro, io), zero = first;
    int h = r / 2;

    for (int j = 1; j <= h; j++) {
        C a = c_load(t + j * stride * ELEM, ro, io);
        C b = c_load(t + (r - j) * stride * ELEM, ro, io);
        plus[j] = c_add(a, b);
        minus[j] = c_sub(a, b);
        zero = c_add(zero, plus[j]);
    }
    for (int k = 1; k <= h; k++) {
        C a = first, b = c_scale(minus[1], -w[2 * k + 1]);
        int q = k;
        a.r = a.r + plus[1].r * w[2 * k];
        a.i = a.i + plus[1].i * w[2 * k];
        for (int j = 2; j <= h; j++) {
            q = q + k < r ? q + k : q + k - r;
            a.r = a.r + plus[j].r * w[2 * q];
            a.i = a.i + plus[j].i * w[2 * q];
            b.r = b.r - minus[j].r * w[2 * q + 1];
            b.i = b.i - minus[j].i * w[2 * q + 1];
        }
        c_store(t + k * stride * ELEM, ro, io, (C){a.r + b.i, a.i - b.r});
        c_store(t + (r - k) * stride * ELEM, ro, io, (C){a.r - b.i, a.i + b.r});
    }
    c_store(t, ro, io, zero);
}

static void twiddle_prime(real *t, int64_t stride, int r, const real *w, int ro,
                          int io)
{
    for (int j = 1; j < r; j++) {
        real *e = t + j * stride * ELEM;
        c_store(e, ro, io,
                c_mul1(c_load(e, ro, io), w[2 * j - 2], w[2 * j - 1]));
    }
}

/* A stage of a prime radix without a butterfly of its own. If `dif` is 1,
 * twiddles are multiplied after the butterflies, else before them. */
static void stage_prime(real *t, const real *tw, const real *roots,
                        int64_t blocks, int64_t m, int r, int dif, int ro,
                        int io)
{
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t p = 0; p < m; p++) {
            real *base = t + (b * r * m + p) * ELEM;
            const real *w = m > 1 ? tw + 2 * (r - 1) * p : NULL;
            if (!dif && m > 1)
                twiddle_prime(base, m, r, w, ro, io);
            bf_prime(base, m, r, roots, ro, io);
            if (dif && m > 1)
                twiddle_prime(base, m, r, w, ro, io);
        }
}

static void run_stage(const stfi_cpu_pass *cp, real *t, int s, int64_t m,
                      int dif, int ro, int io)
{
    int r = cp->p.radix[s];
    int64_t blocks = cp->p.n / (m * r);

    if (!is_special(r))
        stage_prime(t, cp->stage[s], cp->prime[s], blocks, m, r, dif, ro, io);
    else if (m == 1)
        stages[r].first(t, r, 1, blocks, t, NULL, ro, io);
    else
        (dif ? stages[r].dif : stages[r].dit)(t, cp->stage[s], blocks, m, ro,
                                              io);
}

/* Runs stages [from, to) of the transform of elements in pos order. After the
 * last stage the results are in natural order. */
static void run_dit(const stfi_cpu_pass *cp, real *t, int from, int to, int ro,
                    int io)
{
    int64_t m = 1;
    for (int s = 0; s < to; s++) {
        if (s >= from)
            run_stage(cp, t, s, m, 0, ro, io);
        m *= cp->p.radix[s];
    }
}

#endif
