/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The tables of a pass on the CPU. */
#ifndef STFI_FFT_CPU_TABLES_H
#define STFI_FFT_CPU_TABLES_H

#include "backends/cpu/cpu_pass.h"
#include "fft/tables/convolution.h"

/* Makes the tables of a pass. `before` points to the `nbefore` earlier passes
 * of the same schedule; their chirps may be shared, so they must live as long.
 * `dft` transforms the kernels of convolutions; it may be NULL if no pass is a
 * convolution. Errors: MEMORY, and those of the transform. */
stf_status stfi_cpu_pass_create(const stfi_pass *p, stf_precision precision,
                                const stfi_cpu_pass *before, int nbefore,
                                const stfi_dft *dft, stfi_cpu_pass *cp);

/* Makes the tables of the convolution of a pass, and no others. Errors: as above. */
stf_status stfi_cpu_pass_create_conv(const stfi_pass *p,
                                     stf_precision precision,
                                     const stfi_dft *dft, stfi_cpu_pass *cp);

/* If the tables of `like` serve pass p, too, makes a pass that shares them and
 * returns 1; otherwise returns 0. */
int stfi_cpu_pass_borrow(const stfi_pass *p, const stfi_cpu_pass *like,
                         stfi_cpu_pass *cp);
void stfi_cpu_pass_destroy(stfi_cpu_pass *cp);

/* Returns the bytes that the tables of a pass take at least: those of the long
 * ones that it shares with no other pass. */
double stfi_cpu_pass_bytes(const stfi_pass *p, stf_precision precision);

/* Returns the sum of the bits of the tables by which a pass computes its results
 * (not of its checks' weights). */
uint64_t stfi_cpu_pass_bits(const stfi_cpu_pass *cp, stf_precision precision,
                            stfi_ft_bit_sum *add);

#endif
