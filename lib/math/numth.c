/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Number theory; see numth.h. */
#include "math/numth.h"

#include <stddef.h>

__extension__ typedef unsigned __int128 uint128;

uint64_t stfi_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

uint64_t stfi_mulmod(uint64_t a, uint64_t b, uint64_t m)
{
    return (uint64_t)((uint128)a * b % m);
}

uint64_t stfi_powmod(uint64_t a, uint64_t e, uint64_t m)
{
    uint64_t result = 1 % m;
    for (a %= m; e != 0; e >>= 1) {
        if (e & 1)
            result = stfi_mulmod(result, a, m);
        a = stfi_mulmod(a, a, m);
    }
    return result;
}

/* --------------------------------------------------------- primes, factors */

/* Divisors below TRIAL are found by trying them. */
enum { TRIAL = 256 };

/* Returns 1 if the odd n = 2^twos odd + 1 may be prime as far as the base says
 * (Miller and Rabin). */
static int passes(uint64_t n, uint64_t odd, int twos, uint64_t base)
{
    uint64_t x = stfi_powmod(base, odd, n);

    if (x == 1 || x == n - 1)
        return 1;
    while (--twos > 0) {
        x = stfi_mulmod(x, x, n);
        if (x == n - 1)
            return 1;
    }
    return 0;
}

/* Returns 1 if n, which has no divisor below TRIAL, is prime. The first twelve
 * primes as bases decide this for all numbers below 2^81.
 * Source: J. Sorenson, J. Webster, "Strong pseudoprimes to twelve prime bases",
 * Math. Comp. 86 (2017) 985-1003. */
static int is_prime_beyond_trial(uint64_t n)
{
    static const int bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    uint64_t odd = n - 1;
    int twos = 0;

    if (n < (uint64_t)TRIAL * TRIAL)
        return 1;
    for (; odd % 2 == 0; odd /= 2)
        twos++;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (!passes(n, odd, twos, (uint64_t)bases[i]))
            return 0;
    return 1;
}

/* A walk x -> x^2 / 2^64 + c modulo the odd n > c. */
typedef struct walk {
    uint64_t n, c;
    uint64_t inverse; /* n * inverse = 1 modulo 2^64 */
} walk;

static walk walk_of(uint64_t n, uint64_t c)
{
    walk w = {n, c, n}; /* n is its own inverse modulo 8 */

    for (int bits = 3; bits < 64; bits *= 2)
        w.inverse *= 2 - n * w.inverse;
    return w;
}

/* Returns a b / 2^64 modulo n, without a division.
 * Source: P. L. Montgomery, "Modular multiplication without trial division",
 * Math. Comp. 44 (1985) 519-521. */
static uint64_t product(const walk *w, uint64_t a, uint64_t b)
{
    uint128 ab = (uint128)a * b;
    uint64_t high = (uint64_t)(ab >> 64);
    uint64_t low =
        (uint64_t)((uint128)((uint64_t)ab * w->inverse) * w->n >> 64);

    return high >= low ? high - low : high + (w->n - low);
}

static uint64_t step(const walk *w, uint64_t x)
{
    uint64_t y = product(w, x, x);

    return y >= w->n - w->c ? y - (w->n - w->c) : y + w->c;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Returns gcd(n, x - from) after the first step from x for which it is not
 * 1. */
static uint64_t search_steps(const walk *w, uint64_t from, uint64_t x)
{
    uint64_t d;

    do {
        x = step(w, x);
        d = stfi_gcd(distance(x, from), w->n);
    } while (d == 1);
    return d;
}

/* Walks until the walk meets itself modulo a divisor of n, which it returns; n
 * if it meets itself modulo all of them at once. Many steps share one gcd.
 * Source: R. P. Brent, "An improved Monte Carlo factorization algorithm",
 * BIT 20 (1980) 176-184. */
static uint64_t walk_to_divisor(const walk *w)
{
    enum { SHARE = 128 };
    uint64_t x = 2;

    for (uint64_t length = 1;; length *= 2) {
        uint64_t from = x;
        for (uint64_t k = 0; k < length; k += SHARE) {
            uint64_t back = x, all = 1;
            for (uint64_t i = k; i < length && i < k + SHARE; i++) {
                x = step(w, x);
                all = product(w, all, distance(x, from));
            }
            if (stfi_gcd(all, w->n) != 1)
                return search_steps(w, from, back);
        }
    }
}

/* The factors found so far, in rising order. */
typedef struct factors {
    uint64_t *prime;
    int *power;
    int count;
} factors;

static void add_prime(factors *f, uint64_t p)
{
    int at = 0;

    while (at < f->count && f->prime[at] < p)
        at++;
    if (at == f->count || f->prime[at] != p) {
        for (int i = f->count++; i > at; i--) {
            f->prime[i] = f->prime[i - 1];
            f->power[i] = f->power[i - 1];
        }
        f->prime[at] = p;
        f->power[at] = 0;
    }
    f->power[at]++;
}

/* Adds the primes of n, which has no divisor below TRIAL. So it is a product of
 * at most seven primes. */
static void add_primes(factors *f, uint64_t n)
{
    uint64_t d = n;

    if (n <= 1)
        return;
    if (is_prime_beyond_trial(n)) {
        add_prime(f, n);
        return;
    }
    for (uint64_t c = 1; d == n; c++) {
        walk w = walk_of(n, c);
        d = walk_to_divisor(&w);
    }
    add_primes(f, d);
    add_primes(f, n / d);
}

int stfi_factorize(uint64_t n, uint64_t *prime, int *power)
{
    factors f = {prime, power, 0};

    for (uint64_t p = 2; p < TRIAL && p <= n / p; p += p == 2 ? 1 : 2)
        for (; n % p == 0; n /= p)
            add_prime(&f, p);
    add_primes(&f, n);
    return f.count;
}

int stfi_is_prime(uint64_t n)
{
    for (uint64_t p = 2; p < TRIAL && p <= n / p; p += p == 2 ? 1 : 2)
        if (n % p == 0)
            return 0;
    return n > 1 && is_prime_beyond_trial(n);
}

uint64_t stfi_largest_prime(uint64_t n)
{
    uint64_t prime[16];
    int power[16];
    int count = stfi_factorize(n, prime, power);
    return count > 0 ? prime[count - 1] : 1;
}

uint64_t stfi_primitive_root(uint64_t prime)
{
    uint64_t factor[16];
    int power[16];
    int count = stfi_factorize(prime - 1, factor, power);

    for (uint64_t g = 1;; g++) {
        int i = 0;
        while (i < count && stfi_powmod(g, (prime - 1) / factor[i], prime) != 1)
            i++;
        if (i == count && g % prime != 0)
            return g;
    }
}

uint64_t stfi_chirp_exponent(uint64_t j, uint64_t n)
{
    return stfi_mulmod(j, j, 2 * n);
}
