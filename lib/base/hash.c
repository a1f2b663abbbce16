/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* FNV-1a of 128 and of 64 bits; see hash.h. */
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The prime is 2^88 + PRIME_LOW. */
enum { PRIME_SHIFT = 88 - 64, PRIME_LOW = 0x13b };

stfi_hash stfi_hash_begin(void)
{
    stfi_hash h = {UINT64_C(0x6c62272e07bb0142), UINT64_C(0x62b821756295c58d)};
    return h;
}

/* h times the prime, modulo 2^128. What the product of the lower half by 9 bits
 * carries over comes from products of 32 by 9 bits, so that a step waits for one
 * product of 64 bits only. */
static stfi_hash times_prime(stfi_hash h)
{
    uint64_t lower = (h.low & UINT32_MAX) * PRIME_LOW;
    uint64_t upper = (h.low >> 32) * PRIME_LOW + (lower >> 32);
    stfi_hash product = {.low = h.low * PRIME_LOW};

    product.high = h.high * PRIME_LOW + (upper >> 32) + (h.low << PRIME_SHIFT);
    return product;
}

stfi_hash stfi_hash_add(stfi_hash h, const void *data, size_t bytes)
{
    const unsigned char *byte = data;

    for (size_t i = 0; i < bytes; i++) {
        h.low ^= byte[i];
        h = times_prime(h);
    }
    return h;
}

stfi_hash stfi_hash_add_text(stfi_hash h, const char *text)
{
    return stfi_hash_add(h, text, strlen(text) + 1);
}

int stfi_hash_equal(stfi_hash a, stfi_hash b)
{
    return a.high == b.high && a.low == b.low;
}

void stfi_hash_print(stfi_hash h, char text[STFI_HASH_TEXT_BYTES])
{
    snprintf(text, STFI_HASH_TEXT_BYTES, "%016" PRIx64 "%016" PRIx64, h.high,
             h.low);
}

uint64_t stfi_hash_text(const char *text)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return h;
}
