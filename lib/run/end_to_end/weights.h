/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks from input to output where a device sums up: their weights in its
 * memory, and what its backend is to know of them (stfi_e2e_ops). */
#ifndef STFI_RUN_WEIGHTS_H
#define STFI_RUN_WEIGHTS_H

#include "ft/offline.h"
#include "run/device.h"

/* Vectors of checks, main and padded, in both directions. */
enum { STFI_MOST_WEIGHTS = 4 * STF_MAX_RANK };

/* Each vector is there once. All zero: none. */
typedef struct stfi_e2e_weights {
    int count;
    struct {
        const stfi_ft_vector *vector;
        void *e, *row; /* of the device */
    } table[STFI_MOST_WEIGHTS];
} stfi_e2e_weights;

/* Points the check's weights at device memory, which holds until
 * stfi_e2e_weights_free(). Errors: MEMORY, DEVICE. */
stf_status stfi_e2e_weights_move(const stf_device *dev,
                                 stfi_e2e_weights *weights,
                                 stfi_ft_offline *check);
void stfi_e2e_weights_free(const stf_device *dev, stfi_e2e_weights *weights);

/* The check of transforms of a completed descriptor. */
stfi_e2e_desc stfi_e2e_desc_of(const stf_fft_desc *full,
                               const stfi_ft_offline *check);

/* Bytes of work that it takes. */
size_t stfi_e2e_desc_bytes(const stf_device *dev, const stf_fft_desc *full);

#endif
