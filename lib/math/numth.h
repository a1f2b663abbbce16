/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Number theory in exact 64-bit arithmetic. Thread: any. */
#ifndef STFI_MATH_NUMTH_H
#define STFI_MATH_NUMTH_H

#include <stdint.h>

uint64_t stfi_gcd(uint64_t a, uint64_t b);

/* a * b mod m, a^e mod m for any 64-bit operands, m >= 1. */
uint64_t stfi_mulmod(uint64_t a, uint64_t b, uint64_t m);
uint64_t stfi_powmod(uint64_t a, uint64_t e, uint64_t m);

/* 1 if n is prime; exact (trial division, meant for n <= 2^40). */
int stfi_is_prime(uint64_t n);

/* Prime factors of n >= 1 in rising order with their powers; returns how
 * many. 16 places suffice for 64 bits. */
int stfi_factorize(uint64_t n, uint64_t *prime, int *power);

/* Largest prime factor; 1 for n = 1. */
uint64_t stfi_largest_prime(uint64_t n);

/* The least primitive root of a prime. */
uint64_t stfi_primitive_root(uint64_t prime);

/* j*j mod 2n, the exponent of Bluestein's chirp exp(-pi i j^2/n), for
 * j < 2^63 and n <= 2^62. Source: [Govindaraju2008], section IV.E. */
uint64_t stfi_chirp_exponent(uint64_t j, uint64_t n);

#endif
