/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sums of the bits of an input; see input_bits.h. */
#include "run/end_to_end/input_bits.h"

#include <string.h>

/* The most bytes of an input: what second-level caches hold. PIECE: what the
 * nearest cache holds, so that a sum is made twice in the time of one. */
enum { MOST_BYTES = 1 << 20, PIECE = 8192, WORD = sizeof(uint64_t) };

/* The sum where there are no functions for it. */
static uint64_t add_words(const void *x, int64_t bytes)
{
    const char *at = x;
    uint64_t total = 0;

    for (int64_t i = 0, size; i < bytes; i += size) {
        uint64_t word = 0;
        size = bytes - i < WORD ? bytes - i : WORD;
        memcpy(&word, at + i, (size_t)size);
        total += word;
    }
    return total;
}

/* An array, and the function that adds up what is adjacent in it; the pointer is
 * volatile so that compilers make a sum as often as it is asked for. */
typedef struct bits {
    const stfi_ft_side *in;
    int64_t component; /* bytes */
    stfi_ft_bit_sum *volatile add;
} bits;

/* The sum is kept twice, and its pieces are counted, so that a fault outside of
 * `add` is not taken for another input. */
static uint64_t add_adjacent(const bits *b, const char *x, int64_t bytes)
{
    volatile uint64_t total, check;
    volatile int64_t left;

    do {
        total = check = 0;
        left = (bytes + PIECE - 1) / PIECE;
        for (int64_t i = 0; i < bytes; i += PIECE, left--) {
            int64_t size = bytes - i < PIECE ? bytes - i : PIECE;
            uint64_t first, second = b->add(x + i, size);
            do {
                first = second;
                second = b->add(x + i, size);
            } while (first != second);
            total += first;
            check += second;
        }
    } while (total != check || left != 0);
    return total;
}

/* Bytes of the elements from an axis on. */
static int64_t bytes_from(const bits *b, int axis)
{
    const stfi_ft_side *in = b->in;

    return (axis < in->rank ? in->n[axis] * in->below[axis] : 1) * in->parts
           * b->component;
}

/* 1 if these are adjacent in memory. */
static int is_adjacent(const bits *b, int axis)
{
    for (int a = axis; a < b->in->rank; a++)
        if (b->in->stride[a] * b->component != bytes_from(b, a + 1))
            return 0;
    return 1;
}

static uint64_t add_axis(const bits *b, int axis, const char *x)
{
    uint64_t total = 0;

    if (is_adjacent(b, axis))
        return add_adjacent(b, x, bytes_from(b, axis));
    for (int64_t i = 0; i < b->in->n[axis]; i++)
        total +=
            add_axis(b, axis + 1, x + i * b->in->stride[axis] * b->component);
    return total;
}

static bits bits_of(const stfi_ft_side *in, int64_t component)
{
    return (bits){in, component, in->rows != NULL ? in->rows->bits : add_words};
}

int stfi_e2e_keeps_bits(const stfi_ft_side *in, int64_t component,
                        int64_t batch)
{
    bits b = bits_of(in, component);

    return bytes_from(&b, 0) <= MOST_BYTES / batch;
}

uint64_t stfi_e2e_input_bits(const stfi_ft_side *in, int64_t component,
                             int64_t dist, int64_t batch, const void *x)
{
    bits b = bits_of(in, component);
    uint64_t total = 0;

    if (is_adjacent(&b, 0) && dist == bytes_from(&b, 0))
        return add_adjacent(&b, x, batch * dist);
    for (int64_t t = 0; t < batch; t++)
        total += add_axis(&b, 0, (const char *)x + t * dist);
    return total;
}
