/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weights of end-to-end checks that a device computes: the vectors in its
 * memory, and the workspace of such a check. */
#ifndef STFI_RUN_WEIGHTS_H
#define STFI_RUN_WEIGHTS_H

#include "ft/offline.h"
#include "run/device.h"

/* The most vectors of a plan's checks: main and padded form, both
 * directions. */
enum { STFI_MOST_WEIGHTS = 4 * STF_MAX_RANK };

/* The vectors in device memory, each of them once. All zero: none. */
typedef struct stfi_e2e_weights {
    int count;
    struct {
        const stfi_ft_vector *vector;
        void *e, *row; /* in device memory */
    } table[STFI_MOST_WEIGHTS];
} stfi_e2e_weights;

/* Uploads the check's weights, and replaces its pointers by device pointers,
 * which stay valid until stfi_e2e_weights_free(). Errors: MEMORY, DEVICE. */
stf_status stfi_e2e_weights_move(const stf_device *dev,
                                 stfi_e2e_weights *weights,
                                 stfi_ft_offline *check);
void stfi_e2e_weights_free(const stf_device *dev, stfi_e2e_weights *weights);

/* Returns the bytes of workspace that a check of transforms of a completed descriptor
 * needs. */
size_t stfi_e2e_desc_bytes(const stf_device *dev, const stf_fft_desc *full);

#endif
