/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Chooses the configuration of a pass's kernel; no other file decides any part
 * of it. What the planner decided in the pass's `block` is kept. */
#include <inttypes.h>

#include "base/status.h"
#include "device/tuning.h"
#include "fft/gpu/config.h"
#include "fft/gpu/layout.h"
#include "fft/gpu/memory_map.h"
#include "fft/gpu/orders.h"
#include "fft/gpu/prefetch.h"
#include "fft/gpu/residency.h"
#include "fft/gpu_shape.h"
#include "fft/gpu_shape_cost.h"
#include "fft/gpu/swizzle.h"

/* A configuration that is being made. */
typedef struct chooser {
    const stfi_pass *p;
    const stfi_caps *caps;
    const stfi_tuning *tuning;
    int asks; /* 1: only whether it fits is asked */
    stfi_gpu_config c;
} chooser;

/* Passes that store or load spectra have ways of their own from or to block
 * memory. */
static int stores_spectra(const stfi_pass *p)
{
    return stfi_op_get(p->op)->stores_spectra;
}

static int loads_spectra(const stfi_pass *p)
{
    return stfi_op_get(p->op)->loads_spectra;
}

/* Steps that separate or join spectra move pairs from memory to memory, and
 * have no tile. */
static int has_tile(const stfi_pass *p)
{
    return !stfi_op_is_pairs(p->op);
}

/* ---------------------------------------------------------- what the pass is */

static void set_load(const stfi_side *side, stfi_gpu_config *c)
{
    c->load_form = side->form;
    c->load_unit = stfi_gpu_is_unit(side);
    c->load_limit = side->limit > 0;
    c->load_rows = side->rows > 0;
    c->load_chirp = side->chirp > 0;
    c->load_adjoin = stfi_gpu_is_adjoined(side);
    c->load_block = side->block;
    c->load_order = side->order;
    c->load_turn = side->turn;
    c->load_reversed = side->reversed;
    c->load_alternate = side->alternate;
    c->load_mirror = side->mirror > 0;
}

static void set_store(const stfi_side *side, stfi_gpu_config *c)
{
    c->store_form = side->form;
    c->store_unit = stfi_gpu_is_unit(side);
    c->store_limit = side->limit > 0;
    c->store_rows = side->rows > 0;
    c->store_chirp = side->chirp > 0;
    c->store_adjoin = stfi_gpu_is_adjoined(side);
    c->store_block = side->block;
    c->store_order = side->order;
    c->store_turn = side->turn;
    c->store_reversed = side->reversed;
    c->store_alternate = side->alternate;
    c->store_mirror = side->mirror > 0;
}

static void set_pass(const stfi_pass *p, stf_precision precision,
                     stfi_gpu_config *c)
{
    const stfi_type *type = stfi_type_get(precision);

    c->load_stored = stfi_pass_format(p, precision, p->load.buf);
    c->store_stored = stfi_pass_format(p, precision, p->store.buf);
    c->real = type->arithmetic;
    c->sum = type->sums;
    c->op = p->op;
    c->conv = p->conv;
    c->n = p->n;
    c->signal = p->conv == STFI_CONV_SPREAD ? p->n : p->signal;
    c->nloops = p->nloops;
    c->wide = stfi_pass_lanes(p) >= (int64_t)1 << 31;
    c->long_axis = stfi_gpu_is_long(&p->load) || stfi_gpu_is_long(&p->store);
    set_load(&p->load, c);
    set_store(&p->store, c);
    if (has_tile(p)) {
        c->load_whole = stfi_gpu_is_whole(p, &p->load);
        c->store_whole = stfi_gpu_is_whole(p, &p->store);
        c->load_across = stfi_pass_is_across(p, &p->load);
        c->store_across = stfi_pass_is_across(p, &p->store);
    }
    c->twiddle = p->twiddle.order == 0 ? STFI_TWIDDLE_NONE
                 : p->twiddle.on_load  ? STFI_TWIDDLE_LOAD
                                       : STFI_TWIDDLE_STORE;
    c->twiddle_conj = p->twiddle.conjugate;
    c->inverse = p->inverse;
    c->scaled = p->scaled;
    c->alone = p->two_loop > 0;
    c->odd_columns = p->odd_columns;
    c->balanced = p->balanced;
}

