/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Random data of many distributions for the transforms of a batch. */
#ifndef STFI_INJECT_DRAW_H
#define STFI_INJECT_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include "steadfast.h"

/* What the data of one transform are drawn from. */
typedef struct stfi_draw {
    uint64_t seed;
    int distribution;
} stfi_draw;

/* Bytes of the input of one transform, packed. */
size_t stfi_draw_bytes(const stf_fft_desc *full);

/* Draws the input of the batch, packed and in the layout of the descriptor. */
void stfi_draw_batch(const stf_fft_desc *full, const stfi_draw *draw,
                     int threads, void *packed, void *array);

#endif
