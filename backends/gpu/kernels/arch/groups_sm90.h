/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix units that a group of 128 threads uses together: products of halves in
 * shared memory, with sums in F32 in registers, which run beside the threads'
 * instructions. They are in code for sm_90a alone.
 *
 * An operand lies in shared memory in rows of 128 bytes, eight of which are 1024
 * bytes that begin at a multiple of 1024 of the slab's beginning; there, piece p
 * of 16 bytes of row r is at piece p xor (r mod 8). A row has 64 neighbours along
 * k (`along`), or 64 neighbours across, and then the next 64 across are LEADING
 * bytes away. Source: PTX ISA, sections on wgmma, its matrix descriptors and
 * strides; fence.proxy. */
#ifndef STFK_ARCH_GROUPS_SM90_H
#define STFK_ARCH_GROUPS_SM90_H

#include "arch/runtime.h"

namespace stfk
{

/* Where an operand lies: of 128-byte rows, swizzled, 1024 bytes from eight rows
 * to the next. */
template <int LEADING> STFK_DEVICE count_t group_place(const void *at)
{
    const unsigned place = (unsigned)__cvta_generic_to_shared(at);

    return (count_t)(place >> 4 & 0x3fff) | (count_t)(LEADING >> 4) << 16
           | (count_t)(1024 >> 4) << 32 | (count_t)1 << 62;
}

/* Text of the registers %0 to %(n - 1), ten in a row. */
#define STFK_TEN(d)                                                    \
    "%" #d "0, %" #d "1, %" #d "2, %" #d "3, %" #d "4, %" #d "5, %" #d \
    "6, %" #d "7, %" #d "8, %" #d "9, "
#define STFK_30 STFK_TEN() STFK_TEN(1) STFK_TEN(2)
#define STFK_60 STFK_30 STFK_TEN(3) STFK_TEN(4) STFK_TEN(5)
#define STFK_90 STFK_60 STFK_TEN(6) STFK_TEN(7) STFK_TEN(8)
#define STFK_TEXT_4 "%0, %1, %2, %3"
#define STFK_TEXT_32 STFK_30 "%30, %31"
#define STFK_TEXT_64 STFK_60 "%60, %61, %62, %63"
#define STFK_TEXT_96 STFK_90 "%90, %91, %92, %93, %94, %95"
#define STFK_TEXT_128                                                        \
    STFK_90 STFK_TEN(9) STFK_TEN(10) STFK_TEN(11) "%120, %121, %122, %123, " \
                                                  "%124, %125, %126, %127"

/* The same with four more, of eight rows. */
#define STFK_TEXT_36 STFK_TEXT_32 ", %32, %33, %34, %35"
#define STFK_TEXT_68 STFK_TEXT_64 ", %64, %65, %66, %67"
#define STFK_TEXT_100 STFK_TEXT_96 ", %96, %97, %98, %99"

/* The sums in the order of the units: two rows of C in each of two columns. */
#define STFK_SUMS_4(i) \
    "+f"(c[0][i]), "+f"(c[0][(i) + 1]), "+f"(c[1][i]), "+f"(c[1][(i) + 1])
#define STFK_SUMS_16(i)                                         \
    STFK_SUMS_4(i), STFK_SUMS_4((i) + 2), STFK_SUMS_4((i) + 4), \
        STFK_SUMS_4((i) + 6)
#define STFK_SUMS_32(i) STFK_SUMS_16(i), STFK_SUMS_16((i) + 8)
#define STFK_SUMS_64(i) STFK_SUMS_32(i), STFK_SUMS_32((i) + 16)
#define STFK_SUMS_96(i) STFK_SUMS_64(i), STFK_SUMS_32((i) + 32)
#define STFK_SUMS_128(i) STFK_SUMS_64(i), STFK_SUMS_64((i) + 32)
#define STFK_SUMS_MORE \
    "+f"(more[0][0]), "+f"(more[0][1]), "+f"(more[1][0]), "+f"(more[1][1])
#define STFK_SUMS_36(i) STFK_SUMS_32(i), STFK_SUMS_MORE
#define STFK_SUMS_68(i) STFK_SUMS_64(i), STFK_SUMS_MORE
#define STFK_SUMS_100(i) STFK_SUMS_96(i), STFK_SUMS_MORE

/* The product of 64 columns and ROWS rows of C; x, y and the two flags after the
 * sums are operands A, B, C and D of the text. */
#define STFK_GROUP_MULTIPLY(ROWS, SUMS, TYPE, A, B, C, D)                      \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" #ROWS "k16.f32." TYPE     \
                 "." TYPE " {" STFK_TEXT_##SUMS "}, %" #A ", %" #B             \
                                                ", 1, 1, 1, %" #C ", %" #D ";" \
                 : STFK_SUMS_##SUMS(0)                                         \
                 : "l"(x), "l"(y), "n"(x_along ? 0 : 1), "n"(y_along ? 0 : 1))
