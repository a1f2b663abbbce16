/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Which passes a descriptor lets matrix units compute, on a device that has them. */
#ifndef STFI_FFT_UNITS_H
#define STFI_FFT_UNITS_H

#include "fft/builder.h"

/* Returns what units multiply for the descriptor's precision. */
stfi_unit stfi_units_multiply(const stfi_builder *b);

/* Returns 1 if the pass may have stages on matrix units. The checks of single
 * butterflies need a thread that has all of one. */
int stfi_units_may_compute(const stfi_builder *b, const stfi_pass *p);

/* Returns 1 if units may take halves as memory has them. What checks sum up are
 * numbers that threads hold. */
int stfi_units_may_load(const stfi_builder *b, const stfi_pass *p);

/* Returns 1 if rows with such sides can stay halves from the load to the store, all of
 * whose stages run on matrix units. They may be longer than other rows. */
int stfi_units_have_rows(const stfi_builder *b, int64_t n,
                         const stfi_side *load, const stfi_side *store);

/* The same of a pass. */
int stfi_units_may_keep_halves(const stfi_builder *b, const stfi_pass *p);

#endif
