/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Number theory in exact 64-bit arithmetic. Thread: any. */
#ifndef STFI_MATH_NUMTH_H
#define STFI_MATH_NUMTH_H

#include <stdint.h>

uint64_t stfi_gcd(uint64_t a, uint64_t b);

/* Return a * b mod m and a^e mod m, for any 64-bit operands, m >= 1. */
uint64_t stfi_mulmod(uint64_t a, uint64_t b, uint64_t m);
uint64_t stfi_powmod(uint64_t a, uint64_t e, uint64_t m);

/* Returns 1 if n is prime. It is exact, as all of this, and takes less than a
 * millisecond, as does a factorization on average; the longest ones, of numbers
 * of two primes of 32 bits, take a few. */
int stfi_is_prime(uint64_t n);

/* Finds the prime factors of n >= 1, in rising order, and their powers; returns
 * how many there are. Arrays of 16 entries suffice for 64 bits. */
int stfi_factorize(uint64_t n, uint64_t *prime, int *power);

/* Returns the largest prime factor, or 1 for n = 1. */
uint64_t stfi_largest_prime(uint64_t n);

/* Returns the least primitive root of a prime. */
uint64_t stfi_primitive_root(uint64_t prime);

/* Returns j*j mod 2n, the exponent of Bluestein's chirp exp(-pi i j^2/n), for j
 * < 2^63 and n <= 2^62. Source: [Govindaraju2008], section IV.E. */
uint64_t stfi_chirp_exponent(uint64_t j, uint64_t n);

#endif
