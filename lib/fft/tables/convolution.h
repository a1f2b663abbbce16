/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tables of transforms of prime and other awkward lengths, which are computed
 * as cyclic convolutions by Rader's or Bluestein's method: orders of elements,
 * chirps, and transformed kernels. They are the same for every backend; each
 * backend orders and packs them as its kernels read them.
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

/* A function that transforms n complex numbers forward and in place, unscaled,
 * in F64 or F80. Lengths of most convolutions have no prime factor above 13
 * (fft/factor.h), and need no convolution in turn. */
typedef struct stfi_dft {
    stf_status (*run)(void *arg, int64_t n, stf_precision precision,
                      void *data);
    void *arg;
} stfi_dft;

/* Computes Bluestein's chirp, exp(-pi i j^2/n) for j < n, into chirp[n]. */
stf_status stfi_table_chirp(int64_t n, stf_precision precision, void *chirp);

/* Returns the length of the convolution that a CONV pass computes, alone or
 * together with other passes. */
int64_t stfi_table_product_count(const stfi_pass *p);

/* Computes the transformed kernel of a CONV pass, divided by the convolution's
 * length, into product[stfi_table_product_count()]. `chirp` is the chirp of
 * p->signal in `precision` if the caller has it, else NULL. */
stf_status stfi_table_product(const stfi_pass *p, stf_precision precision,
                              const void *chirp, const stfi_dft *dft,
                              void *product);

/* Computes Rader's orders of elements, `prime` entries each: the place in the
 * tile of input element e, and that of output element e. With the least
 * primitive root g, input element g^q and output element g^-q are at place q;
 * element 0 of both has the last place, prime - 1. */
void stfi_table_rader(int64_t prime, uint32_t *load_pos, uint32_t *store_pos);

#endif
