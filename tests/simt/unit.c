/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Emulated matrix units; see unit.h. The model of units that cut off is that of
 * [Fasi2021]. */
#include "tests/simt/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/half.h"
#include "base/random.h"
#include "tests/simt/machine.h"
#include "tests/tap.h"

/* "cut" and "fine" are what the literature finds in devices with 24 and 25 bits
 * of the aligned terms, "nearest" and "flushed" what others may do. */
static const stfi_simt_unit units[] = {
    {"cut", 8, 1, 1, 0},    {"nearest", 16, 0, 0, 0}, {"flushed", 4, 0, 0, 1},
    {"coarse", 4, 1, 0, 0}, {"fine", 16, 1, 2, 0},
};

enum { UNITS = (int)(sizeof units / sizeof *units), STEPS = 16 };

static const stfi_simt_unit *chosen;
static int order[STEPS]; /* of the terms, which is not documented */

const stfi_simt_unit *stfi_simt_unit_at(int i)
{
    return i < UNITS ? &units[i] : NULL;
}

void stfi_simt_unit_set(const stfi_simt_unit *unit)
{
    const char *name = stfi_env_get("STF_SIMT_UNIT");

    chosen = unit != NULL ? unit : &units[0];
    for (int i = 0; unit == NULL && name != NULL && i < UNITS; i++)
        if (strcmp(units[i].name, name) == 0)
            chosen = &units[i];
    stfi_simt_unit_order(tap_seed() + (uint64_t)(chosen - units));
}

void stfi_simt_unit_next(void)
{
    static uint64_t turn;

    stfi_simt_unit_set(&units[(tap_seed() + turn++) % UNITS]);
}

int stfi_simt_unit_turns(const char *word)
{
    static const int turns[] = {1, 2, UNITS};

    return strstr(word, ":split:") || strstr(word, ":tensor:")
               ? turns[tap_level()]
               : 1;
}

const stfi_caps *stfi_simt_preset(const char *word, int *unit_radix_p)
{
    const size_t length = strcspn(word, "/");
    char name[32] = "";

    *unit_radix_p = word[length] == '/' ? atoi(word + length + 1) : 0;
    if (length < sizeof name)
        memcpy(name, word, length);
    return stfi_preset_find(name);
}

/* Source: Knuth, The Art of Computer Programming, volume 2, algorithm P. */
void stfi_simt_unit_order(uint64_t seed)
{
    for (int i = 0; i < STEPS; i++) {
        const int j = (int)(stfi_random_u64(&seed) % (uint64_t)(i + 1));
        order[i] = order[j];
        order[j] = i;
    }
}

/* ------------------------------------------------------------------- sums */

static double number(int type, unsigned bits)
{
    const double x = type == SIMT_F16 ? (double)stfi_half_from_f16(bits)
                                      : (double)stfi_half_from_bf16(bits);
    const double least = type == SIMT_F16 ? 0x1p-14 : 0x1p-126;

    return chosen->flushes && fabs(x) < least ? 0 : x;
}

/* Returns e with |x| < 2^e, for x other than 0. */
static int exponent_of(double x)
{
    int e;

    frexp(x, &e);
    return e;
}

/* Terms cut off at the same place, towards 0, are integers of few bits, whose sum
 * is exact in double. */
static double add_cut(const double *term, int count)
{
    enum { BITS = 24 };
    double most = 0, sum = 0, scale;
    int last;

    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(term[i]));
    if (most == 0)
        return 0;
    last = exponent_of(most) - BITS - chosen->extra;
    scale = ldexp(1, -last);
    for (int i = 0; i < count; i++)
        sum += trunc(term[i] * scale);
    if (sum == 0)
        return 0;
    scale = ldexp(1, BITS - exponent_of(sum));
    return ldexp(trunc(sum * scale) / scale, last);
}

