/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What is loaded of a code object, an ELF file of one architecture, and how its
 * kernels start; backends/hip/codeobj.h has what they need.
 * Source: LLVM, User Guide for AMDGPU Backend, "Code Object", "Kernel
 * Descriptor". */
#ifndef STFI_TESTS_ISA_OBJECT_H
#define STFI_TESTS_ISA_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "steadfast.h"

/* How a wave starts. */
typedef struct isa_start {
    uint64_t entry;      /* address of the first instruction */
    uint32_t resources;  /* the descriptor's second word of resources */
    uint32_t properties; /* which addresses are in scalar registers */
    uint32_t preload;    /* arguments that are loaded into registers */
} isa_start;

/* Reads a kernel's descriptor. Errors: ARGUMENT (no such kernel). */
stf_status isa_object_start(const void *image, size_t bytes, const char *entry,
                            isa_start *start_p);

/* The number of bytes that the object takes once loaded; 0: no object. */
uint64_t isa_object_size(const void *image, size_t bytes);

/* Copies what is loaded to `to`, of isa_object_size() bytes, filled with
 * zeros. */
void isa_object_load(const void *image, size_t bytes, void *to);

#endif
