/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Transforms at plan time, by the library's own passes on the CPU. The code
 * that makes tables of convolutions takes them as an argument, for any device;
 * cpu_backend.c and the GPUs' exec.c pass them. */
#ifndef STFI_CPU_TRANSFORM_H
#define STFI_CPU_TRANSFORM_H

#include "fft/tables/convolution.h"

/* Transforms in F64 or F80 on one thread, with the preferred instruction set
 * of the processor. It ignores STEADFAST_ISA, so that tables are the same in
 * every process on a machine. Errors: MEMORY. Thread: any. */
extern const stfi_dft stfi_cpu_dft;

#endif
