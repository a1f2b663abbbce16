/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Number theory; see numth.h. */
#include "math/numth.h"

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

int stfi_factorize(uint64_t n, uint64_t *prime, int *power)
{
    int count = 0;
    for (uint64_t p = 2; p <= n / p; p += p == 2 ? 1 : 2) {
        if (n % p != 0)
            continue;
        prime[count] = p;
        power[count] = 0;
        for (; n % p == 0; n /= p)
            power[count]++;
        count++;
    }
    if (n > 1) {
        prime[count] = n;
        power[count++] = 1;
    }
    return count;
}

int stfi_is_prime(uint64_t n)
{
    uint64_t prime[16];
    int power[16];
    return stfi_factorize(n, prime, power) == 1 && power[0] == 1;
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
