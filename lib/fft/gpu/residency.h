/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How many blocks a GPU's multiprocessor holds at once: by registers, block
 * memory and threads. Pure functions. Thread: any. */
#ifndef STFI_GPU_RESIDENCY_H
#define STFI_GPU_RESIDENCY_H

#include "fft/gpu/config.h"

/* 32-bit registers of a multiprocessor. */
enum { STFI_GPU_UNIT_REGISTERS = 65536 };

/* Registers that a kernel needs that holds so many elements, about; `largest`
 * is its largest radix: odd ones keep sums and differences besides. */
int stfi_gpu_registers(int held, int largest, size_t real_bytes);

/* 1 if r is prime; for radices. */
int stfi_gpu_is_prime(int r);

/* 1 if the planner expects that a block of so many threads and bytes is alone,
 * so that nothing happens while its threads wait for each other; `twiddle`:
 * there are twiddles between passes. */
int stfi_gpu_is_alone(int64_t threads, int64_t bytes, int registers,
                      int twiddle, const stfi_caps *caps);

/* Blocks that the compiler may shape registers to: those that fit by
 * everything that the configuration says but `resident`. */
int stfi_gpu_resident(const stfi_gpu_config *c, int64_t shared_bytes,
                      const stfi_caps *caps);

#endif