static void set_check(const stfi_pass *p, stfi_gpu_config *c)
{
    c->check = p->check.kind == STFI_CHECK_LANE;
    c->twice = p->check.kind == STFI_CHECK_TWICE;
    c->by_thread = c->check && p->check.level == STF_FT_THREAD;
    c->sign_pattern = p->check.period > 0;
    c->real_row = p->check.real_row;
    c->real_e = p->check.real_e;
    c->gated = p->gated;
    c->is_signed = p->is_signed;
    c->sign_input = p->is_signed && p->load.buf == STFI_BUF_IN;
    c->sign_output = p->is_signed && p->is_last;
}

/* ------------------------------------------------ how threads share the lanes */

/* Rows without gaps are moved in runs, or each at once. */
static int is_packed(const stfi_pass *p, const stfi_side *side, int staged,
                     int stored)
{
    if (stfi_pass_has_rows_of_two(p, side))
        return staged || side->form != STFI_FORM_PAIRS;
    if (stfi_gpu_has_rows_of_one(p, side))
        return staged;
    return p->op == STFI_OP_FFT && stfi_pass_is_packed(p, side)
           && (staged
               || stfi_gpu_shape_one_access(
                   p->n, p->block.threads / p->block.lanes,
                   stfi_type_arithmetic((stf_precision)stored)->bytes,
                   stfi_type_get((stf_precision)stored)->bytes));
}

static void set_block(const chooser *h, stfi_gpu_config *c)
{
    const stfi_pass *p = h->p;

    c->wave = c->sum_together = h->caps->wave;
    c->lanes = p->block.lanes;
    c->threads = p->block.threads / p->block.lanes;
    c->held = p->block.elements;
    c->split = p->block.split;
    c->ahead = p->block.ahead;
    c->direct = p->block.direct;
    c->unit_rows = p->block.unit_rows;
    c->transactions = c->step = c->steps = 1;
    c->load_interleave = c->store_interleave = 1;
    c->load_sum_interleave = c->store_sum_interleave = 1;
    if (!has_tile(p)) {
        c->radices = (stfi_radices){1, {1}};
        return;
    }
    c->radices.count = p->nstages;
    for (int s = 0; s < p->nstages; s++)
        c->radices.radix[s] = p->radix[s];
    c->inners.count = p->axes.count > 0 ? p->nstages : 0;
    for (int s = 0; s < c->inners.count; s++)
        c->inners.radix[s] = (int)stfi_pass_inner(p, s);
    c->matrix = p->matrix;
    c->unit = p->unit;
    c->load_swapped =
        stfi_gpu_is_swapped(p, &p->load, p->radix[0], h->caps->wave);
    c->store_swapped = stfi_gpu_is_swapped(
        p, &p->store, p->radix[p->nstages - 1], h->caps->wave);
    c->load_staged = !loads_spectra(p) && !c->load_swapped
                     && stfi_gpu_goes_staged(h->tuning, p, 1, c->load_stored);
    c->store_staged = !stores_spectra(p) && !c->store_swapped
                      && stfi_gpu_goes_staged(h->tuning, p, 2, c->store_stored);
    stfi_gpu_set_copied(p, c);
    stfi_gpu_set_swept(p, c);
    c->load_packed = is_packed(p, &p->load, c->load_staged, c->load_stored);
    c->store_packed =
        c->store_staged && c->store_across
            ? p->conv == STFI_CONV_NONE
            : is_packed(p, &p->store, c->store_staged, c->store_stored);
    stfi_gpu_set_gaps(p, c);
}

/* Blocks of elements of neighbouring lanes are adjacent: so neighbouring
 * threads take a block of one lane, then a block of the next lane. */
static int64_t block_interleave(int64_t block, int64_t threads)
{
    return block > 0 && threads % block == 0 ? block : threads;
}

static int64_t interleave(const stfi_gpu_config *c, int64_t block, int across)
{
    if (across)
        return 1;
    return stfi_op_get(c->op)->stores_spectra
               ? c->threads
               : block_interleave(block, c->threads);
}

