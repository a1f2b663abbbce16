/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Passes that share the tables of another one; see tables.h. */
#include <string.h>

#include "backends/gpu/host/fft/tables.h"

/* 1 if both checks have the same e and row, in the same order. */
static int same_check(const stfi_pass *p, int ordered, const stfi_pass *like,
                      const stfi_gpu_tables *from)
{
    return p->check.kind == like->check.kind
           && p->check.points == like->check.points
           && p->check.e == like->check.e && p->check.row == like->check.row
           && ordered == from->ordered
           && (!ordered
               || (p->block.elements == like->block.elements
                   && p->block.threads * like->block.lanes
                          == like->block.threads * p->block.lanes));
}

/* 1 if both sides turn their elements by the same roots. */
static int same_turn(const stfi_side *side, const stfi_side *like)
{
    return side->turn == like->turn && side->span == like->span;
}

int stfi_gpu_tables_borrow(const stfi_pass *p, int ordered,
                           const stfi_pass *like, const stfi_gpu_tables *from,
                           const stfk_args *from_args, stfi_gpu_tables *tables,
                           stfk_args *args)
{
    if (p->op != like->op || p->conv != like->conv || p->n != like->n
        || p->signal != like->signal || p->whole != like->whole
        || p->results != like->results || p->nstages != like->nstages
        || p->matrix != like->matrix
        || memcmp(p->radix, like->radix, sizeof p->radix) != 0
        || p->twiddle.order != like->twiddle.order
        || p->twiddle.rows != like->twiddle.rows
        || !same_check(p, ordered, like, from)
        || !same_turn(&p->load, &like->load)
        || !same_turn(&p->store, &like->store)
        || p->load.chirp != like->load.chirp
        || p->store.chirp != like->store.chirp)
        return 0;
    *tables = (stfi_gpu_tables){from->memory, 1, ordered};
    args->stage = from_args->stage;
    args->fine = from_args->fine;
    args->coarse = from_args->coarse;
    args->chirp = from_args->chirp;
    args->product = from_args->product;
    args->separate = from_args->separate;
    args->check.e = from_args->check.e;
    args->check.row = from_args->check.row;
    args->load_pos = from_args->load_pos;
    args->store_pos = from_args->store_pos;
    args->root_shift = from_args->root_shift;
    return 1;
}
