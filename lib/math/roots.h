/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Roots of unity, exp(-2 pi i k/n), correct to the last bit in F32 and F64:
 * the argument is reduced to an eighth of a turn in integers, so that no
 * large angle is ever rounded, and the values are made in long double. */
#ifndef STFI_MATH_ROOTS_H
#define STFI_MATH_ROOTS_H

#include "steadfast.h"

/* Computes one root, for any k and n from 1 to 2^60; takes about 100 ns. */
void stfi_root_l(uint64_t k, uint64_t n, long double *re_p, long double *im_p);

/* A source of many roots of one order. For F32 and F64, two tables of about
 * sqrt(n) entries are made once, and then a root takes some nanoseconds
 * (relative error of each component below 2^-62); for F80, stfi_root_l()
 * computes every root. */
typedef struct stfi_roots stfi_roots;

/* Makes a source of roots of order n. `uses` is about how many roots will be
 * asked for; a small number needs no tables. Errors: MEMORY. */
stf_status stfi_roots_create(uint64_t n, stf_precision precision, uint64_t uses,
                             stfi_roots **roots_p);
void stfi_roots_destroy(stfi_roots *roots);
void stfi_roots_get(const stfi_roots *roots, uint64_t k, long double *re_p,
                    long double *im_p);

#endif
