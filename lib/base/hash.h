/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Hashes: FNV-1a in its standard forms.
 *
 * The one of 128 bits names and checks files of ours. It needs no table and
 * has published test vectors; every flipped bit changes it. It is no
 * cryptographic hash: it tells damage and difference, not a forger.
 *
 * Source: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV
 *         Non-Cryptographic Hash Algorithm", RFC 9923. */
#ifndef STFI_BASE_HASH_H
#define STFI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct stfi_hash {
    uint64_t high, low;
} stfi_hash;

enum { STFI_HASH_TEXT_BYTES = 33 };

/* The hash of no bytes, and that of what was hashed before and `bytes` more.
 * Thread: any. */
stfi_hash stfi_hash_begin(void);
stfi_hash stfi_hash_add(stfi_hash h, const void *data, size_t bytes);

/* Adds a text with its NUL, so that texts in a row stay apart. */
stfi_hash stfi_hash_add_text(stfi_hash h, const char *text);

int stfi_hash_equal(stfi_hash a, stfi_hash b);

/* 32 lower-case hexadecimal digits and a NUL. */
void stfi_hash_print(stfi_hash h, char text[STFI_HASH_TEXT_BYTES]);

/* The hash of 64 bits of a text without its NUL, to tell few texts apart.
 * Thread: any. */
uint64_t stfi_hash_text(const char *text);

#endif
