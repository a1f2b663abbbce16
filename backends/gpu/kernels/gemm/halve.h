/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Splits rows of A and columns of B into halves, beforehand (split.h). A block
 * takes 32 of them: first it finds what to scale them by, then it writes them
 * with steps as neighbours, whatever they were in memory. Each thread has some
 * groups of four steps of one of them at a time, whose loads do not wait for each
 * other. */
#ifndef STFK_GEMM_HALVE_H
#define STFK_GEMM_HALVE_H

#include "gemm/split.h"

namespace stfk
{

enum {
    HALVED = STFK_GEMM_LINES,
    ALONG = 4,
    SIDE_BY_SIDE = STFK_GEMM_THREADS / HALVED, /* threads of a line */
    TOGETHER = SIDE_BY_SIDE * ALONG,           /* steps of these */
    AT_ONCE = STFK_GEMM_STEPS,
    GROUPED = AT_ONCE / TOGETHER /* groups of a thread */
};

struct alignas(8) four {
    unsigned of[2];
};

/* The first step of a group of the thread, from step k on. */
STFK_DEVICE int own_step(int group)
{
    return group * TOGETHER + (int)thread_index() % SIDE_BY_SIDE * ALONG;
}

/* Reads the steps from k on that the thread has of its line; 0 where there are
 * none. */
template <bool along_k>
STFK_DEVICE void get_steps(const stfk_gemm_operand &x, const stored *base,
                           wide lines, wide steps, wide k,
                           real (&v)[GROUPED][ALONG])
{
    const int t = (int)thread_index();

    if constexpr (along_k) {
        const int line = t / SIDE_BY_SIDE;
        STFK_UNROLL
        for (int n = 0; n < GROUPED; n++)
            STFK_UNROLL
        for (int i = 0; i < ALONG; i++) {
            const wide own = k + own_step(n) + i;
            v[n][i] = line < lines && own < steps
                          ? load_table(base + line * x.across + own)
                          : 0;
        }
    } else {
        real(*turned)[AT_ONCE + 1] = (real(*)[AT_ONCE + 1]) shared_memory();
        STFK_UNROLL
        for (int i = 0; i < GROUPED * ALONG; i++) {
            const int line = t % HALVED, own = t / HALVED + i * SIDE_BY_SIDE;
            turned[line][own] =
                line < lines && k + own < steps
                    ? load_table(base + line + (k + own) * x.along)
                    : 0;
        }
        block_sync();
        STFK_UNROLL
        for (int n = 0; n < GROUPED; n++)
            STFK_UNROLL
        for (int i = 0; i < ALONG; i++)
            v[n][i] = turned[t / SIDE_BY_SIDE][own_step(n) + i];
        block_sync();
    }
}

/* Returns e with |x| < 2^e, as small as may be. */
STFK_DEVICE int exponent_over(double x)
{
    return x == 0 ? STFK_GEMM_NOTHING : (int)(bits_of(x) >> 52 & 0x7ff) - 1022;
}

/* The exponent of the thread's line, to all threads that share it. */
template <bool along_k>
STFK_DEVICE int exponent_of_line(const stfk_gemm_operand &x, const stored *base,
                                 wide lines, wide steps)
{
    real most = 0, wrong = 0;

    for (wide k = 0; k < steps; k += AT_ONCE) {
        real v[GROUPED][ALONG];
        get_steps<along_k>(x, base, lines, steps, k, v);
        STFK_UNROLL
        for (int n = 0; n < GROUPED; n++)
            STFK_UNROLL
        for (int i = 0; i < ALONG; i++) {
            most = magnitude(v[n][i]) > most ? magnitude(v[n][i]) : most;
            wrong = v[n][i] - v[n][i] == 0 ? wrong : 1;
        }
    }
    for (int m = 1; m < SIDE_BY_SIDE; m *= 2) {
        const real other = shuffle_xor(most, m);
        most = other > most ? other : most;
        wrong += shuffle_xor(wrong, m);
    }
    return wrong != 0 ? STFK_GEMM_SPECIAL : exponent_over((double)most);
}

/* Keeps the largest exponent of the lines of a block that have numbers alone. */
STFK_DEVICE void keep_most(int e, const stfk_gemm_halves &to, wide group)
{
    const int t = (int)thread_index();
    int *part = (int *)shared_memory(), most = STFK_GEMM_NOTHING;

    part[t] = e == STFK_GEMM_SPECIAL ? STFK_GEMM_NOTHING : e;
    block_sync();
    for (int n = 0; n < HALVED; n++) {
        const int other = part[n * SIDE_BY_SIDE];
        most = other > most ? other : most;
    }
    if (t == 0)
        to.most[group] = most;
    block_sync();
}

STFK_DEVICE void halve(const real (&v)[ALONG], int e, four *upper, four *lower)
{
    unsigned high[ALONG], low[ALONG];

    STFK_UNROLL
    for (int i = 0; i < ALONG; i++) {
        const float y = e == STFK_GEMM_SPECIAL
                            ? 0
                            : (float)((double)v[i] * power_of_two(TOP - e));
        high[i] = half_rounded<HALF_F16>(y);
        low[i] = half_rounded<HALF_F16>(y - half_widened<HALF_F16>(high[i]));
    }
    *upper = {{high[0] | high[1] << 16, high[2] | high[3] << 16}};
    *lower = {{low[0] | low[1] << 16, low[2] | low[3] << 16}};
}

template <bool along_k>
STFK_DEVICE void halve_lines(const stfk_gemm_operand &x,
                             const stfk_gemm_halves &to, wide all, wide steps,
                             wide block)
{
    const wide groups = to.lines / HALVED, member = block / groups;
    const wide first = block % groups * HALVED,
               lines = lesser(HALVED, all - first);
    const int t = (int)thread_index(), line = t / SIDE_BY_SIDE;
    const stored *base = (const stored *)x.base + member * x.dist
                         + (lines > 0 ? first : 0) * x.across;
    unsigned short *own = (unsigned short *)to.base
                          + (member * to.lines + first + line) * to.length;
    const int found = exponent_of_line<along_k>(x, base, lines, steps);
    const int e = found == STFK_GEMM_NOTHING ? 0 : found;

    keep_most(found, to, (member * to.lines + first) / HALVED);
    if (t % SIDE_BY_SIDE == 0)
        to.exponent[member * to.lines + first + line] = e;
    for (wide k = 0; k < to.length; k += AT_ONCE) {
        real v[GROUPED][ALONG];
        get_steps<along_k>(x, base, lines, steps, k, v);
        STFK_UNROLL
        for (int n = 0; n < GROUPED; n++) {
            const wide at = k + own_step(n);
            if (at < to.length)
                halve(v[n], e, (four *)(own + at),
                      (four *)(own + to.lower + at));
        }
    }
}

STFK_DEVICE void split_operands(const stfk_gemm &a)
{
    const wide block = a.first + (wide)block_index();
    const wide of_a = (a.a.shared ? 1 : a.batch) * (a.half_a.lines / HALVED);

    if (is_scaling(a))
        return;
    if (block < of_a)
        halve_lines<STFK_A_ALONG_K>(a.a, a.half_a, a.m, a.k, block);
    else
        halve_lines<STFK_B_ALONG_K>(a.b, a.half_b, a.n, a.k, block - of_a);
}

} // namespace stfk

#endif
