/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compares number theory with definitions and with slower arithmetic. */
#include "math/numth.h"

#include <string.h>
#include <time.h>

#include "support/problem/problem.h"
#include "tests/tap.h"

enum { SIEVE = 20000 };

/* (a + b) mod m and (a * b) mod m without wider integers. */
static uint64_t slow_add(uint64_t a, uint64_t b, uint64_t m)
{
    return a >= m - b ? a - (m - b) : a + b;
}

static uint64_t slow_mul(uint64_t a, uint64_t b, uint64_t m)
{
    uint64_t sum = 0;

    for (a %= m; b; b >>= 1) {
        if (b & 1)
            sum = slow_add(sum, a, m);
        a = slow_add(a, a, m);
    }
    return sum;
}

static int gcd_is_right(void)
{
    uint64_t a, b, d, g;

    for (a = 0; a < 64; a++)
        for (b = 0; b < 64; b++) {
            for (g = 0, d = 1; d <= 64; d++)
                if (a % d == 0 && b % d == 0)
                    g = d;
            if (a + b && stfi_gcd(a, b) != g)
                return 0;
        }
    return stfi_gcd(UINT64_MAX, UINT64_MAX - 1) == 1
           && stfi_gcd(1ull << 63, 3ull << 40) == 1ull << 40;
}

static int mulmod_is_right(void)
{
    uint64_t state = tap_seed();
    int i;

    for (i = 0; i < 20000; i++) {
        uint64_t a = stfi_random_u64(&state), b = stfi_random_u64(&state);
        uint64_t m = stfi_random_u64(&state) >> (i % 60);
        if (m && stfi_mulmod(a, b, m) != slow_mul(a, b, m))
            return 0;
    }
    return 1;
}

static int powmod_is_right(void)
{
    uint64_t state = tap_seed(), m, a, e, i, want;

    for (m = 1; m < 40; m++)
        for (a = 0; a < 45; a++)
            for (want = 1 % m, e = 0; e < 20; e++) {
                if (stfi_powmod(a, e, m) != want)
                    return 0;
                want = want * a % m;
            }
    /* By Fermat's theorem, a^(p-1) = 1 modulo a prime p. */
    for (i = 0; i < 1000; i++) {
        a = stfi_random_u64(&state) % 1000002 + 1;
        if (stfi_powmod(a, 1000002, 1000003) != 1)
            return 0;
    }
    return 1;
}

static int primes_are_right(void)
{
    static char composite[SIEVE];
    uint64_t n, m;

    memset(composite, 0, sizeof composite);
    composite[0] = composite[1] = 1;
    for (n = 2; n < SIEVE; n++)
        for (m = 2 * n; !composite[n] && m < SIEVE; m += n)
            composite[m] = 1;
    for (n = 0; n < SIEVE; n++)
        if (!!stfi_is_prime(n) != !composite[n])
            return 0;
    return stfi_is_prime(1099511627689u) && stfi_is_prime(1048583)
           && !stfi_is_prime(1099511627776u)
           && !stfi_is_prime(1048573ull * 1048571);
}

static int factors_are_right(uint64_t n)
{
    uint64_t prime[16], product = 1;
    int power[16], count = stfi_factorize(n, prime, power), i, j;

    for (i = 0; i < count; i++) {
        if (!stfi_is_prime(prime[i]) || power[i] < 1
            || (i && prime[i] <= prime[i - 1]))
            return 0;
        for (j = 0; j < power[i]; j++)
            product *= prime[i];
    }
    return product == n
           && stfi_largest_prime(n) == (count ? prime[count - 1] : 1);
}

static int factorizations_are_right(void)
{
    uint64_t state = tap_seed(), n;
    int i;

    for (n = 1; n < 5000; n++)
        if (!factors_are_right(n))
            return 0;
    for (i = 0; i < 200; i++)
        if (!factors_are_right(1 + (stfi_random_u64(&state) >> (24 + i % 30))))
            return 0;
    /* A number of 64 bits has at most 15 distinct prime factors. */
    return factors_are_right(614889782588491410ull)
           && factors_are_right(1ull << 63)
           && factors_are_right(12157665459056928801ull);
}

/* Composite numbers that are hard to tell from primes: strong pseudoprimes to
 * the first 4, 7 and 9 primes as bases, a Carmichael number, and squares of
 * primes. */
