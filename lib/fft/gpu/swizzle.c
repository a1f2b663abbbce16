/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Swizzles of block memory; see swizzle.h.
 *
 * Elements of 8 bytes are accessed by 16 threads at once, in 16 banks. The place
 * of element e is e with its four lowest bits changed by a pattern for each other
 * bit that is set: a linear function over bits. So the 16 threads of an access
 * need different banks if and only if the patterns of the four bits of e in which
 * they differ are linearly independent. */
#include "fft/gpu/swizzle.h"

enum {
    WAVE = 32,
    BANK_BITS = 4,
    MOST_BITS = 16, /* of an element's index */
    MOST_ACCESSES = 2 * STFI_MAX_STAGES + 2,
    SWEEPS = 4
};

/* The bits of e in which the threads of an access differ. */
typedef struct access {
    int bit[BANK_BITS];
} access;

typedef struct accesses {
    int count;
    access of[MOST_ACCESSES];
} accesses;

static int log2_of(int64_t n)
{
    int bits = 0;

    while (n >> bits > 1)
        bits++;
    return bits;
}

/* The bit of the place of a stage's result that bit i of the butterfly's number
 * is, for results `before` elements apart. */
static int result_bit(int i, int before, int radix)
{
    return i < before ? i : i + radix;
}

/* Adds the accesses of a stage of which all numbers are logarithms. Four
 * neighbouring threads share a column on units, and the next four have the next
 * column before a stage and the next result after it. With radix 2, threads that share
 * a column have butterflies `threads` apart, and so have those with the next results. */
static void add_stage(accesses *a, int n, int radix, int before, int on_units,
                      int threads)
{
    access inputs, results;

    for (int i = 0; i < BANK_BITS; i++) {
        inputs.bit[i] = i;
        results.bit[i] = result_bit(i, before, radix);
    }
    for (int i = 0; i < 2 && on_units; i++) {
        inputs.bit[i] = radix == 1 ? threads + i : n - radix + i;
        inputs.bit[i + 2] = i;
        results.bit[i] = result_bit(i + 1, before, radix);
        results.bit[i + 2] =
            radix == 1 ? result_bit(threads + i, before, radix) : before + i;
    }
    a->of[a->count++] = inputs;
    a->of[a->count++] = results;
}

/* Returns by how much the conflicts of an access multiply its time. */
static int conflicts(const access *a, const int pattern[MOST_BITS])
{
    int basis[BANK_BITS] = {0}, worst = 1 << BANK_BITS;

    for (int i = 0; i < BANK_BITS; i++) {
        int left = pattern[a->bit[i]];
        for (int b = BANK_BITS - 1; b >= 0 && left != 0; b--) {
            if ((left >> b & 1) == 0)
                continue;
            if (basis[b] == 0) {
                basis[b] = left;
                worst /= 2;
                break;
            }
            left ^= basis[b];
        }
    }
    return worst;
}

static int total(const accesses *a, const int pattern[MOST_BITS])
{
    int sum = 0;

    for (int i = 0; i < a->count; i++)
        sum += conflicts(&a->of[i], pattern);
    return sum;
}

/* Tries all patterns for one bit after the other, again and again. */
static void improve(const accesses *a, int bits, int pattern[MOST_BITS])
{
    int best = total(a, pattern);

    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int bit = BANK_BITS; bit < bits; bit++) {
            int kept = pattern[bit];
            for (int p = 0; p < 1 << BANK_BITS; p++) {
                int now;
                pattern[bit] = p;
                now = total(a, pattern);
                if (now < best) {
                    best = now;
                    kept = p;
                }
            }
            pattern[bit] = kept;
        }
}

int stfi_gpu_has_swizzle(const stfi_gpu_config *c)
{
    return c->matrix != 0 && !c->split && c->wave == WAVE
           && (c->n & (c->n - 1)) == 0 && c->n <= (int64_t)1 << MOST_BITS
           && c->threads % WAVE == 0 && c->load_interleave == c->threads
           && c->store_interleave == c->threads && stfi_gpu_config_real(c) == 4;
}

int64_t stfi_gpu_swizzle(const stfi_gpu_config *c)
{
    const int bits = log2_of(c->n);
    int pattern[MOST_BITS] = {1, 2, 4, 8}, before = 0;
    accesses a = {.count = 0};
    int64_t swizzle = 0;

    for (int s = 0; s < c->radices.count; s++) {
        int radix = log2_of(c->radices.radix[s]);
        add_stage(&a, bits, radix, before, (int)(c->matrix >> s & 1),
                  log2_of(c->threads));
        before += radix;
    }
    improve(&a, bits, pattern);
    for (int bit = BANK_BITS; bit < bits; bit++)
        swizzle |= (int64_t)pattern[bit] << 4 * (bit - BANK_BITS);
    return swizzle;
}
