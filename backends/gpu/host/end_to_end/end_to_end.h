/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* End-to-end checks on a GPU: kernels make the sums and the verdicts; what they
 * find stays in device memory. */
#ifndef STFI_END_TO_END_END_TO_END_H
#define STFI_END_TO_END_END_TO_END_H

#include "backend/e2e_ops.h"
#include "backends/gpu/host/fft/spec.h"
#include "ft/offline.h"

/* The kernels: the first three sum elements that are complex, real, or half of
 * a spectrum. FOLD adds up partial sums, and CONCLUDE makes the verdicts. */
typedef enum stfi_e2e_kernel {
    STFI_E2E_COMPLEX,
    STFI_E2E_REAL,
    STFI_E2E_HALF,
    STFI_E2E_FOLD,
    STFI_E2E_CONCLUDE,
    STFI_E2E_KERNELS
} stfi_e2e_kernel;

/* Variants of the kernels of sums. packed: weights are left vectors, in the
 * packed form of the output side, not rows; one_axis: transforms of rank 1; together:
 * how many transforms a block takes at once, 1 but of long ones. */
typedef struct stfi_e2e_form {
    int packed, one_axis, together;
} stfi_e2e_form;

/* What an execution launches. */
typedef enum stfi_e2e_launch {
    STFI_E2E_SUMS_IN,
    STFI_E2E_SUMS_OUT,
    STFI_E2E_ADDS_UP,
    STFI_E2E_JUDGES,
    STFI_E2E_LAUNCHES
} stfi_e2e_launch;

/* Where the batch has the smallest stride, neighbouring threads read the same
 * element of so many neighbouring transforms. */
enum { STFI_E2E_ACROSS = 8 };

/* Returns the elements of a transform on one side. */
int64_t stfi_gpu_e2e_elements(const stfi_ft_side *side);

/* Returns how many transforms of a side, which are `dist` reals apart, a block takes at
 * once; whether neighbouring threads take neighbouring transforms (1); and how many
 * neighbours along the last axis go by one pack. See kernels/end_to_end/elements.h. */
int stfi_gpu_e2e_together(const stfi_ft_side *side, int64_t dist, int64_t batch,
                          stf_precision precision);
int stfi_gpu_e2e_is_across(const stfi_ft_side *side, int64_t dist,
                           int64_t batch);
int stfi_gpu_e2e_pack(const stfi_ft_side *side);

/* Returns the launch of any of these kernels. */
stfi_gpu_launch stfi_gpu_e2e_launch(uint32_t blocks);

/* Writes the name, config.h and launch of a kernel. Errors: INTERNAL.
 * Thread: any. */
stf_status stfi_gpu_e2e_spec(stfi_e2e_kernel kernel, stfi_e2e_form form,
                             stf_precision precision, const stfi_caps *caps,
                             stfi_gpu_spec *spec_p);

/* The same for what a check launches. */
stf_status stfi_gpu_e2e_spec_of(const stfi_e2e_desc *of, stfi_e2e_launch what,
                                const stfi_caps *caps, stfi_gpu_spec *spec_p);

extern const stfi_e2e_ops stfi_gpu_e2e_table;

#endif
