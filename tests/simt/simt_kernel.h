/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Kernels of the emulated device. Their images are shared libraries. Thread:
 * one at a time for each kernel. */
#ifndef STFI_TESTS_SIMT_KERNEL_H
#define STFI_TESTS_SIMT_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "backends/gpu/host/device/gpu_rt.h"

enum { STFI_SIMT_NAME = 256 };

struct stfi_gpu_kernel {
    char name[STFI_SIMT_NAME];
    void *library;
    int file; /* keeps the path of the library valid */
    void (*entry)(const void *args);
    uint32_t max_threads;
    uint32_t shared_bytes;
};

/* Opens the library of an image. Close it by stfi_simt_kernel_close() in any
 * case. */
stf_status stfi_simt_kernel_open(stfi_gpu_kernel *k, const char *entry,
                                 const void *image, size_t bytes);

/* Finds the kernel's function in the library and connects the library with the
 * machine. Fails if it was compiled for waves of another number of threads. */
stf_status stfi_simt_kernel_enter(stfi_gpu_kernel *k, int32_t wave);

/* Closes what was opened; returns 1 if a library was. */
int stfi_simt_kernel_close(stfi_gpu_kernel *k);

#endif