/* A lane whose threads are of one wave needs no barrier, unless rows of reals lie
 * elsewhere than its exchanges. */
static void set_interleaves(const chooser *h, stfi_gpu_config *c)
{
    const stfi_pass *p = h->p;

    c->load_interleave = interleave(c, c->load_block, c->load_across);
    c->store_interleave = interleave(c, c->store_block, c->store_across);
    if (p->op == STFI_OP_R2C_TWO) /* threads stay where they loaded */
        c->store_interleave = c->load_interleave;
    if (p->op == STFI_OP_C2R_TWO)
        c->load_interleave = c->store_interleave;
    c->wave_sync =
        c->load_interleave == c->threads && c->store_interleave == c->threads
        && !stores_spectra(p) && !loads_spectra(p)
        && h->caps->wave % c->threads == 0
        && !(c->load_staged && stfi_gpu_has_rows_of_one(p, &p->load))
        && !(c->store_staged && stfi_gpu_has_rows_of_one(p, &p->store));
}

/* Interleaves for the sums of checks of single butterflies: they follow what
 * threads hold in the first stage, and in the last one. */
static void set_thread_sums(const stfi_pass *p, stfi_gpu_config *c)
{
    int staged =
        c->load_staged || loads_spectra(p) || p->conv == STFI_CONV_RADER;

    if (p->op == STFI_OP_R2C)
        c->store_sum_interleave = c->threads;
    if (staged) /* the first stage finds its inputs in block memory */
        c->load_sum_interleave = c->store_sum_interleave;
}

/* Interleaves for the sums of checks. If elements or spectra go through block
 * memory lane by lane, the threads that sum them up have one lane each;
 * otherwise each thread sums up what it holds. */
static void set_sum_interleaves(const stfi_pass *p, stfi_gpu_config *c)
{
    int swept = p->conv == STFI_CONV_RADER;

    c->load_sum_interleave = c->load_staged || loads_spectra(p)
                                 ? c->store_interleave
                                 : c->load_interleave;
    c->store_sum_interleave = c->store_interleave;
    if (c->by_thread) {
        set_thread_sums(p, c);
        return;
    }
    if (swept || p->op == STFI_OP_C2R)
        c->load_sum_interleave = c->load_across ? 1 : c->threads;
    if (swept || p->op == STFI_OP_R2C)
        c->store_sum_interleave = c->store_across ? 1 : c->threads;
    if (p->op == STFI_OP_R2C && c->load_staged)
        c->load_sum_interleave = c->threads;
    if (p->op == STFI_OP_C2R_TWO)
        c->load_sum_interleave = block_interleave(c->load_block, c->threads);
    if (p->op == STFI_OP_R2C_TWO)
        c->store_sum_interleave = block_interleave(c->store_block, c->threads);
}

/* Sets how many tiles one verdict covers. For tiles whose sums stay within a
 * wave, a verdict on each tile costs nothing. */
static void set_transactions(const chooser *h, stfi_gpu_config *c)
{
    const stfi_check *check = &h->p->check;
    int64_t bytes;

    if (!c->check)
        return;
    c->transactions = check->transactions;
    if (check->scheme != STF_FT_SCHEME_SIGNAL && c->transactions > 1) {
        c->moments = check->scheme == STF_FT_SCHEME_TWO_SIDED ? 3 : 1;
        return;
    }
    bytes = stfi_gpu_sum_bytes(c);
    if (bytes == 0)
        c->transactions = 1;
    while (c->transactions > 1
           && c->transactions * bytes > h->tuning->tiles_sum_bytes)
        c->transactions /= 2;
}

/* --------------------------------------------------------- persistent blocks */

static int is_users(stfi_buf buf)
{
    return buf == STFI_BUF_IN || buf == STFI_BUF_OUT;
}

/* Returns 1 if blocks may be persistent. This pays for blocks of several
 * columns, which keep their checks' vectors and judge one tile while the next
 * one is on its way. A tile is stored before it is judged, so its input must
 * still be there then; two arrays of the user may be the same array, which
 * excludes passes from one to the other. Checks that are summed up within a
 * wave need no barrier, and gain nothing. Of other lengths than powers of two,
 * threads hold elements under conditions; what they hold of the next tile does
 * not stay in registers, and tiles take 1.0 to 3.0 times as long (1.3 in the
 * mean of 30 kernels on an H200). */
