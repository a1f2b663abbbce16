/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Lowering: the blocks of passes, and what fits one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "device/tuning.h"
#include "fft/builder.h"
#include "fft/gpu/config.h"
#include "fft/gpu/orders.h"
#include "fft/gpu_shape.h"
#include "fft/gpu_tuned.h"
#include "fft/units.h"

double stfi_builder_width(const stfi_builder *b)
{
    double width = (double)b->caps->wave / (double)b->real_bytes;

    return b->caps->gpu || width < 1.0 ? 1.0 : width;
}

/* Returns the lanes of a tile on a CPU: a vector of `wave` bytes for each of
 * the two components. */
static int64_t cpu_lanes(const stfi_builder *b)
{
    int64_t lanes = b->caps->wave / (int64_t)b->real_bytes;

    return lanes > 0 ? lanes : 1;
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t cpu_max(const stfi_builder *b)
{
    return b->caps->block_bytes / (2 * cpu_lanes(b) * (int64_t)b->real_bytes);
}

int64_t stfi_builder_max_single(const stfi_builder *b)
{
    int64_t full, whole;

    if (!b->caps->gpu)
        return lesser(cpu_max(b), b->most_tile);
    /* Some lengths fit although they exceed what a block of any length
     * holds. */
    full = stfi_gpu_block_elements(b->caps, b->real_bytes);
    whole = b->caps->block_bytes / (2 * (int64_t)b->real_bytes);
    return lesser(full + full / 4 < whole ? full + full / 4 : full,
                  b->most_tile);
}

int64_t stfi_builder_max_whole(const stfi_builder *b)
{
    int64_t single = stfi_builder_max_single(b);
    int64_t whole = b->caps->block_bytes / (2 * (int64_t)b->real_bytes) - 1;

    return !b->caps->gpu || single < whole ? single : whole;
}

int64_t stfi_builder_max_column(const stfi_builder *b)
{
    return lesser(b->caps->gpu
                      ? stfi_gpu_column_elements(b->caps, b->real_bytes)
                      : cpu_max(b),
                  b->most_tile);
}

int stfi_builder_is_protected(const stfi_builder *b)
{
    const stf_ft_desc *ft = &b->desc->ft;

    return (ft->mode == STF_FT_DETECT || ft->mode == STF_FT_CORRECT)
           && ft->level != STF_FT_OFFLINE;
}

int stfi_builder_fits(const stfi_builder *b, int64_t n, int whole)
{
    return stfi_gpu_shape_exists(n, 1, whole, stfi_builder_is_protected(b),
                                 b->caps, b->real_bytes);
}

int stfi_builder_is_row(const stfi_side *side)
{
    if (side->order != STFI_ORDER_NONE)
        return side->unit == 1;
    return side->stride == (side->form == STFI_FORM_PAIRS ? 2 : 1);
}

/* Returns the distance of neighbouring elements, in complex elements for sides
 * without an order. */
static int64_t element_step(const stfi_side *side)
{
    int64_t apart = side->index.elem > 0 ? side->index.elem : 1;

    return llabs(side->order != STFI_ORDER_NONE ? side->unit * apart
                                                : side->stride);
}

/* Returns the bytes of a component in memory; of wide workspaces, there. */
static size_t stored_bytes(const stfi_builder *b, const stfi_pass *p)
{
    return p->wide_work ? b->real_bytes : b->stored_bytes;
}

/* Returns 1 if a side is columns whose elements are in different lines of
 * memory, with other data between them. */
static int is_far_side(const stfi_builder *b, const stfi_pass *p,
                       const stfi_side *side)
{
    return stfi_pass_is_across(p, side)
           && element_step(side) * 2 * (int64_t)stored_bytes(b, p)
                  > stfi_tuning_of(b->caps)->near_bytes;
}

/* Returns 1 if a tile reads such columns, and stores long runs. */
static int is_far(const stfi_builder *b, const stfi_pass *p)
{
    return is_far_side(b, p, &p->load) && !is_far_side(b, p, &p->store);
}

/* Returns how many lanes are adjacent in the blocks of WORK0 that a pass reads,
 * or 0 if it does not read such blocks. */
static int64_t blocks_read(const stfi_pass *p)
{
    return p->nloops > 0 && p->load.buf == STFI_BUF_WORK0
                   && p->load.loop_stride[0] == 1 && p->loop_n[0] > 1
                   && element_step(&p->load) == p->loop_n[0]
               ? p->loop_n[0]
               : 0;
}

/* Returns 1 if neighbouring lanes of a side are columns of reals, one a lane. */
static int has_real_columns(const stfi_pass *p, const stfi_side *side)
{
    return side->order != STFI_ORDER_NONE && side->form != STFI_FORM_COMPLEX
           && side->mirror == 0 && side->pair == 0
           && stfi_pass_is_across(p, side);
}

/* Returns the lanes of a tile of columns of reals: more than of complex columns, as
 * long as runs of memory are short, a multiprocessor holds two tiles, and all have
 * some. */
static int64_t real_columns(const stfi_builder *b, const stfi_pass *p)
{
    size_t stored = stored_bytes(b, p);
    int64_t lanes = stfi_pass_lanes(p), real = (int64_t)stored;
    int64_t column = 2 * (p->n + 1) * (int64_t)b->real_bytes;
    int64_t width =
        stfi_gpu_width(p->n, lanes, 0, b->caps, b->real_bytes, stored);

    while (width * real < stfi_tuning_of(b->caps)->real_run_bytes
           && 2 * (2 * width) * column <= b->caps->block_bytes
           && lanes / (2 * width) >= b->caps->units)
        width *= 2;
    return width;
}

/* Returns 1 if pairs of real columns are faster with half of `width` lanes: where
 * runs are long enough, and of halves, whose runs are shorter, where only one block of
 * so many lanes would fit a multiprocessor. */
static int is_too_wide(const stfi_builder *b, const stfi_pass *p, int width)
{
    const int64_t stored = (int64_t)stored_bytes(b, p);
    const int64_t block = 2 * p->n * width * (int64_t)b->real_bytes;
    const int long_runs =
        width * stored >= stfi_tuning_of(b->caps)->two_run_bytes;
    const int alone =
        stored < (int64_t)b->real_bytes && 2 * block > b->caps->block_bytes;

    return long_runs || (alone && width >= 16);
}

/* Returns the lanes that a block should have, or 0 if any number will do. Pairs
 * of real columns are faster with more blocks than with wide ones, and so are halves
 * in blocks of WORK0 that are much wider than tiles, as those of three levels. */
static int64_t wanted_lanes(const stfi_builder *b, const stfi_pass *p)
{
    const int halves = stored_bytes(b, p) < b->real_bytes;
    int width;

    if (has_real_columns(p, &p->load) && has_real_columns(p, &p->store))
        return real_columns(b, p);
    width = stfi_gpu_width(p->n, stfi_pass_lanes(p), 0, b->caps, b->real_bytes,
                           stored_bytes(b, p));
    if (stfi_op_get(p->op)->loads != STFI_LANE_TWO_SPECTRA
        || p->load.block == 0)
        return halves && blocks_read(p) > 2 * width ? 0 : blocks_read(p);
    return is_too_wide(b, p, width) ? width / 2 : width;
}

/* Returns 1 if rows of a side are faster with threads that swap reals. */
static int wants_swaps(const stfi_pass *p, const stfi_side *side)
{
    return side->order != STFI_ORDER_NONE && side->mirror == 0
           && side->form == STFI_FORM_PAIRS && p->conv == STFI_CONV_NONE
           && stfi_gpu_most_at_once(side) > 0 && !stfi_pass_is_across(p, side);
}

/* Returns 1 if a side has columns of which 16 bytes, at a multiple of 16 from the
 * first element, have the same element of neighbouring lanes. */
static int has_quads(const stfi_builder *b, const stfi_pass *p,
                     const stfi_side *side)
{
    const int64_t count = 16 / (2 * (int64_t)stored_bytes(b, p));
    int whole = p->nloops > 0 && side->loop_stride[0] == 1
                && p->loop_n[0] % count == 0 && side->stride % count == 0
                && side->block_stride % count == 0;

    for (int l = 1; l < p->nloops; l++)
        whole &= side->loop_stride[l] % count == 0;
    return whole && side->form == STFI_FORM_COMPLEX
           && side->order == STFI_ORDER_NONE && side->limit == 0
           && side->rows == 0;
}

/* Returns the reals of a lane on a side whose rows follow each other, with the gaps of
 * those in place, or 0. */
static int64_t reals_of_run(const stfi_pass *p, const stfi_side *side)
{
    const int64_t half = side->form == STFI_FORM_HC ? p->n : 2 * (p->n / 2 + 1);
    const int64_t real = p->n + stfi_pass_gap(p, side);

    if (stfi_pass_has_rows_of_two(p, side))
        return 2 * (side->form == STFI_FORM_PAIRS ? real : half);
    if (stfi_gpu_has_rows_of_one(p, side))
        return side->form == STFI_FORM_REAL ? real : half;
    return p->op == STFI_OP_FFT && stfi_pass_is_packed(p, side) ? 2 * p->n : 0;
}

/* Returns the least number of lanes that are whole packs of 16 bytes on both sides.
 * Halves of such lanes do not move in packs. */
static int64_t grain_of(const stfi_builder *b, const stfi_pass *p)
{
    const int64_t bytes = (int64_t)stored_bytes(b, p);
    int64_t grain = 1;

    while (bytes >= 4
           && (grain * bytes * reals_of_run(p, &p->load) % 16 != 0
               || grain * bytes * reals_of_run(p, &p->store) % 16 != 0))
        grain *= 2;
    return grain;
}

static stfi_gpu_tile make_tile(const stfi_builder *b, const stfi_pass *p)
{
    const stfi_op_row *op = stfi_op_get(p->op);
    int spectra = (op->real && !op->two) || p->conv == STFI_CONV_RADER;

    return (stfi_gpu_tile){
        .n = p->n,
        .axes = p->axes.count > 0 ? &p->axes : NULL,
        .lanes = stfi_pass_lanes(p),
        .real_bytes = b->real_bytes,
        .stored_bytes = stored_bytes(b, p),
        .load_across =
            stfi_pass_is_across(p, &p->load) || (op->two && p->load.block > 0),
        .store_across = stfi_pass_is_across(p, &p->store)
                        || (op->two && p->store.block > 0),
        .far = is_far(b, p),
        .whole = op->two || spectra,
        .extra = spectra,
        .conv = op->transforms == 2,
        .twiddle = p->twiddle.order > 0,
        /* A butterfly reads its first twiddle from a table, and computes the
         * others. */
        .rising = p->twiddle.order > 0 && !p->twiddle.on_load
                  && p->op == STFI_OP_FFT && p->load.form != STFI_FORM_HALF
                  && p->load.form != STFI_FORM_HC,
        .run = p->op == STFI_OP_FFT && stfi_pass_is_packed(p, &p->load),
        .store_run = p->op == STFI_OP_FFT && stfi_pass_is_packed(p, &p->store),
        .halves = p->load.form == STFI_FORM_HALF,
        .one_real = stfi_gpu_has_rows_of_one(p, &p->load)
                    && stfi_gpu_has_rows_of_one(p, &p->store),
        .orders = p->load.order != STFI_ORDER_NONE
                  || p->store.order != STFI_ORDER_NONE,
        .reals =
            p->load.form == STFI_FORM_REAL || p->load.form == STFI_FORM_PAIRS,
        .grain = grain_of(b, p),
        .quads = p->op == STFI_OP_FFT && has_quads(b, p, &p->load),
        .store_quads = p->op == STFI_OP_FFT && has_quads(b, p, &p->store),
        .width = wanted_lanes(b, p),
        .checked = stfi_builder_is_protected(b),
        .swaps = wants_swaps(p, &p->load) | wants_swaps(p, &p->store) << 1,
        .rank = stfi_choice_rank(b->choice, p->n),
    };
}

static void set_block(const stfi_builder *b, const stfi_gpu_tile *tile,
                      const stfi_gpu_shape *shape, stfi_pass *p)
{
    p->nstages = shape->nstages;
    memcpy(p->radix, shape->radix, sizeof p->radix);
    if (p->axes.count > 0)
        memcpy(p->axes.of, shape->axis, sizeof p->axes.of);
    p->block.lanes = shape->lanes;
    p->block.threads = shape->lanes * shape->threads;
    p->block.elements = shape->held;
    p->matrix = shape->direct ? 1
                : shape->unit_rows
                    ? ((uint32_t)1 << shape->nstages) - 1
                    : stfi_gpu_shape_matrix(tile, b->caps, shape);
    p->unit = p->matrix != 0 ? stfi_units_multiply(b) : STFI_UNIT_SPLIT;
    p->block.split = shape->split;
    p->block.staged = shape->staged;
    p->block.ahead = shape->ahead;
    p->block.direct = shape->direct;
    p->block.unit_rows = shape->unit_rows;
    p->block.memory_bytes = stfi_gpu_shape_bytes(tile, shape);
    p->block.traits = stfi_gpu_tile_traits(tile);
}

/* Returns 1 if the kernel of the pass, with the check that the descriptor asks
 * for, fits a block. */
static int kernel_fits(const stfi_builder *b, const stfi_pass *p)
{
    stfi_pass checked = *p;

    checked.check = stfi_check_of(&b->desc->ft, p->op);
    return stfi_gpu_config_fits(&checked, b->desc->precision, b->caps);
}

/* Sets the pass's block to the best one that fits; returns 0 if none does. */
static int try_block(const stfi_builder *b, const stfi_gpu_tile *tile,
                     stfi_pass *p)
{
    stfi_gpu_shape shape;
    int found = stfi_gpu_shape_choose(tile, b->caps, &shape);

    for (; found; found = stfi_gpu_shape_smaller(tile, b->caps, &shape)) {
        set_block(b, tile, &shape, p);
        if (kernel_fits(b, p))
            return 1;
    }
    return 0;
}

static int try_unit_rows(const stfi_builder *b, const stfi_gpu_tile *tile,
                         stfi_pass *p)
{
    stfi_gpu_shape shape;

    if (!stfi_units_may_keep_halves(b, p)
        || !stfi_gpu_shape_unit_rows(tile, b->caps, &shape))
        return 0;
    set_block(b, tile, &shape, p);
    return kernel_fits(b, p);
}

static int try_direct(const stfi_builder *b, const stfi_gpu_tile *tile,
                      stfi_pass *p)
{
    stfi_gpu_shape shape;

    if (!stfi_gpu_shape_direct(tile, b->caps, &shape))
        return 0;
    set_block(b, tile, &shape, p);
    return kernel_fits(b, p);
}

static void gpu_block(stfi_builder *b, stfi_pass *p)
{
    stfi_gpu_tile tile = make_tile(b, p);

    tile.matrix = stfi_units_may_compute(b, p);
    tile.unit_radix =
        tile.matrix && b->choice != NULL ? b->choice->unit_radix : 0;
    if (tile.unit_radix > 0 && try_block(b, &tile, p) && p->matrix != 0)
        return;
    tile.unit_radix = 0;
    if (tile.matrix && try_unit_rows(b, &tile, p))
        return;
    tile.direct = tile.matrix && stfi_units_may_load(b, p);
    if (tile.direct && try_direct(b, &tile, p))
        return;
    if (tile.matrix && try_block(b, &tile, p) && p->matrix != 0)
        return;
    tile.matrix = 0;
    if (try_block(b, &tile, p))
        return;
    if (tile.rank > 0) {
        stfi_choice_refuse(b, "a shape", p->n);
        return;
    }
    b->unfit_tile = p->n;
    b->status = stfi_error(STF_ERR_UNSUPPORTED,
                           "a tile of %" PRId64
                           " elements does not fit the device's block "
                           "memory",
                           p->n);
}

/* Sets the block of a pass over pairs, which needs no block memory. */
static void gpu_pairs_block(const stfi_builder *b, stfi_pass *p)
{
    p->block.lanes = 1;
    p->block.threads = stfi_tuning_of(b->caps)->pairs_threads;
    p->block.elements = 2;
}

static void cpu_block(const stfi_builder *b, stfi_pass *p)
{
    p->block.lanes = (int32_t)cpu_lanes(b);
    p->block.threads = 1;
    p->block.elements = (int32_t)p->n;
    p->block.memory_bytes = 2 * cpu_lanes(b) * (int64_t)b->real_bytes * p->n;
}

/* A launch has fewer than 2^31 blocks. */
static void check_grid(stfi_builder *b, const stfi_pass *p)
{
    if (b->status == STF_OK
        && (stfi_pass_lanes(p) - 1) / p->block.lanes >= INT32_MAX)
        b->status = stfi_error(STF_ERR_UNSUPPORTED,
                               "a pass of %" PRId64 " transforms of length "
                               "%" PRId64 " is more than one launch can do",
                               stfi_pass_lanes(p), p->n);
}

void stfi_builder_block(stfi_builder *b, stfi_pass *p)
{
    if (!b->caps->gpu) {
        cpu_block(b, p);
        return;
    }
    if (stfi_op_is_pairs(p->op))
        gpu_pairs_block(b, p);
    else
        gpu_block(b, p);
    check_grid(b, p);
}
