/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The replacement of backends/gpu/kernels/arch/units_sm75.h and units_gfx90a.h for
 * emulated kernels: unit.c computes what matrix units do. */
#ifndef STFI_TESTS_SIMT_UNITS_H
#define STFI_TESTS_SIMT_UNITS_H

#include "base/half.h"

namespace stfk
{

enum { HALF_F16 = SIMT_F16, HALF_BF16 = SIMT_BF16 };

template <int type>
STFK_DEVICE void half_multiply(float (&c)[4], unsigned a0, unsigned a1,
                               unsigned b)
{
    const simt_operands x = {{a0, a1, 0, 0}, {b, 0}};

    simt_machine->half_multiply(type, 8, c, &x);
}

template <int type>
STFK_DEVICE void half_multiply(float (&c)[4], const unsigned (&a)[4],
                               const unsigned (&b)[2])
{
    const simt_operands x = {{a[0], a[1], a[2], a[3]}, {b[0], b[1]}};

    simt_machine->half_multiply(type, 16, c, &x);
}

template <int type>
STFK_DEVICE void half_multiply(float (&c)[4], const unsigned (&a)[2],
                               const unsigned (&b)[2])
{
    const simt_operands x = {{a[0], a[1], 0, 0}, {b[0], b[1]}};

    simt_machine->wave_multiply(type, c, &x);
}

template <bool transposed>
STFK_DEVICE void load_matrices(unsigned (&word)[4], const void *row)
{
    simt_machine->load_matrices(word, row, transposed);
}

/* Units that groups of 128 threads use (arch/groups_sm90.h). Their products are
 * made as late as they may be, when the thread waits for them. */
struct group_products {
    enum { MOST = 16, STEPS = 16, GROUP = 128 };
    struct product {
        float *sum;
        const unsigned char *columns, *rows;
        int type, row_count, x_along, y_along, leading, group;
    } products[MOST];
    int first = 0, last = 0, group = 0;

    static void show()
    {
    }

    void begin()
    {
    }

    template <int type, int ROWS, bool x_along, bool y_along, int LEADING>
    void multiply(float (&c)[2][ROWS / 4], const void *columns,
                  const void *rows)
    {
        if (last - first == MOST)
            __builtin_trap();
        products[last++ % MOST] = {&c[0][0],
                                   static_cast<const unsigned char *>(columns),
                                   static_cast<const unsigned char *>(rows),
                                   type,
                                   ROWS,
                                   x_along,
                                   y_along,
                                   LEADING,
                                   group};
    }

    template <int type, int ROWS, bool x_along, int LEADING>
    void multiply_more(float (&c)[2][ROWS / 4], float (&more)[2][2],
                       const void *columns, const void *rows)
    {
        multiply<type, ROWS, x_along, true, LEADING>(c, columns, rows);
        multiply<type, 8, x_along, true, LEADING>(
            more, columns,
            static_cast<const unsigned char *>(rows) + ROWS * 128);
    }

    void commit()
    {
        group++;
    }

    /* Step k of an element of an operand: what the pieces' addresses say. */
    static unsigned short element(const unsigned char *from, int d, int k,
                                  bool along, int leading)
    {
        const unsigned long bytes = static_cast<unsigned long>(
            along ? d * 128 + k * 2 : d / 64 * leading + k * 128 + d % 64 * 2);
        const unsigned long place =
            reinterpret_cast<unsigned long>(from) + bytes;

        return *reinterpret_cast<const unsigned short *>(
            place ^ (place >> 7 & 7) << 4);
    }

    static void make(const product &x)
    {
        const int lane = static_cast<int>(thread_index()) % GROUP;
        const int column = lane / 32 * 16 + lane % 32 / 4, q = lane % 4;

        for (int j = 0; j < 2; j++)
            for (int i = 0; i < x.row_count / 4; i++) {
                unsigned short a[STEPS], b[STEPS];
                float *c = x.sum + j * (x.row_count / 4) + i;
                for (int k = 0; k < STEPS; k++) {
                    a[k] = element(x.columns, column + 8 * j, k, x.x_along,
                                   x.leading);
                    b[k] = element(x.rows, 8 * (i / 2) + 2 * q + i % 2, k,
                                   x.y_along, x.leading);
                }
                *c = simt_machine->half_sum(x.type, STEPS, *c, a, b);
            }
    }

    template <int groups> void wait()
    {
        for (; first < last && products[first % MOST].group < group - groups;
             first++)
            make(products[first % MOST]);
    }
};

STFK_DEVICE unsigned load_half(const unsigned short *p)
{
    return *p;
}

template <int type> STFK_DEVICE float half_widened(unsigned bits)
{
    bits &= 0xffffu;
    return type == HALF_BF16 ? stfi_half_from_bf16(bits)
                             : stfi_half_from_f16(bits);
}

template <int type> STFK_DEVICE unsigned half_rounded(float x)
{
    return type == HALF_BF16 ? stfi_half_to_bf16(x) : stfi_half_to_f16(x);
}

template <int type> STFK_DEVICE unsigned half_pair(float low, float high)
{
    return half_rounded<type>(low) | half_rounded<type>(high) << 16;
}

} // namespace stfk

#endif
