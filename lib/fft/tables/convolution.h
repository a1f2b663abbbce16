/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tables of transforms of prime and other awkward lengths, which are computed
 * as cyclic convolutions by Rader's or Bluestein's method: orders of elements,
 * chirps, and transformed kernels. They are the same for every backend, which
 * orders and packs them as its own kernels read them.
 *
 * Roots of unity are made in long double from exactly reduced arguments and
 * rounded once. The kernel of a convolution is transformed in F80 for F80 and
 * in F64 else, by a transform that the caller supplies: these are pure
 * functions, which know neither planner nor backend.
 *
 * Source: [Govindaraju2008], section IV.E (Bluestein). Errors: MEMORY, and
 * those of the transform. Thread: any. */
#ifndef STFI_TABLES_CONVOLUTION_H
#define STFI_TABLES_CONVOLUTION_H

#include "fft/schedule.h"

/* Transforms n complex numbers forward and in place, unscaled, in F64 or F80.
 * Lengths of convolutions have no prime above 13 (fft/factor.h), so that this
 * one transform never needs a convolution itself. */
typedef struct stfi_dft {
    stf_status (*run)(void *arg, int64_t n, stf_precision precision,
                      void *data);
    void *arg;
} stfi_dft;

/* Bluestein's chirp, exp(-pi i j^2/n) for j < n, in chirp[n]. */
stf_status stfi_table_chirp(int64_t n, stf_precision precision, void *chirp);

/* The length of the convolution that a CONV pass is, or is a part of. */
int64_t stfi_table_product_count(const stfi_pass *p);

/* The transformed kernel of a CONV pass, divided by the convolution's length,
 * in product[stfi_table_product_count()]. `chirp` is the chirp of p->signal in
 * `precision` where the caller has it, or NULL. */
stf_status stfi_table_product(const stfi_pass *p, stf_precision precision,
                              const void *chirp, const stfi_dft *dft,
                              void *product);

/* Rader's orders of a prime's elements, `prime` entries each: the place in the
 * tile of input element e, and that of output element e. With g the least
 * primitive root, input element g^q is at place q and output element g^-q at
 * place q; element 0 of both has the last place, prime - 1. */
void stfi_table_rader(int64_t prime, uint32_t *load_pos, uint32_t *store_pos);

#endif
