/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tests that what is flipped in a frame is what the processor then has: known
 * values go through registers, where a trap flips one bit meanwhile. */
#include "tests/flip/registers.h"

#include "tests/flip/state.h"
#include "tests/tap.h"

#ifdef FLIP_SUPPORTED

#include <signal.h>
#include <string.h>

/* What goes through two vectors and a mask. */
typedef struct values {
    unsigned char low[FLIP_VECTOR_BYTES];  /* through xmm5, ymm5 or zmm5 */
    unsigned char high[FLIP_VECTOR_BYTES]; /* through zmm30 */
    unsigned char mask[FLIP_MASK_BYTES];   /* through k2 */
} values;

/* All vectors and masks are the caller's to save: a function that only does
 * this needs to tell the compiler of none. */
static void __attribute__((noinline)) through_sse(values *v)
{
    __asm__ volatile("movups (%0), %%xmm5\n\tint3\n\tmovups %%xmm5, (%0)"
                     :
                     : "r"(v)
                     : "memory");
}

static void __attribute__((noinline)) through_avx(values *v)
{
    __asm__ volatile("vmovups (%0), %%ymm5\n\tint3\n\tvmovups %%ymm5, (%0)\n\t"
                     "vzeroupper"
                     :
                     : "r"(v)
                     : "memory");
}

/* With upper halves that the processor knows to be 0 and does not save. */
static void __attribute__((noinline)) through_upper_zero(values *v)
{
    __asm__ volatile("vzeroall\n\tvmovups (%0), %%xmm5\n\tint3\n\t"
                     "vmovups %%ymm5, (%0)\n\tvzeroupper"
                     :
                     : "r"(v)
                     : "memory");
}

static void __attribute__((noinline)) through_avx512(values *v)
{
    __asm__ volatile("vmovups (%0), %%zmm5\n\tvmovups 64(%0), %%zmm30\n\t"
                     "kmovw 128(%0), %%k2\n\tint3\n\t"
                     "kmovw %%k2, 128(%0)\n\tvmovups %%zmm30, 64(%0)\n\t"
                     "vmovups %%zmm5, (%0)\n\tvzeroupper"
                     :
                     : "r"(v)
                     : "memory");
}

typedef enum isa { SSE, AVX, AVX512 } isa;

static const struct {
    const char *name;
    isa needs;
    void (*through)(values *);
    int reg, bit; /* 30 and 34 are zmm30 and k2 */
} rows[] = {
    {"xmm5", SSE, through_sse, 5, 77},
    {"ymm5, lower half", AVX, through_avx, 5, 127},
    {"ymm5, upper half", AVX, through_avx, 5, 200},
    {"ymm5, upper half that is 0", AVX, through_upper_zero, 5, 130},
    {"zmm5, first quarter", AVX512, through_avx512, 5, 3},
    {"zmm5, second quarter", AVX512, through_avx512, 5, 255},
    {"zmm5, upper half", AVX512, through_avx512, 5, 256},
    {"zmm30, first bit", AVX512, through_avx512, 30, 0},
    {"zmm30, last bit", AVX512, through_avx512, 30, 511},
    {"k2", AVX512, through_avx512, 34, 9},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static int row;
static flip_state seen; /* by the handler, before the flip */

static void on_trap(int sig, siginfo_t *info, void *frame)
{
    (void)sig;
    (void)info;
    flip_state_read(frame, &seen);
    flip_simd_bit(frame, rows[row].reg, rows[row].bit);
}

static int has(isa needs)
{
    return needs == SSE || (needs == AVX && __builtin_cpu_supports("avx"))
           || (needs == AVX512 && __builtin_cpu_supports("avx512f"));
}

/* The bytes that a register of a row takes its values from. */
static unsigned char *source(values *v)
{
    if (rows[row].reg >= FLIP_VECTORS)
        return v->mask;
    return rows[row].reg == 30 ? v->high : v->low;
}

static void test_row(void)
{
    static const int vector_bytes[] = {16, 32, 64};
    const int bytes =
        rows[row].reg >= FLIP_VECTORS ? 2 : vector_bytes[rows[row].needs];
    values before, after;
    int same;

    for (size_t i = 0; i < sizeof before; i++)
        ((unsigned char *)&before)[i] = (unsigned char)(37 * i + 11);
    if (rows[row].through == through_upper_zero)
        memset(before.low + 16, 0, 16);
    after = before;
    rows[row].through(&after);
    same = !memcmp(seen.simd[rows[row].reg], source(&before), (size_t)bytes);
    source(&before)[rows[row].bit / 8] ^=
        (unsigned char)(1 << rows[row].bit % 8);
    tap_ok(same && !memcmp(&before, &after, sizeof before),
           "the flipped bit is the one that was meant: %s", rows[row].name);
}

void test_registers(void)
{
    struct sigaction act = {.sa_flags = SA_SIGINFO}, old;

    flip_state_begin();
    act.sa_sigaction = on_trap;
    sigaction(SIGTRAP, &act, &old);
    for (row = 0; row < ROWS; row++)
        if (has(rows[row].needs))
            test_row();
        else
            tap_skip("not on this processor", "%s", rows[row].name);
    sigaction(SIGTRAP, &old, NULL);
}

#else

void test_registers(void)
{
}

#endif
