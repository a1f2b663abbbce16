/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Left vectors and rows of checksums, made once per length and kept.
 * e has `count` elements; its row r = e^T W has n. */
#ifndef STFI_WEIGHTS_VECTOR_H
#define STFI_WEIGHTS_VECTOR_H

#include <stdint.h>

#include "ft/weights/butterfly_network.h"

/* Which vector: for transforms of n points, over all outputs or (half = 1) over
 * the n/2+1 of a half spectrum. precision: F32 or F64. shape: the network that
 * e is optimised for; all zero if e is random. real: a real to real kind, whose
 * matrix takes the place of W; else 0. axes: of a tile of several axes, their number
 * and lengths, by which W is a transform along each; else 0. second: 1 for another
 * vector of the same kind, whose least weights are those of other values. */
typedef struct stfi_ft_key {
    int64_t n;
    int axes;
    int64_t axis[STF_MAX_RANK];
    int half, second;
    stf_kind real;
    stf_precision precision;
    stfi_network_shape shape;
} stfi_ft_key;

/* Complex numbers in the key's precision: e[count] and row[n + 1]. The last
 * element of row repeats the first, so that element -i is at n - i. e consists
 * of numbers of eight bits (left_vector.h); row is computed from that e, and
 * rounded once. */
typedef struct stfi_ft_vector {
    stfi_ft_key key;
    int64_t count;
    void *e;
    void *row;
} stfi_ft_vector;

/* A cache of vectors, protected by a lock. Vectors in use stay in it; of the
 * others it keeps the most recently used ones, up to STFI_FT_KEPT_BYTES in
 * total. */
typedef struct stfi_ft_cache stfi_ft_cache;

enum { STFI_FT_KEPT_BYTES = 1 << 28 };

/* Return the key of the vector for a pass with a check, for a whole transform,
 * which does not depend on its passes, and for a whole one of a real to real
 * kind. A pass of an FFT or a
 * convolution that has an optimised vector (shape.tile > 0) may have a real one:
 * set shape.axis. In an FFT of a power of two, shape.real may be set too:
 * constraint.h says which elements are imaginary then. Such vectors are stored
 * like others. */
stfi_ft_key stfi_ft_key_pass(const stfi_pass *p, stf_precision precision);
stfi_ft_key stfi_ft_key_whole(int64_t n, int half, stf_precision precision);
stfi_ft_key stfi_ft_key_real(int64_t n, stf_kind kind, stf_precision precision);

/* Errors: MEMORY. */
stf_status stfi_ft_cache_create(stfi_ft_cache **cache_p);
void stfi_ft_cache_destroy(stfi_ft_cache *cache);

/* Gets a vector, which must be given back by stfi_ft_vector_release(). The
 * first call with a shape takes up to 0.4 s, or 1 s with more than 4096 elements
 * or long radices, unless another cache or program has made e (shared.h,
 * store.h); later calls with the key find the vector in the cache. Errors:
 * MEMORY. Thread: any. */
stf_status stfi_ft_vector_get(stfi_ft_cache *cache, stfi_ft_key key,
                              const stfi_ft_vector **vector_p);

/* NULL is a no-op. Thread: any. */
void stfi_ft_vector_release(stfi_ft_cache *cache, const stfi_ft_vector *vector);

#endif
