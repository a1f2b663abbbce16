/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tickets: where the blocks of a pass go from tile to tile, each draws the
 * number of its next one, so that tiles are begun in the order in which they
 * lie in memory. A counter for each pass, behind the buffers of the workspace,
 * is 0 before an execution, and again after each launch. */
#ifndef STFI_FFT_TILE_COUNTERS_H
#define STFI_FFT_TILE_COUNTERS_H

#include "backends/gpu/host/device/gpu_ctx.h"

/* All zero: no pass draws any. */
typedef struct stfi_gpu_tile_counters {
    void *zeros;  /* in device memory */
    size_t bytes; /* of all counters */
    size_t at;    /* in the workspace */
} stfi_gpu_tile_counters;

/* Counters behind so many bytes of workspace, of which buffers take multiples
 * of STFI_ALIGN. Errors: MEMORY, DEVICE. */
stf_status stfi_gpu_tile_counters_create(stfi_bctx *ctx, int npasses,
                                         size_t work_bytes,
                                         stfi_gpu_tile_counters *t);
void stfi_gpu_tile_counters_destroy(stfi_bctx *ctx, stfi_gpu_tile_counters *t);

/* Sets them to 0, in order after earlier work of the stream. */
stf_status stfi_gpu_tile_counters_clear(const stfi_bctx *ctx,
                                        const stfi_gpu_tile_counters *t,
                                        void *work, void *stream);

/* The counter of pass i. */
unsigned *stfi_gpu_tile_counters_of(const stfi_gpu_tile_counters *t, void *work,
                                    int i);

#endif
