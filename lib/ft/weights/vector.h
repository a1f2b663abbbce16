/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Left vectors and rows of checksums, made once per length and kept.
 * e has `count` elements; its row r = e^T W has n. */
#ifndef STFI_WEIGHTS_VECTOR_H
#define STFI_WEIGHTS_VECTOR_H

#include <stdint.h>

#include "ft/weights/butterfly_network.h"

/* Which vector: of transforms of n points, over all outputs, or over the
 * n/2+1 of a half spectrum. precision: F32 or F64. `shape`: the network that
 * its e is optimised for; all zero where e is random. */
typedef struct stfi_ft_key {
    int64_t n;
    int half;
    stf_precision precision;
    stfi_network_shape shape;
} stfi_ft_key;

/* Complex numbers in the key's precision: e[count], row[n + 1], of which the
 * last repeats the first, so that element -i is at n - i. e is made of numbers
 * of eight bits (left_vector.h); row is made from that e, and rounded once. */
typedef struct stfi_ft_vector {
    stfi_ft_key key;
    int64_t count;
    void *e;
    void *row;
} stfi_ft_vector;

/* Vectors behind a lock. Those in use stay; of the others, what was used last,
 * up to STFI_FT_KEPT_BYTES. */
typedef struct stfi_ft_cache stfi_ft_cache;

enum { STFI_FT_KEPT_BYTES = 1 << 28 };

/* The vector of a pass with a check, or of a whole transform, whatever its
 * passes. */
stfi_ft_key stfi_ft_key_pass(const stfi_pass *p, stf_precision precision);
stfi_ft_key stfi_ft_key_whole(int64_t n, int half, stf_precision precision);

/* Errors: MEMORY. */
stf_status stfi_ft_cache_create(stfi_ft_cache **cache_p);
void stfi_ft_cache_destroy(stfi_ft_cache *cache);

/* A vector to be given back by stfi_ft_vector_release(). The first of its key
 * takes up to 0.4 s, 1 s for more than 4096 elements or long radices; later
 * ones take none.
 * Errors: MEMORY. Thread: any. */
stf_status stfi_ft_vector_get(stfi_ft_cache *cache, stfi_ft_key key,
                              const stfi_ft_vector **vector_p);

/* NULL is a no-op. Thread: any. */
void stfi_ft_vector_release(stfi_ft_cache *cache, const stfi_ft_vector *vector);

#endif
