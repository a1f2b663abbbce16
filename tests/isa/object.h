/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Code objects of AMD GPUs: ELF files of one architecture.
 * Source: LLVM, User Guide for AMDGPU Backend, "Code Object", "Kernel
 * Descriptor", "Code Object V5 Metadata". */
#ifndef STFI_TESTS_ISA_OBJECT_H
#define STFI_TESTS_ISA_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "steadfast.h"

/* What a kernel of a code object takes and needs. */
typedef struct isa_kernel_info {
    int registers;     /* vector registers of a thread, of both kinds */
    int vector_spills; /* vector registers that are kept elsewhere */
    int scalar_spills;
    int scratch_bytes; /* of stack, per thread */
    int shared_bytes;  /* of static block memory */
    int wave;
    int args_bytes; /* of arguments, with the implicit ones */
} isa_kernel_info;

/* How a wave starts. */
typedef struct isa_start {
    uint64_t entry;      /* address of the first instruction */
    uint32_t resources;  /* the descriptor's second word of resources */
    uint32_t properties; /* which addresses are in scalar registers */
    uint32_t preload;    /* arguments that are loaded into registers */
} isa_start;

/* Reads what the metadata say of the only kernel of a code object. Errors:
 * ARGUMENT (no code object). */
stf_status isa_object_info(const void *image, size_t bytes,
                           isa_kernel_info *info_p);

/* Reads a kernel's descriptor. Errors: ARGUMENT (no such kernel). */
stf_status isa_object_start(const void *image, size_t bytes, const char *entry,
                            isa_start *start_p);

/* The number of bytes that the object takes once loaded; 0: no object. */
uint64_t isa_object_size(const void *image, size_t bytes);

/* Copies what is loaded to `to`, of isa_object_size() bytes, filled with
 * zeros. */
void isa_object_load(const void *image, size_t bytes, void *to);

#endif
