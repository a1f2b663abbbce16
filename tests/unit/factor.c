/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Splitting lengths: the factors of every split multiply to its length, all
 * radices are in the table, and the tile of every method is long enough. */
#include "fft/factor.h"

#include "math/numth.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

static int is_radix(int r)
{
    int i;

    for (i = 0; stfi_radix_at(i); i++)
        if (stfi_radix_at(i)->r == r)
            return 1;
    return 0;
}

static int table_rises(void)
{
    int i;

    for (i = 1; stfi_radix_at(i); i++)
        if (stfi_radix_at(i)->r <= stfi_radix_at(i - 1)->r
            || stfi_radix_at(i)->ops <= 0)
            return 0;
    return i > 10;
}

/* By definition, a length can be split if all its prime factors have rows. */
static int splits(int64_t n)
{
    uint64_t prime[16];
    int power[16], count = stfi_factorize((uint64_t)n, prime, power), i;

    for (i = 0; i < count; i++)
        if (prime[i] > 100000 || !is_radix((int)prime[i]))
            return 0;
    return 1;
}

static int stages_are_right(int64_t n)
{
    int radix[STFI_MAX_STAGES], i;
    double cost = -1;
    int stages = stfi_factor_stages(n, radix, &cost);
    int64_t product = 1;

    if (!!stfi_factor_direct(n) != splits(n) || (stages < 0) != !splits(n))
        return 0;
    if (stages < 0)
        return 1;
    for (i = 0; i < stages; i++) {
        if (!is_radix(radix[i]))
            return 0;
        product *= radix[i];
    }
    return product == n && cost >= 0 && (n > 1 || stages == 0)
           && stages <= STFI_MAX_STAGES
           && stfi_factor_stages(n, NULL, &cost) == stages;
}

static int small_lengths(void)
{
    int64_t n;

    for (n = 1; n <= 8192; n++)
        if (!stages_are_right(n)) {
            tap_diag("n = %lld", (long long)n);
            return 0;
        }
    return 1;
}

static int random_products(void)
{
    uint64_t state = tap_seed();
    int i, rows = 0;

    while (stfi_radix_at(rows))
        rows++;
    for (i = 0; i < 2000; i++) {
        int64_t n = 1, limit = (int64_t)1 << (8 + i % 33);
        for (;;) {
            int r =
                stfi_radix_at((int)(stfi_random_u64(&state) % (uint64_t)rows))
                    ->r;
            if (n > limit / r)
                break;
            n *= r;
        }
        if (!stages_are_right(n)) {
            tap_diag("n = %lld", (long long)n);
            return 0;
        }
    }
    return 1;
}

/* Rader's method is used for primes only, and only if p - 1 can be split. It
 * must be used if p - 1 has prime factors up to 13 only. */
static int rader_lengths(void)
{
    int64_t p;

    for (p = 3; p < 5000; p++) {
        int rader = !!stfi_factor_rader(p, 13);
        int prime = stfi_is_prime((uint64_t)p);
        int small = stfi_largest_prime((uint64_t)p - 1) <= 13;
        if (rader > (prime && splits(p - 1)) || rader < (prime && small)) {
            tap_diag("p = %lld", (long long)p);
            return 0;
        }
    }
    return stfi_factor_rader(65537, 13);
}

static int smooth_is_right(int64_t least)
{
    int64_t n = stfi_factor_smooth(least), power = 1, rest = n;
    static const int primes[] = {2, 3, 5, 7};
    int i;

    while (power < least)
        power *= 2;
    for (i = 0; i < 4; i++)
        while (rest % primes[i] == 0)
            rest /= primes[i];
    return n >= least && n <= power && (rest == 1 || rest == 11 || rest == 13);
}

static int smooth_lengths(void)
{
    uint64_t state = tap_seed();
    int64_t n;
    int i;

    for (n = 1; n <= 3000; n++)
        if (!smooth_is_right(n)) {
            tap_diag("at least %lld", (long long)n);
            return 0;
        }
    for (i = 0; i < 30; i++) {
        n = 1 + (int64_t)(stfi_random_u64(&state) >> (34 + i));
        if (!smooth_is_right(n)) {
            tap_diag("at least %lld", (long long)n);
            return 0;
        }
    }
    return 1;
}

static int tile_is_right(int64_t n)
{
    stfi_conv conv;
    int64_t tile;
    double cost = stfi_factor_tile(n, &conv, &tile);

    if (cost < 0 || !splits(tile))
        return 0;
    if (conv == STFI_CONV_NONE)
        return tile == n;
    if (conv == STFI_CONV_RADER)
        return tile == n - 1 && stfi_is_prime((uint64_t)n);
    return conv == STFI_CONV_BLUESTEIN && tile >= 2 * n - 1;
}

static int tiles(void)
{
    int64_t n;

    for (n = 1; n <= 4096; n++)
        if (!tile_is_right(n)) {
            tap_diag("n = %lld", (long long)n);
            return 0;
        }
    return 1;
}

int main(void)
{
    static const struct {
        const char *what;
        int (*holds)(void);
    } rows[] = {
        {"the radix table rises", table_rises},
        {"stages of every length to 8192", small_lengths},
        {"stages of products of radices to 2^40", random_products},
        {"where Rader's method applies", rader_lengths},
        {"lengths for convolutions", smooth_lengths},
        {"tiles of every length to 4096", tiles},
    };
    size_t i;

    tap_begin("factor");
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        tap_ok(rows[i].holds(), "%s", rows[i].what);
    return tap_end();
}
