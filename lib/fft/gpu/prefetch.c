/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Which tiles prefetch; see prefetch.h. */
#include "fft/gpu/prefetch.h"

#include "device/tuning.h"

/* 1 if the elements of a row are one run of memory, in whatever order its reals
 * are. */
static int is_one_run(const stfi_gpu_config *c)
{
    return c->load_unit
           && (c->load_order == STFI_ORDER_NONE
                   ? c->load_adjoin
                   : c->load_whole && c->load_form != STFI_FORM_COMPLEX);
}

/* 1 if a tile is a row that is one run of memory, loaded when a block begins. */
static int loads_a_row(const stfi_gpu_config *c)
{
    return c->lanes == 1 && is_one_run(c) && !c->load_across
           && c->load_block == 0 && !c->load_limit && !c->load_rows
           && (c->op == STFI_OP_FFT || c->op == STFI_OP_R2C
               || c->op == STFI_OP_C2R)
           && c->conv == STFI_CONV_NONE
           && (c->unit_rows || (c->load_stored == c->real && c->matrix == 0));
}

/* 1 if a block computes one tile, and only that. */
static int is_one_tile(const stfi_gpu_config *c)
{
    return !c->persistent && !c->ahead && !c->from_memory
           && c->transactions == 1;
}

/* Unprotected tiles of which three fit, of complex elements two, keep memory busy. */
static int is_idle(const stfi_gpu_config *c)
{
    return c->check || c->resident <= (c->op == STFI_OP_FFT ? 1 : 2);
}

/* There have to be tiles that start when others end. Rows of all multiprocessors and of
 * the tiles to come have to fit the cache beside what is stored. Only devices whose
 * blocks form clusters have a bulk prefetch. */
int stfi_gpu_prefetches(const stfi_gpu_config *c, int64_t tiles,
                        const stfi_caps *caps)
{
    const stfi_tuning *t = stfi_tuning_of(caps);
    const stfi_type *stored = stfi_type_get((stf_precision)c->load_stored);
    const int64_t bytes = 2 * c->n * (int64_t)stored->bytes;

    return caps->cluster > 1 && loads_a_row(c) && is_one_tile(c) && is_idle(c)
           && tiles > c->resident * caps->units && bytes >= t->prefetch_least
           && (double)(bytes * caps->units)
                  <= t->prefetch_share * (double)caps->l2_bytes;
}
