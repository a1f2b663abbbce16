/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks from input to output that the device does itself: sums over its
 * arrays, verdicts and findings. */
#ifndef STFI_BACKEND_E2E_OPS_H
#define STFI_BACKEND_E2E_OPS_H

#include "backend/device_ops.h"

struct stfi_ft_offline;
typedef struct stfi_ft_ledger stfi_ft_ledger;
typedef struct stfi_e2e_exec stfi_e2e_exec; /* a check made ready to run */

/* A check in one direction, of all transforms of the batch. The weights of
 * `check` are in device memory: e as words of two numbers of sixteen bits each
 * (bfloat16), the first in the lower half; rows as complex numbers. */
typedef struct stfi_e2e_desc {
    const struct stfi_ft_offline *check;
    stf_precision precision;
    int64_t batch;
    int64_t dist[2]; /* of the input, the output; in reals */
    int correct;
} stfi_e2e_desc;

typedef struct stfi_e2e_ops {
    /* Errors: MEMORY, DEVICE, COMPILE. */
    stf_status (*create)(stfi_bctx *, const stfi_e2e_desc *,
                         stfi_e2e_exec **exec_p);
    void (*destroy)(stfi_bctx *, stfi_e2e_exec *);
    /* Bytes of workspace, of inputs and outputs of so many elements at
     * most. */
    size_t (*bytes)(int64_t elements, int64_t batch);
    /* Each puts one step on the stream and neither waits, allocates nor
     * locks; `work` holds the bytes above. First input(); then the
     * executable's launch and output(), `execution` 0, and, if the input is
     * not overwritten, both again as gate() says, once or twice; then
     * conclude(), which notes what was found. */
    stf_status (*input)(const stfi_e2e_exec *, const void *in, void *work,
                        void *stream);
    stf_status (*output)(const stfi_e2e_exec *, const void *out, void *work,
                         int execution, void *stream);
    stf_status (*conclude)(const stfi_e2e_exec *, void *work, int repeatable,
                           int64_t first_signal, void *stream);
    /* The word that holds back an execution > 0 (stfi_buffers: gate). */
    const void *(*gate)(const stfi_e2e_exec *, void *work, int execution);
    /* As the ledger of an executable (fft_ops.h). */
    stf_status (*ledger)(stfi_e2e_exec *, int reset, stfi_ft_ledger *ledger_p);
} stfi_e2e_ops;

#endif
