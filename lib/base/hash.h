/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Hashes: FNV-1a in its standard forms.
 *
 * The hash of 128 bits is for the names and checksums of the library's own
 * files. It needs no table and has published test vectors; every flipped bit
 * changes it. It is not cryptographic: it detects damage and differences, but
 * no forgery.
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

/* Return the hash of no bytes, and the hash after `bytes` more bytes than those
 * that were hashed before. Thread: any. */
stfi_hash stfi_hash_begin(void);
stfi_hash stfi_hash_add(stfi_hash h, const void *data, size_t bytes);

/* Adds a text including its NUL, so that ("ab", "c") and ("a", "bc") differ. */
stfi_hash stfi_hash_add_text(stfi_hash h, const char *text);

int stfi_hash_equal(stfi_hash a, stfi_hash b);

/* Writes 32 lower-case hexadecimal digits and a NUL. */
void stfi_hash_print(stfi_hash h, char text[STFI_HASH_TEXT_BYTES]);

/* Returns the 64-bit hash of a text without its NUL, to distinguish a small
 * number of texts. Thread: any. */
uint64_t stfi_hash_text(const char *text);

#endif