static int pseudoprimes_are_found(void)
{
    static const uint64_t composite[] = {3215031751u,
                                         341550071728321u,
                                         3825123056546413051u,
                                         9746347772161u,
                                         4611686014132420609u,
                                         65521ull * 65521,
                                         4294967291ull * 4294967291};
    static const uint64_t primes[] = {65521,
                                      65537,
                                      2147483647,
                                      4294967291u,
                                      9007199254740881u,
                                      9223372036854775783u,
                                      18446744073709551557u};
    size_t i;

    for (i = 0; i < sizeof composite / sizeof *composite; i++)
        if (stfi_is_prime(composite[i]) || !factors_are_right(composite[i]))
            return 0;
    for (i = 0; i < sizeof primes / sizeof *primes; i++)
        if (!stfi_is_prime(primes[i]) || !factors_are_right(primes[i]))
            return 0;
    return 1;
}

static uint64_t random_prime(uint64_t *state, int bits)
{
    uint64_t p = (stfi_random_u64(state) >> (64 - bits)) | 1;

    while (!stfi_is_prime(p))
        p += 2;
    return p;
}

/* Products of two primes take longest, but planners may ask for them: 10 ms
 * each on average of the processor's time. */
static int factoring_is_fast(void)
{
    uint64_t state = tap_seed(), prime[16];
    enum { COUNT = 50 };
    int power[16], i;
    clock_t spent = 0;

    for (i = 0; i < COUNT; i++) {
        uint64_t p = random_prime(&state, 31), q = random_prime(&state, 31);
        clock_t start = clock();
        int count = stfi_factorize(p * q, prime, power);

        spent += clock() - start;
        if (count != 1 + (p != q) || prime[0] != (p < q ? p : q)
            || prime[count - 1] != (p < q ? q : p))
            return 0;
    }
    tap_diag("%.3f ms for each product of two primes of 31 bits",
             1e3 * (double)spent / CLOCKS_PER_SEC / COUNT);
    return (double)spent / CLOCKS_PER_SEC < 0.01 * COUNT;
}

/* The order of g modulo p, found by counting. */
static uint64_t order_of(uint64_t g, uint64_t p)
{
    uint64_t x = g % p, order = 1;

    while (x != 1 && order < p) {
        x = x * g % p;
        order++;
    }
    return order;
}

static int roots_are_right(void)
{
    uint64_t p, g, root;

    for (p = 2; p < 1100; p++) {
        if (!stfi_is_prime(p))
            continue;
        root = stfi_primitive_root(p);
        for (g = 1; g < root; g++)
            if (order_of(g, p) == p - 1)
                return 0;
        if (order_of(root, p) != p - 1)
            return 0;
    }
    return order_of(stfi_primitive_root(65521), 65521) == 65520
           && order_of(stfi_primitive_root(1048583), 1048583) == 1048582;
}

/* Successive exponents differ by odd numbers: (j+1)^2 = j^2 + 2j + 1. */
static int chirp_steps(uint64_t j, uint64_t n, int steps)
{
    uint64_t e = slow_mul(j, j, 2 * n);

    for (; steps > 0; steps--, j++) {
        if (stfi_chirp_exponent(j, n) != e)
            return 0;
        e = slow_add(e, slow_add(j % (2 * n), (j + 1) % (2 * n), 2 * n), 2 * n);
    }
    return 1;
}

static int chirps_are_right(void)
{
    uint64_t state = tap_seed(), n;
    int i;

    for (n = 1; n < 300; n++)
        if (!chirp_steps(0, n, (int)(2 * n + 2)))
            return 0;
    for (i = 0; i < 2000; i++) {
        n = 1 + (stfi_random_u64(&state) >> (24 + i % 24));
        if (!chirp_steps(stfi_random_u64(&state) % n, n, 20))
            return 0;
    }
    /* Numbers at the ends of the promised range. */
    n = 1ull << 40;
    return chirp_steps(n - 10, n, 10) && chirp_steps(n - 10, n - 1, 9)
           && chirp_steps((1ull << 62) - 5, 1ull << 62, 4);
}

int main(void)
{
    static const struct {
        const char *what;
        int (*holds)(void);
    } rows[] = {
        {"greatest common divisors", gcd_is_right},
        {"products modulo m", mulmod_is_right},
        {"powers modulo m", powmod_is_right},
        {"primes against a sieve", primes_are_right},
        {"factors", factorizations_are_right},
        {"numbers that look like primes", pseudoprimes_are_found},
        {"factors of large numbers within 10 ms", factoring_is_fast},
        {"least primitive roots", roots_are_right},
        {"chirp exponents up to n = 2^62", chirps_are_right},
    };
    size_t i;

    tap_begin("numth");
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        tap_ok(rows[i].holds(), "%s", rows[i].what);
    return tap_end();
}
