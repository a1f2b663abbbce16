/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* End-to-end checks that the device computes itself: sums over its arrays,
 * verdicts and findings. */
#ifndef STFI_BACKEND_E2E_OPS_H
#define STFI_BACKEND_E2E_OPS_H

#include "backend/device_ops.h"

struct stfi_ft_offline;
typedef struct stfi_ft_ledger stfi_ft_ledger;
typedef struct stfi_e2e_exec stfi_e2e_exec; /* a check made ready to run */

/* A check of all transforms of the batch in one direction. The weights of
 * `check` are in device memory: each element of e as a word of two bfloat16
 * numbers, the first in the lower half; rows as complex numbers. */
typedef struct stfi_e2e_desc {
    const struct stfi_ft_offline *check;
    stf_precision precision;
    int64_t batch;
    int64_t dist[2]; /* between transforms of the input and of the output, in
                        reals */
    int correct;
} stfi_e2e_desc;

/* Returns the description of a check for transforms of a completed
 * descriptor. */
stfi_e2e_desc stfi_e2e_desc_of(const stf_fft_desc *full,
                               const struct stfi_ft_offline *check);

typedef struct stfi_e2e_ops {
    /* Errors: MEMORY, DEVICE, COMPILE. */
    stf_status (*create)(stfi_bctx *, const stfi_e2e_desc *,
                         stfi_e2e_exec **exec_p);
    void (*destroy)(stfi_bctx *, stfi_e2e_exec *);
    /* Returns the bytes of workspace for inputs and outputs of at most
     * `elements` elements. */
    size_t (*bytes)(int64_t elements, int64_t batch);
    /* Each of these puts one step on the stream, and neither waits, allocates
     * nor locks; `work` holds the bytes above. The order is: input(); the
     * executable's launch and output() with `execution` 0; to correct, again(),
     * which sums up both arrays once more if some residual was not clean, `in`
     * being NULL if it was overwritten; if it was not, launch and output() again
     * once or twice, as gate() decides; then conclude(), which records what was
     * found. If the executable leaves a signature (stfi_fft_ops: signs_at), it is:
     * launch, judge(); to correct what is repeatable, out of place, the rest with
     * `execution` 1, which is held back unless the signature was wrong or a pass gave
     * up; conclude(). */
    stf_status (*judge)(const stfi_e2e_exec *, void *signs, void *work,
                        int repeatable, void *stream);
    stf_status (*input)(const stfi_e2e_exec *, const void *in, void *work,
                        int execution, void *stream);
    /* is_first: there are no sums of an earlier output. */
    stf_status (*output)(const stfi_e2e_exec *, const void *out, void *work,
                         int execution, int is_first, void *stream);
    stf_status (*again)(const stfi_e2e_exec *, const void *in, const void *out,
                        void *work, void *stream);
    stf_status (*conclude)(const stfi_e2e_exec *, void *work, int repeatable,
                           int64_t first_signal, void *stream);
    /* Returns the gate of an execution (stfi_buffers: gate). */
    void *(*gate)(const stfi_e2e_exec *, void *work, int execution);
    /* As ledger() of an executable (fft_ops.h). */
    stf_status (*ledger)(stfi_e2e_exec *, int reset, stfi_ft_ledger *ledger_p);
} stfi_e2e_ops;

#endif
