/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Kernels as programs. Thread: one at a time for each kernel. */
#ifndef STFI_TESTS_ISA_ISA_KERNEL_H
#define STFI_TESTS_ISA_ISA_KERNEL_H

#include "backends/hip/codeobj.h"
#include "tests/isa/device.h"
#include "tests/isa/isa.h"

enum { ISA_NAME_BYTES = 256 };

struct stfi_gpu_kernel {
    char name[ISA_NAME_BYTES];
    isa_program program;
    stfi_codeobj info;
    isa_start start;
    unsigned char *image; /* as it is loaded */
    uint64_t image_bytes;
};

/* The reason why no code can be disassembled here, or NULL. */
const char *isa_objdump_missing(void);

/* Disassembles a code object and loads it. Errors: DEVICE (what is not known),
 * MEMORY, ARGUMENT. Close it in any case. */
stf_status isa_kernel_open(stfi_gpu_kernel *k, const void *image, size_t bytes,
                           const char *entry);
void isa_kernel_close(stfi_gpu_kernel *k);

/* Runs a grid, and adds what it has executed. Errors: DEVICE, MEMORY. */
stf_status isa_kernel_run(const stfi_gpu_kernel *k, const char *arch,
                          const stfi_simt_memory *memory,
                          const stfi_gpu_launch *launch, const void *args,
                          size_t args_bytes, int descending,
                          stfi_isa_counts *counts);

#endif