static int may_persist(const chooser *h, const stfi_gpu_config *c)
{
    stfi_buf from = h->p->load.buf, to = h->p->store.buf;

    return c->check && !c->by_thread && c->op == STFI_OP_FFT
           && c->conv == STFI_CONV_NONE && c->transactions == 1 && !c->ahead
           && c->lanes >= h->tuning->persistent_lanes && c->load_across
           && stfi_gpu_is_even(c->n) && !c->load_staged && !c->store_staged
           && !c->store_copied && !c->wave_sync && from != to
           && !(is_users(from) && is_users(to)) && stfi_gpu_sum_bytes(c) > 0;
}

/* Returns 1 if persistent blocks are expected to be faster, of which each has two
 * tiles or more. They are also slower if all threads are resident, if they leave too
 * small a first-level cache for the other tables, or if one block fewer is resident.
 * Source: bench/results/cuda-h200-ft.md. */
static int should_persist(const chooser *h, const stfi_gpu_config *c)
{
    const stfi_tuning *t = h->tuning;
    int resident = stfi_gpu_resident(c, c->tile_counter_at, h->caps);

    return stfi_gpu_resident(c, c->shared_bytes, h->caps) == resident
           && stfi_pass_lanes(h->p) >= 2 * resident * h->caps->units * c->lanes
           && resident * c->threads * c->lanes < t->full_threads
           && !stfi_gpu_has_company(c, resident, t)
           && 5 * resident * (c->shared_bytes + 1024)
                  <= t->persistent_fifths * h->caps->block_bytes;
}

/* -------------------------------------------------------------- block memory */

static int needs_memory(const chooser *h, const stfi_gpu_config *c)
{
    return c->radices.count > 1 || c->load_staged || c->store_staged
           || c->load_copied || c->store_copied
           || c->load_interleave != c->store_interleave || stores_spectra(h->p)
           || loads_spectra(h->p);
}

/* Returns the block memory that a launch may give a block. */
static int64_t most_bytes(const chooser *h, const stfi_gpu_config *c)
{
    return h->caps->block_bytes
           - (c->check || c->twice ? h->caps->static_bytes : 0);
}

/* Chooses the layout of the exchanges within the block memory that is left, and
 * its bytes; returns 0 if there is none. One without gaps says whether there is
 * one. */
static int choose_layout(const chooser *h, stfi_gpu_config *c, int64_t *bytes_p)
{
    int64_t unit = stfi_gpu_config_real(c) * (c->split ? 1 : 2), gaps;
    /* Columns without an exchange are halves in block memory. */
    int64_t part = c->direct && c->load_across ? 2 : 1;
    stfi_gpu_access access = {
        .n = (int)c->n,
        .extra = c->op == STFI_OP_R2C || c->op == STFI_OP_C2R
                 || c->conv == STFI_CONV_RADER,
        .lanes = (int)c->lanes,
        .threads = (int)c->threads,
        .interleave_first =
            (int)(c->load_staged ? c->store_interleave : c->load_interleave),
        .interleave = (int)c->store_interleave,
        .sweep = c->op == STFI_OP_R2C_TWO   ? (int)c->store_block
                 : c->op == STFI_OP_C2R_TWO ? (int)c->load_block
                 : stfi_gpu_takes_pairs(c)  ? (int)c->threads
                                            : 0,
        .natural = stfi_gpu_moves_own_row(c),
        .unit_bytes = (int)unit,
        .address_cost = c->check ? h->tuning->checked_address_cost
                                 : h->tuning->address_cost,
    };
    stfi_gpu_layout y;

    if (stfi_gpu_lay_half_rows(c, bytes_p))
        return 1;
    c->swizzle = 0;
    stfi_gpu_access_stages(h->p, &access);
    stfi_gpu_map_memory(0, h->tuning, c);
    gaps = c->shared_bytes == 0 ? 0 /* room for rounding up offsets */
           : c->check           ? 64
                                : 32;
    access.limit_bytes = most_bytes(h, c) - c->shared_bytes - gaps;
    if (stfi_gpu_has_swizzle(c) && stfi_gpu_layout_plain(&access, &y))
        c->swizzle = h->asks ? 0 : stfi_gpu_swizzle(c);
    else if (!(h->asks ? stfi_gpu_layout_plain
                       : stfi_gpu_layout_choose)(&access, &y))
        return 0;
    c->pitch = y.pitch;
    c->step = y.step;
    c->skew_xor = y.exclusive;
    c->skew_shift = y.shift;
    c->skew_mul = y.mul;
    *bytes_p = y.units * unit / part;
    return 1;
}

