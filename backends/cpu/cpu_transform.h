/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Transforms at plan time, through the library's own passes on the CPU. It is
 * handed down to those who make tables of convolutions, for any device:
 * cpu_backend.c and the GPUs' exec.c. */
#ifndef STFI_CPU_TRANSFORM_H
#define STFI_CPU_TRANSFORM_H

#include "fft/tables/convolution.h"

/* In F64 or F80, on one thread, with the widest vectors that there are
 * whatever STEADFAST_ISA says, so that tables are the same in every process on
 * a machine. Errors: MEMORY. Thread: any. */
extern const stfi_dft stfi_cpu_dft;

#endif
