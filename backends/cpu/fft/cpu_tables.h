/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tables of a pass on the CPU. */
#ifndef STFI_FFT_CPU_TABLES_H
#define STFI_FFT_CPU_TABLES_H

#include "backends/cpu/cpu_pass.h"
#include "fft/tables/convolution.h"

/* Makes the tables of a pass; `before` are the passes of the same schedule
 * that are ready and will live as long. `dft` transforms the kernels of
 * convolutions; NULL serves where no pass is one. Errors: MEMORY, and those of
 * the transform. */
stf_status stfi_cpu_pass_create(const stfi_pass *p, stf_precision precision,
                                const stfi_cpu_pass *before, int nbefore,
                                const stfi_dft *dft, stfi_cpu_pass *cp);

/* Makes a pass with the tables of `like` and returns 1, if these are the same
 * for both; else 0. */
int stfi_cpu_pass_borrow(const stfi_pass *p, const stfi_cpu_pass *like,
                         stfi_cpu_pass *cp);
void stfi_cpu_pass_destroy(stfi_cpu_pass *cp);

#endif