/* Adds a block's products to an accumulator. */
static float add_block(float c, double *term, int count)
{
    double sum = 0;
    float result;

    term[count] = (double)c;
    for (int i = 0; i <= count; i++)
        sum += term[i];
    if (chosen->cuts && isfinite(sum))
        sum = add_cut(term, count + 1);
    result = (float)sum;
    return chosen->flushes && fabsf(result) < 0x1p-126f ? 0 : result;
}

/* ----------------------------------------------------------------- threads */

float stfi_simt_half_sum(int type, int steps, float c, const unsigned short *x,
                         const unsigned short *y)
{
    double term[STEPS + 1];
    int count = 0;

    if (chosen == NULL)
        stfi_simt_unit_set(NULL);
    for (int n = 0; n < STEPS; n++) {
        const int k = order[n];
        if (k >= steps)
            continue;
        term[count++] = number(type, x[k]) * number(type, y[k]);
        if (count == chosen->block) {
            c = add_block(c, term, count);
            count = 0;
        }
    }
    return count > 0 ? add_block(c, term, count) : c;
}

/* Step k of two in a word. */
static unsigned short half_of(unsigned word, int k)
{
    return (unsigned short)(word >> k % 2 * 16);
}

static float dot(int type, int steps, float c, int row, int column)
{
    unsigned short x[STEPS], y[STEPS];

    for (int k = 0; k < steps; k++) {
        const unsigned from = (unsigned)(k % 8 / 2);
        const simt_operands *a =
            stfi_simt_given((unsigned)(row % 8) * 4 + from);
        const simt_operands *b = stfi_simt_given((unsigned)column * 4 + from);
        x[k] = half_of(a->a[row / 8 + (k < 8 ? 0 : 2)], k);
        y[k] = half_of(b->b[k / 8], k);
    }
    return stfi_simt_half_sum(type, steps, c, x, y);
}

void stfi_simt_half_multiply(int type, int steps, float *c,
                             const simt_operands *own)
{
    const int lane = (int)stfi_simt_lane(), g = lane / 4, q = lane % 4;

    if (chosen == NULL)
        stfi_simt_unit_set(NULL);
    stfi_simt_give(own, sizeof *own);
    for (int i = 0; i < 4; i++)
        c[i] = dot(type, steps, c[i], g + i / 2 * 8, 2 * q + i % 2);
}

/* The same of waves of 64 (arch/units_gfx90a.h). */
static float wave_dot(int type, float c, int row, int column)
{
    unsigned short x[STEPS], y[STEPS];

    for (int k = 0; k < STEPS; k++) {
        const int from = k / 4 * 16;
        const simt_operands *a = stfi_simt_given((unsigned)(from + row));
        const simt_operands *b = stfi_simt_given((unsigned)(from + column));
        x[k] = half_of(a->a[k % 4 / 2], k);
        y[k] = half_of(b->b[k % 4 / 2], k);
    }
    return stfi_simt_half_sum(type, STEPS, c, x, y);
}

void stfi_simt_wave_multiply(int type, float *c, const simt_operands *own)
{
    const int lane = (int)stfi_simt_lane();

    stfi_simt_give(own, sizeof *own);
    for (int i = 0; i < 4; i++)
        c[i] = wave_dot(type, c[i], lane / 16 * 4 + i, lane % 16);
}

/* ------------------------------------------------------------------- loads */

static unsigned half_at(unsigned matrix, unsigned row, unsigned column)
{
    const uint16_t *const *from = stfi_simt_given(8 * matrix + row);

    return (*from)[column];
}

void stfi_simt_load_matrices(unsigned *word, const void *row, int transposed)
{
    const unsigned lane = stfi_simt_lane(), g = lane / 4, q = 2 * (lane % 4);

    if ((uintptr_t)row % 16 != 0)
        __builtin_trap();
    stfi_simt_give(&row, sizeof row);
    for (unsigned n = 0; n < 4; n++)
        word[n] = transposed ? half_at(n, q, g) | half_at(n, q + 1, g) << 16
                             : half_at(n, g, q) | half_at(n, g, q + 1) << 16;
}
