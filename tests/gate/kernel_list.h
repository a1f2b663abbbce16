/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernels that tests compile without a GPU: those of the stock set
 * (backends/gpu/aot.def) and of odder problems (tests/unit/kernels.def), some
 * of them protected, and those of end-to-end checks. */
#ifndef STFI_GATE_KERNEL_LIST_H
#define STFI_GATE_KERNEL_LIST_H

#include "backends/gpu/host/fft/spec.h"

/* A kernel of the list. Problem, mode and pass identify it, whatever its entry
 * point is called. */
typedef struct stfi_listed {
    const char *preset, *arch;
    const char *problem; /* "c2c:f32:out:8*4096" or "end-to-end" */
    char mode[48];       /* "off", "gated", "two-sided", ... */
    int pass;            /* index of its pass in the schedule */
    const stfi_gpu_spec *spec;
} stfi_listed;

typedef void stfi_list_take(void *arg, const stfi_listed *kernel);

/* The problems of the list, by number; NULL past the end. */
const char *stfi_list_problem(int i);

/* Calls `take` for every kernel of problem i, planned for the preset: without
 * protection and, for one in so many problems, also protected by one scheme
 * after the other, or gated. The same kernel may be passed several times.
 * Errors: those of the planner. */
stf_status stfi_list_kernels(int i, const char *preset, const char *arch,
                             stfi_list_take *take, void *arg);

/* Does the same for the kernels of problem i with a checksum for each tile. */
stf_status stfi_list_protected(int i, const char *preset, const char *arch,
                               stfi_list_take *take, void *arg);

/* The matrix products of the list: every tile without matrix units, transposed or
 * not, checked or not. */
int stfi_list_product_count(void);

/* Does the same for the kernels of product i, if the device may take its tile. */
stf_status stfi_list_products(int i, const char *preset, const char *arch,
                              stfi_list_take *take, void *arg);

/* Does the same for the kernels of end-to-end checks. */
stf_status stfi_list_end_to_end(const char *preset, const char *arch,
                                stfi_list_take *take, void *arg);

#endif
