/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A GPU of AMD that executes machine code: a driver that fills the table of
 * gpu_rt.h, and a device made of it and of clang.h's compiler. Blocks run one
 * after the other; with stfi_isa_set_twice() every launch runs twice, in
 * opposite orders, and fails if the results differ.
 *
 * The host can reach device memory only by copies; new memory is filled with
 * NaNs. Thread: one at a time. */
#ifndef STFI_TESTS_ISA_DEVICE_H
#define STFI_TESTS_ISA_DEVICE_H

#include "backend/backend.h"
#include "backends/gpu/host/device/gpu_rt.h"

extern const stfi_gpu_rt stfi_isa_rt;
extern const stfi_backend stfi_isa_backend;

/* The reason why nothing can be executed here (there is no clang, or no
 * llvm-objdump), or NULL. */
const char *stfi_isa_missing(void);

/* Opens a device with these limits, whose code is for "gfx90a" or "gfx942".
 * Errors: MEMORY. */
stf_status stfi_isa_device_open(const stfi_caps *caps, const char *arch,
                                stf_device **dev_p);

/* 1: launches run twice from now on. */
void stfi_isa_set_twice(int twice);

/* What this process has executed so far. */
typedef struct stfi_isa_counts {
    long kernels; /* loaded */
    long launches;
    long instructions; /* of waves */
    long stack_bytes;  /* that any thread has used of its stack since the last
                          stfi_isa_forget_stacks() */
} stfi_isa_counts;

stfi_isa_counts stfi_isa_count(void);
void stfi_isa_forget_stacks(void);

#endif
