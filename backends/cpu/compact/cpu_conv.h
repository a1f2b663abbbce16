/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compact transforms of lengths with a large prime factor: Rader's or Bluestein's
 * cyclic convolution of m points, whose transforms have the steps of cpu_compact.h.
 * Passes compute such rows in lanes, of which a single one would fill one. */
#ifndef STFI_CPU_CONV_H
#define STFI_CPU_CONV_H

#include "fft/tables/convolution.h"

struct stfi_cpu_pass;

typedef struct stfi_cpu_conv {
    int64_t n, m; /* points of the transform, and of the convolution */
    /* Rader: the input element at place q, and the output element. Bluestein:
     * NULL. */
    uint32_t *load, *store;
    void *
        chirp; /* Bluestein: [re, im][n], each with room for a vector behind it */
    void *product; /* the kernel's spectrum / m: [re, im][m], in the same way */
} stfi_cpu_conv;

/* Where tables come from: passes that may have them, and a transform to make others. */
typedef struct stfi_cpu_conv_from {
    const struct stfi_cpu_pass *pass;
    int count;
    const stfi_dft *dft;
} stfi_cpu_conv_from;

/* Returns the length of the cheapest convolution for n points, and its method. */
int64_t stfi_cpu_conv_length(int64_t n, stfi_conv *method_p);

/* Makes the tables for vectors of so many lanes. Errors: MEMORY, and those of the
 * transform. */
stf_status stfi_cpu_conv_make(int64_t n, stf_precision precision, int lanes,
                              const stfi_cpu_conv_from *from,
                              stfi_cpu_conv **conv_p);
void stfi_cpu_conv_free(stfi_cpu_conv *v);

#endif
