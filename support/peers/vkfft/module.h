/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What peer_vkfft.c finds in the module with VkFFT, which is opened at run time:
 * VkFFT is a header, and needs CUDA's headers and libraries. problem.c makes its
 * problems. */
#ifndef STFI_PEERS_VKFFT_MODULE_H
#define STFI_PEERS_VKFFT_MODULE_H

#include <stdint.h>

#include "steadfast.h"

/* A forward transform of packed arrays on a device. */
typedef struct stfi_vkfft_problem {
    int device;
    int rank;
    int64_t n[3]; /* the axis of neighbours first */
    int64_t batch;
    int component_bytes; /* 2: F16, computed in F32; 4, 8 */
    int dct;             /* type 1 to 4; 0: none */
    int dst;
    void *in, *out; /* the same: in place */
} stfi_vkfft_problem;

/* What make() and execute() return: 0, or a code of VkFFT, or minus a code of
 * CUDA's driver. */
typedef struct stfi_vkfft_module {
    int has_dst;
    int has_half;
    int (*make)(const stfi_vkfft_problem *problem, void **plan_p);
    int (*execute)(void *plan, void *stream);
    void (*destroy)(void *plan);
} stfi_vkfft_module;

/* Fills in all but device and arrays, or refuses what VkFFT, its version or this
 * program lacks. */
stf_status stfi_vkfft_set_problem(const stfi_vkfft_module *module,
                                  const stf_fft_desc *full,
                                  stf_direction direction,
                                  stfi_vkfft_problem *problem_p);

/* The module's only symbol, a function that returns the table. */
#define STFI_VKFFT_SYMBOL "stfi_vkfft"
const stfi_vkfft_module *stfi_vkfft(void);

#endif
