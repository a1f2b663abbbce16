/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Makes and clears tile counters; see tile_counters.h. */
#include "backends/gpu/host/fft/tile_counters.h"

#include <stddef.h>

#include "backends/gpu/kernels/fft/args.h"

/* As much as is ever cleared. */
typedef struct cleared {
    unsigned counter[STFI_MAX_PASSES];
    stfk_signature signature;
} cleared;

stf_status stfi_gpu_tile_counters_create(stfi_bctx *ctx, int npasses, int draws,
                                         int is_signed, size_t work_bytes,
                                         stfi_gpu_tile_counters *t)
{
    static const cleared zeros[1];
    stf_status status;

    t->bytes =
        is_signed ? sizeof *zeros : (size_t)npasses * sizeof *zeros->counter;
    t->drawn = draws ? (size_t)npasses * sizeof *zeros->counter : 0;
    t->at = work_bytes;
    t->signature = is_signed ? work_bytes + offsetof(cleared, signature) : 0;
    status = ctx->rt->mem_alloc(ctx->dev, t->bytes, &t->zeros);
    return status != STF_OK ? status
                            : ctx->rt->copy(ctx->dev, t->zeros, zeros, t->bytes,
                                            STFI_TO_DEVICE, NULL);
}

void stfi_gpu_tile_counters_destroy(stfi_bctx *ctx, stfi_gpu_tile_counters *t)
{
    ctx->rt->mem_free(ctx->dev, t->zeros);
    t->zeros = NULL;
}

stf_status stfi_gpu_tile_counters_clear(const stfi_bctx *ctx,
                                        const stfi_gpu_tile_counters *t,
                                        int signs, void *work, void *stream)
{
    const size_t bytes = signs ? t->bytes : t->drawn;

    return bytes == 0
               ? STF_OK
               : ctx->rt->copy_async(ctx->dev, (char *)work + t->at, t->zeros,
                                     bytes, STFI_ON_DEVICE, stream);
}

unsigned *stfi_gpu_tile_counters_of(const stfi_gpu_tile_counters *t, void *work,
                                    int i)
{
    return (unsigned *)((char *)work + t->at) + i;
}