#define STFK_GROUP_ROWS(ROWS, SUMS, A, B, C, D)                        \
    template <int type, bool x_along, bool y_along>                    \
    STFK_DEVICE void group_multiply(float(&c)[2][SUMS / 2], count_t x, \
                                    count_t y)                         \
    {                                                                  \
        if constexpr (type == HALF_BF16)                               \
            STFK_GROUP_MULTIPLY(ROWS, SUMS, "bf16", A, B, C, D);       \
        else                                                           \
            STFK_GROUP_MULTIPLY(ROWS, SUMS, "f16", A, B, C, D);        \
    }

STFK_GROUP_ROWS(8, 4, 4, 5, 6, 7)
STFK_GROUP_ROWS(64, 32, 32, 33, 34, 35)
STFK_GROUP_ROWS(128, 64, 64, 65, 66, 67)
STFK_GROUP_ROWS(192, 96, 96, 97, 98, 99)
STFK_GROUP_ROWS(256, 128, 128, 129, 130, 131)

/* The same of eight rows more than the SUMS belong to, which have ALL together. */
#define STFK_GROUP_MORE_ROWS(ROWS, SUMS, ALL, A, B, C, D)                     \
    template <int type, bool x_along, bool y_along>                           \
    STFK_DEVICE void group_multiply(float(&c)[2][SUMS / 2],                   \
                                    float(&more)[2][2], count_t x, count_t y) \
    {                                                                         \
        if constexpr (type == HALF_BF16)                                      \
            STFK_GROUP_MULTIPLY(ROWS, ALL, "bf16", A, B, C, D);               \
        else                                                                  \
            STFK_GROUP_MULTIPLY(ROWS, ALL, "f16", A, B, C, D);                \
    }

STFK_GROUP_MORE_ROWS(72, 32, 36, 36, 37, 38, 39)
STFK_GROUP_MORE_ROWS(136, 64, 68, 68, 69, 70, 71)
STFK_GROUP_MORE_ROWS(200, 96, 100, 100, 101, 102, 103)

/* The products of a group of threads. Sums may not be touched from the first
 * multiply() until wait() has returned. */
struct group_products {
    /* What this thread has written to shared memory is seen by products that
     * begin after the next barrier. */
    STFK_MEMBER static void show()
    {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }

    /* Before the first product after sums were written by instructions. */
    STFK_MEMBER void begin()
    {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    }

    /* Adds the product of 16 steps of k. Wave w of the group has columns 16 w to
     * 16 w + 15 of 64: thread 4 g + q of it has in c[j][i] column 8 j + g and
     * row 8 (i / 2) + 2 q + i % 2 of ROWS. `columns` and `rows` are where the
     * operands' first elements would lie without permutation of pieces. */
    template <int type, int ROWS, bool x_along, bool y_along, int LEADING>
    STFK_MEMBER void multiply(float (&c)[2][ROWS / 4], const void *columns,
                              const void *rows)
    {
        const count_t x = group_place<LEADING>(columns);
        const count_t y = group_place<LEADING>(rows);

        group_multiply<type, x_along, y_along>(c, x, y);
    }

    /* The same, and in `more` the product of the eight rows behind these, whose
     * neighbours are along k, too. */
    template <int type, int ROWS, bool x_along, int LEADING>
    STFK_MEMBER void multiply_more(float (&c)[2][ROWS / 4], float (&more)[2][2],
                                   const void *columns, const void *rows)
    {
        const count_t x = group_place<LEADING>(columns);
        const count_t y = group_place<LEADING>(rows);

        group_multiply<type, x_along, true>(c, more, x, y);
    }

    STFK_MEMBER void commit()
    {
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    }

    /* Waits until all but the last n groups of products are done. */
    template <int n> STFK_MEMBER void wait()
    {
        asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory");
    }
};

} // namespace stfk

#endif