/* Maps all of block memory. If there is no room for the sums of checks
 * beside the exchanges, both share the same memory. Returns 0 if there is no
 * layout. */
static int place(const chooser *h, stfi_gpu_config *c)
{
    int64_t sums = stfi_gpu_sum_bytes(c), bytes = 0;

    c->check_shared = sums > h->tuning->own_sum_bytes && !c->persistent
                      && (c->transactions == 1 || c->moments > 0);
    if (needs_memory(h, c) && !choose_layout(h, c, &bytes)) {
        if (sums == 0 || c->check_shared || c->persistent)
            return 0;
        c->check_shared = 1;
        if (c->moments == 0)
            c->transactions = 1;
        if (!choose_layout(h, c, &bytes))
            return 0;
    }
    if (c->check_shared && bytes < sums)
        bytes = sums;
    if (bytes < stfi_gpu_rows_of_two_bytes(c))
        bytes = stfi_gpu_rows_of_two_bytes(c);
    stfi_gpu_map_memory(bytes, h->tuning, c);
    stfi_gpu_separate_sums(bytes, h->caps, c);
    return c->shared_bytes <= most_bytes(h, c);
}

/* Chooses how a block computes a tile; persistent if that fits and pays. */
static int choose_tile(chooser *h)
{
    stfi_gpu_config *c = &h->c, persistent;

    set_interleaves(h, c);
    set_sum_interleaves(h->p, c);
    set_transactions(h, c);
    if (!h->asks && may_persist(h, c)) {
        persistent = *c;
        persistent.persistent = 1;
        if (place(h, &persistent) && should_persist(h, &persistent)) {
            *c = persistent;
            return 1;
        }
    }
    return place(h, c)
           && (h->asks || !stfi_gpu_choose_sums(h->caps, c) || place(h, c));
}

static chooser begin(const stfi_pass *p, stf_precision precision,
                     const stfi_caps *caps)
{
    chooser h = {.p = p, .caps = caps, .tuning = stfi_tuning_of(caps)};

    set_pass(p, precision, &h.c);
    set_check(p, &h.c);
    set_block(&h, &h.c);
    return h;
}

int stfi_gpu_config_fits(const stfi_pass *p, stf_precision precision,
                         const stfi_caps *caps)
{
    chooser h = begin(p, precision, caps);

    h.asks = 1;
    return !has_tile(p) || choose_tile(&h);
}

stf_status stfi_gpu_config_choose(const stfi_pass *p, stf_precision precision,
                                  const stfi_caps *caps,
                                  stfi_gpu_config *config_p)
{
    chooser h = begin(p, precision, caps);

    if (!stfi_gpu_config_has(precision))
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "precision %s is not there on GPUs",
                          stfi_type_get(precision)->name);
    if (has_tile(p) && !choose_tile(&h))
        return stfi_error(
            STF_ERR_INTERNAL,
            "a tile of %" PRId64 " elements has no layout that fits", p->n);
    h.c.ordered = stfi_gpu_may_order(&h.c);
    h.c.from_memory = stfi_gpu_is_from_memory(p, &h.c);
    h.c.gated &= !h.c.from_memory; /* such launches are not repeated */
    stfi_gpu_settle_blocks(&h.c, stfi_gpu_count_tiles(p), caps);
    h.c.prefetch = stfi_gpu_prefetches(&h.c, stfi_gpu_count_tiles(p), caps);
    *config_p = h.c;
    return STF_OK;
}
