/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tile counters: where the blocks of a pass go from tile to tile, each draws
 * the number of its next tile from a counter, so that tiles are begun in the
 * order in which they lie in memory. The counters, one for each pass, are at
 * the end of the workspace. They are 0 before an execution, and each launch
 * leaves its counter at 0. Behind them is the signature of launches that have
 * one (kernels/protect/signature.h), which is cleared with them. */
#ifndef STFI_FFT_TILE_COUNTERS_H
#define STFI_FFT_TILE_COUNTERS_H

#include "backends/gpu/host/device/gpu_ctx.h"

/* All members are zero if no pass has a tile counter. */
typedef struct stfi_gpu_tile_counters {
    void *zeros;      /* zeros in device memory, to clear counters with */
    size_t bytes;     /* size of all counters, and of the signature */
    size_t drawn;     /* size of the counters if tiles are drawn, else 0 */
    size_t at;        /* their offset in the workspace */
    size_t signature; /* the signature's offset; 0: there is none */
} stfi_gpu_tile_counters;

/* Sets up counters that follow the `work_bytes` of buffers in the workspace,
 * which are a multiple of STFI_ALIGN. draws: some pass has a counter. Errors: MEMORY,
 * DEVICE. */
stf_status stfi_gpu_tile_counters_create(stfi_bctx *ctx, int npasses, int draws,
                                         int is_signed, size_t work_bytes,
                                         stfi_gpu_tile_counters *t);
void stfi_gpu_tile_counters_destroy(stfi_bctx *ctx, stfi_gpu_tile_counters *t);

/* Sets the counters that are drawn from to 0, after all earlier work of the stream;
 * signs: the signature, too. */
stf_status stfi_gpu_tile_counters_clear(const stfi_bctx *ctx,
                                        const stfi_gpu_tile_counters *t,
                                        int signs, void *work, void *stream);

/* The counter of pass i. */
unsigned *stfi_gpu_tile_counters_of(const stfi_gpu_tile_counters *t, void *work,
                                    int i);

#endif
