/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Shapes of tiles that were measured to be faster than the model's, by device: rows of
 * tuned/<device>.def, which `steadfast tune --shapes` prints. A row is for tiles with
 * the same length, or lengths of several axes, and the same traits, whatever transform
 * they belong to, in passes that have work for all of the device. It names a shape by
 * its radices and threads, so that it stays true, or is ignored, when the model changes.
 * Pure functions. Thread: any. */
#ifndef STFI_FFT_GPU_TUNED_H
#define STFI_FFT_GPU_TUNED_H

#include "fft/gpu_shape.h"

enum { STFI_TUNED_TEXT = 128 };

typedef struct stfi_tuned_shape {
    const char *device;  /* a name of presets.def */
    const char *lengths; /* of a lane: "832", or of several axes "13x64" */
    uint32_t traits;
    int threads;         /* of a lane */
    const char *radices; /* such as "8x5x7", as kernels run them */
} stfi_tuned_shape;

/* Returns all of a tile but its lengths that decides which shape is fast, as bits. */
uint32_t stfi_gpu_tile_traits(const stfi_gpu_tile *tile);

/* Returns the row of a tile, or NULL. */
const stfi_tuned_shape *stfi_gpu_tuned_find(const stfi_gpu_tile *tile,
                                            const stfi_caps *caps);

/* Moves the shape that a row names to the front of a list, if it is there. The radices
 * of the list are as kernels run them; the row may be NULL. */
void stfi_gpu_tuned_put_first(const stfi_tuned_shape *row,
                              stfi_gpu_shape *shape, int count);

/* Prints the row of a table for a pass of a schedule; "" if the pass has no shape. */
void stfi_gpu_tuned_print(const stfi_pass *p, char text[STFI_TUNED_TEXT]);

#endif
