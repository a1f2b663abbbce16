/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix units that multiply halves and sum up in F32. A group of 32 threads,
 * thread 4 g + q, multiplies a matrix A of 16 rows by a matrix B of 8 columns,
 * in steps of 8 or 16. A word has two neighbours of a row of A or of a column of
 * B, the first of them in its lower half: a0 and a1 have elements 2 q and
 * 2 q + 1 of rows g and g + 8, b has those of column g; a2, a3 and b1 have the
 * elements 8 behind them. The sums d are (g, 2 q), (g, 2 q + 1), (g + 8, 2 q),
 * (g + 8, 2 q + 1). All threads of a wave must take part.
 * Source: PTX ISA, sections on cvt and mma. */
#ifndef STFK_ARCH_MATRIX_SM75_H
#define STFK_ARCH_MATRIX_SM75_H

#include "arch/runtime.h"

namespace stfk
{

/* Words of F16. */
struct f16_words {
    STFK_MEMBER static unsigned pack(float low, float high)
    {
        unsigned word;
#if __CUDA_ARCH__ >= 800
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
#else
        asm("{.reg .b16 l, h; cvt.rn.f16.f32 l, %1; cvt.rn.f16.f32 h, %2; "
            "mov.b32 %0, {l, h};}"
            : "=r"(word)
            : "f"(low), "f"(high));
#endif
        return word;
    }
    STFK_MEMBER static float low(unsigned word)
    {
        float v;
        asm("{.reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l;}"
            : "=f"(v)
            : "r"(word));
        return v;
    }
    STFK_MEMBER static float high(unsigned word)
    {
        float v;
        asm("{.reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, h;}"
            : "=f"(v)
            : "r"(word));
        return v;
    }
};

/* Products of such words. */
struct f16_unit {
    /* d = A B in one step of 8. */
    STFK_MEMBER static void multiply(float *d, unsigned a0, unsigned a1,
                                     unsigned b)
    {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %7, %7, %7};"
                     : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                     : "r"(a0), "r"(a1), "r"(b), "f"(0.0f));
    }
    /* Adds A B to d, in one step of 16. */
    STFK_MEMBER static void multiply_add(float *d, unsigned a0, unsigned a1,
                                         unsigned a2, unsigned a3, unsigned b0,
                                         unsigned b1)
    {
#if __CUDA_ARCH__ >= 800
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#else
        add_step(d, a0, a1, b0);
        add_step(d, a2, a3, b1);
#endif
    }
    STFK_MEMBER static void add_step(float *d, unsigned a0, unsigned a1,
                                     unsigned b)
    {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a0), "r"(a1), "r"(b));
    }
};

} // namespace stfk

#endif
