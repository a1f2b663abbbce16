/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Steps of the butterfly of a radix; see radix_steps.h. */
#include "ft/weights/radix_steps.h"

#include <string.h>

/* The smallest prime that divides r > 1, its largest power that does, and the
 * exponent of this power. */
typedef struct part {
    int prime, power, exponent;
} part;

static part first_part(int r)
{
    part p = {.prime = 2, .power = 1};

    while (r % p.prime != 0)
        p.prime++;
    for (; r / p.power % p.prime == 0; p.power *= p.prime)
        p.exponent++;
    return p;
}

static int count_primes(int r)
{
    int count = 0;

    for (; r > 1; r /= first_part(r).prime)
        count++;
    return count;
}

typedef struct maker {
    stfi_radix_steps *steps;
    int taken[STFI_MOST_STEPS]; /* rows of each step so far */
} maker;

static void run(maker *m, int step, int size, unsigned char *row);

static void run_prime(maker *m, int step, int prime, const unsigned char *row)
{
    m->steps->step[step].prime = prime;
    for (int j = 0; j < prime; j++)
        m->steps->step[step].row[m->taken[step]++] = row[j];
}

/* A power of a prime: transforms of every prime-th element, twiddles, then
 * butterflies of the prime. */
static void run_power(maker *m, int step, int size, int prime,
                      unsigned char *row)
{
    unsigned char some[STFI_MOST_ROWS], all[STFI_MOST_ROWS];
    int rest = size / prime, next = step + count_primes(rest);

    for (int j = 0; j < prime; j++) {
        for (int i = 0; i < rest; i++)
            some[i] = row[j + prime * i];
        run(m, step, rest, some);
        for (int i = 0; i < rest; i++) {
            all[i * prime + j] = some[i];
            m->steps->step[next].exponent[some[i]] =
                (unsigned char)(m->steps->radix / size * j * i);
        }
    }
    for (int i = 0; i < rest; i++) {
        run_prime(m, next, prime, all + i * prime);
        for (int k = 0; k < prime; k++)
            row[i + rest * k] = all[i * prime + k];
    }
}

/* A grid of a * b elements, where a and b are coprime. */
static void run_grid(maker *m, int step, int a, int b, unsigned char *row)
{
    unsigned char some[STFI_MOST_ROWS], grid[STFI_MOST_ROWS];
    int next = step + count_primes(b);

    for (int i = 0; i < a; i++) {
        for (int k = 0; k < a * b; k++)
            if (k % a == i)
                some[k % b] = row[k];
        run(m, step, b, some);
        for (int j = 0; j < b; j++)
            grid[j * a + i] = some[j];
    }
    for (int j = 0; j < b; j++) {
        run(m, next, a, grid + j * a);
        for (int i = 0; i < a; i++)
            row[(b * i + a * j) % (a * b)] = grid[j * a + i];
    }
}

/* Transforms `size` rows from a step on. row[] holds the rows of the elements,
 * and then those of the results. */
static void run(maker *m, int step, int size, unsigned char *row)
{
    part p = first_part(size);

    if (p.prime == size)
        run_prime(m, step, size, row);
    else if (p.power == size)
        run_power(m, step, size, p.prime, row);
    else
        run_grid(m, step, p.power, size / p.power, row);
}

stfi_radix_steps stfi_radix_steps_of(int radix)
{
    stfi_radix_steps steps;
    maker m = {.steps = &steps};
    unsigned char row[STFI_MOST_ROWS];

    memset(&steps, 0, sizeof steps);
    steps.radix = radix;
    steps.count = count_primes(radix);
    for (int j = 0; j < radix; j++)
        row[j] = (unsigned char)j;
    run(&m, 0, radix, row);
    for (int k = 0; k < radix; k++)
        steps.place[row[k]] = (unsigned char)k;
    return steps;
}

int stfi_radix_factor(int radix, int *factor_p)
{
    part p;

    if (radix == 1)
        return 0;
    p = first_part(radix);
    if (p.power != radix) {
        *factor_p = radix;
        return 1;
    }
    *factor_p = p.prime;
    return p.exponent;
}
