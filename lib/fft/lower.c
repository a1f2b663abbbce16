/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Lowering: the part that is common to all kinds; see lower.h. */
#include "fft/lower.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "device/tuning.h"
#include "fft/builder.h"
#include "fft/gpu_shape.h"

typedef void (*lowering)(stfi_builder *);

/* Lowerings by kind, for the rows of kinds.def that are marked as supported. */
static const lowering lowerings[] = {
    [STF_C2C] = stfi_lower_c2c,
    [STF_R2C] = stfi_lower_r2c,
    [STF_C2R] = stfi_lower_c2r,
};

stfi_pass *stfi_builder_pass(stfi_builder *b, stfi_op op)
{
    stfi_pass *p = &b->spare;

    if (b->s->npasses == STFI_MAX_PASSES)
        b->status = stfi_error(STF_ERR_UNSUPPORTED,
                               "the transform needs more "
                               "than %d passes",
                               STFI_MAX_PASSES);
    else
        p = &b->s->pass[b->s->npasses++];
    memset(p, 0, sizeof *p);
    p->op = op;
    return p;
}

void stfi_builder_work(stfi_builder *b, int which, int64_t elems)
{
    if (b->s->work_elems[which] < elems)
        b->s->work_elems[which] = elems;
}

void stfi_builder_axis(const stfi_builder *b, int a, int half,
                       stfi_axis *axis_p)
{
    const stf_fft_desc *d = b->desc;
    stfi_axis axis;

    memset(&axis, 0, sizeof axis);
    axis.n = d->n[a];
    axis.load.buf = STFI_BUF_IN;
    axis.store.buf = STFI_BUF_OUT;
    axis.load.stride = d->in.stride[a];
    axis.store.stride = d->out.stride[a];
    axis.load.index.elem = axis.store.index.elem = 1;
    for (int c = d->rank - 1; c >= -1; c--) {
        int l = axis.nloops;
        int64_t n = c < 0 ? b->chunk : d->n[c];
        if (half && c == d->rank - 1)
            n = n / 2 + 1;
        if (c == a || (c >= 0 && n == 1))
            continue;
        if (c < 0)
            axis.batch_loop = l;
        axis.loop_n[l] = n;
        axis.load.loop_stride[l] = c < 0 ? d->in.dist : d->in.stride[c];
        axis.store.loop_stride[l] = c < 0 ? d->out.dist : d->out.stride[c];
        axis.nloops++;
    }
    *axis_p = axis;
}

int64_t stfi_builder_pack(const stfi_builder *b, int a, int64_t last,
                          stfi_buf buf, stfi_side *side)
{
    const stf_fft_desc *d = b->desc;
    int64_t stride = 1;
    int l = 0;

    memset(side->loop_stride, 0, sizeof side->loop_stride);
    side->buf = buf;
    side->form = STFI_FORM_COMPLEX;
    for (int c = d->rank - 1; c >= -1; c--) {
        int64_t n = c < 0 ? b->chunk : c == d->rank - 1 ? last : d->n[c];
        if (c == a)
            side->stride = stride;
        else if (c < 0 || n > 1)
            side->loop_stride[l++] = stride;
        stride *= n;
    }
    return stride;
}

/* ----------------------------------------------------------- block memory */

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

static int64_t cpu_max(const stfi_builder *b)
{
    return b->caps->block_bytes / (2 * cpu_lanes(b) * (int64_t)b->real_bytes);
}

int64_t stfi_builder_max_single(const stfi_builder *b)
{
    int64_t full, whole;

    if (!b->caps->gpu)
        return cpu_max(b);
    /* Some lengths fit although they exceed what a block of any length
     * holds. */
    full = stfi_gpu_block_elements(b->caps, b->real_bytes);
    whole = b->caps->block_bytes / (2 * (int64_t)b->real_bytes);
    return full + full / 4 < whole ? full + full / 4 : full;
}

int64_t stfi_builder_max_whole(const stfi_builder *b)
{
    int64_t single = stfi_builder_max_single(b);
    int64_t whole = b->caps->block_bytes / (2 * (int64_t)b->real_bytes) - 1;

    return !b->caps->gpu || single < whole ? single : whole;
}

int64_t stfi_builder_max_column(const stfi_builder *b)
{
    return b->caps->gpu ? stfi_gpu_column_elements(b->caps, b->real_bytes)
                        : cpu_max(b);
}

static int is_protected(const stfi_builder *b)
{
    const stf_ft_desc *ft = &b->desc->ft;

    return (ft->mode == STF_FT_DETECT || ft->mode == STF_FT_CORRECT)
           && ft->level != STF_FT_OFFLINE;
}

/* Returns 1 for long protected rows of doubles, which leave room for a
 * first-level cache that holds their tables. */
static int leaves_cache(const stfi_builder *b, const stfi_pass *p,
                        const stfi_gpu_tile *tile)
{
    int64_t row = 2 * (int64_t)b->real_bytes * p->n;

    return is_protected(b) && p->op == STFI_OP_FFT && tile->run && !tile->whole
           && b->real_bytes > 4
           && row >= stfi_tuning_of(b->caps)->long_row_bytes;
}

int stfi_builder_fits(const stfi_builder *b, int64_t n, int whole)
{
    return stfi_gpu_shape_exists(n, whole, is_protected(b), b->caps,
                                 b->real_bytes);
}

int stfi_builder_is_row(const stfi_side *side)
{
    return side->stride == (side->form == STFI_FORM_PAIRS ? 2 : 1);
}

/* Returns 1 if a side is columns whose elements are in different lines of
 * memory, with other data between them. */
static int is_far_side(const stfi_builder *b, const stfi_pass *p,
                       const stfi_side *side)
{
    return stfi_pass_is_across(p, side)
           && llabs(side->stride) * 2 * (int64_t)b->real_bytes
                  > stfi_tuning_of(b->caps)->near_bytes;
}

/* Returns 1 if a tile reads such columns, and stores long runs. */
static int is_far(const stfi_builder *b, const stfi_pass *p)
{
    return is_far_side(b, p, &p->load) && !is_far_side(b, p, &p->store);
}

/* Returns how many lanes are adjacent in the blocks of WORK0 that a pass reads,
 * or 0 if it does not read such blocks. */
static int blocks_read(const stfi_pass *p)
{
    return p->nloops > 0 && p->load.buf == STFI_BUF_WORK0
                   && p->load.loop_stride[0] == 1 && p->loop_n[0] > 1
                   && p->load.stride == p->loop_n[0]
               ? (int)p->loop_n[0]
               : 0;
}

/* Returns the lanes that a block should have, or 0 if any number will do. Pairs
 * of real columns are faster with more blocks than with wide ones. */
static int wanted_lanes(const stfi_builder *b, const stfi_pass *p)
{
    int width;

    if (stfi_op_get(p->op)->loads != STFI_LANE_TWO_SPECTRA)
        return blocks_read(p);
    width = stfi_gpu_width(p->n, stfi_pass_lanes(p), 0, b->caps, b->real_bytes);
    return width * (int)b->real_bytes >= stfi_tuning_of(b->caps)->two_run_bytes
               ? width / 2
               : width;
}

static void gpu_block(stfi_builder *b, stfi_pass *p)
{
    const stfi_op_row *op = stfi_op_get(p->op);
    int spectra = (op->real && !op->two) || p->conv == STFI_CONV_RADER;
    stfi_gpu_tile tile = {
        .n = p->n,
        .lanes = stfi_pass_lanes(p),
        .real_bytes = b->real_bytes,
        .load_across =
            stfi_pass_is_across(p, &p->load) || (op->two && op->loads_spectra),
        .store_across = stfi_pass_is_across(p, &p->store)
                        || (op->two && op->stores_spectra),
        .far = is_far(b, p),
        .whole = op->two || spectra,
        .extra = spectra,
        .conv = op->transforms == 2,
        .twiddle = p->twiddle.order > 0,
        /* A butterfly reads its first twiddle from a table, and computes the
         * others. */
        .rising = p->twiddle.order > 0 && !p->twiddle.on_load
                  && p->op == STFI_OP_FFT && p->load.form != STFI_FORM_HALF,
        .run = p->op == STFI_OP_FFT && stfi_pass_is_packed(p, &p->load),
        .width = wanted_lanes(b, p),
        .checked = is_protected(b),
    };
    stfi_gpu_shape shape;

    if (!stfi_gpu_shape_choose(&tile, b->caps, &shape)) {
        b->status = stfi_error(STF_ERR_UNSUPPORTED,
                               "a tile of %" PRId64
                               " elements does not fit the device's block "
                               "memory",
                               p->n);
        return;
    }
    p->nstages = shape.nstages;
    memcpy(p->radix, shape.radix, sizeof p->radix);
    p->block.lanes = shape.lanes;
    p->block.threads = shape.lanes * shape.threads;
    p->block.elements = shape.held;
    p->block.split = shape.split || leaves_cache(b, p, &tile);
    p->block.staged = shape.staged;
    p->block.ahead = shape.ahead;
    p->block.memory_bytes = stfi_gpu_shape_bytes(&tile, &shape);
}

/* Sets the block of a pass over pairs, which needs no block memory. */
static void gpu_pairs_block(const stfi_builder *b, stfi_pass *p)
{
    p->block.lanes = 1;
    p->block.threads = stfi_tuning_of(b->caps)->pairs_threads;
    p->block.elements = 2;
}

void stfi_builder_block(stfi_builder *b, stfi_pass *p)
{
    if (!b->caps->gpu) {
        p->block.lanes = (int32_t)cpu_lanes(b);
        p->block.threads = 1;
        p->block.elements = (int32_t)p->n;
        p->block.memory_bytes =
            2 * cpu_lanes(b) * (int64_t)b->real_bytes * p->n;
    } else if (stfi_op_is_pairs(p->op)) {
        gpu_pairs_block(b, p);
    } else {
        gpu_block(b, p);
    }
}

/* ---------------------------------------------------------------- merging */

enum { LOOP_MAPS = 5 };

/* Lists everything in a pass that is linear in its loops' indices. */
static void loop_maps(stfi_pass *p, int64_t *map[LOOP_MAPS])
{
    map[0] = p->load.loop_stride;
    map[1] = p->store.loop_stride;
    map[2] = p->load.index.loop;
    map[3] = p->store.index.loop;
    map[4] = p->twiddle.mul;
}

/* Merges two loops into one if all strides allow it, such as the two outer axes
 * of a packed 3-D array: long runs of lanes fill vectors. The batch loop is
 * kept, because it is shorter in the last chunk. */
static void merge_loops(stfi_pass *p)
{
    int64_t *map[LOOP_MAPS];
    int l = 0;

    loop_maps(p, map);
    while (l + 1 < p->nloops) {
        int merge = l != p->batch_loop && l + 1 != p->batch_loop;
        for (int i = 0; i < LOOP_MAPS; i++)
            merge &= map[i][l + 1] == map[i][l] * p->loop_n[l];
        if (!merge) {
            l++;
            continue;
        }
        p->loop_n[l] *= p->loop_n[l + 1];
        p->nloops--;
        p->batch_loop -= p->batch_loop > l;
        for (int k = l + 1; k < p->nloops; k++)
            p->loop_n[k] = p->loop_n[k + 1];
        for (int i = 0; i < LOOP_MAPS; i++) {
            for (int k = l + 1; k < p->nloops; k++)
                map[i][k] = map[i][k + 1];
            map[i][p->nloops] = 0;
        }
    }
}

/* ---------------------------------------------------------------- rounds */

static int64_t points(const stf_fft_desc *d)
{
    int64_t n = 1;
    for (int a = 0; a < d->rank; a++)
        n *= d->n[a];
    return n;
}

/* Returns the transforms per chunk: on a CPU, so many that the arrays of a
 * chunk stay in the second-level cache; on a GPU, all of them. */
static int64_t choose_chunk(const stf_fft_desc *d, const stfi_caps *caps,
                            size_t real_bytes)
{
    int64_t bytes = points(d) * 2 * (int64_t)real_bytes;
    int64_t lanes = caps->wave / (int64_t)real_bytes;
    int64_t chunk = caps->l2_bytes / 4 / bytes;

    if (caps->gpu)
        return d->batch;
    /* An interleaved batch is read in lines of memory: take whole ones. */
    if (d->in.dist < d->in.stride[d->rank - 1] && chunk < 4 * lanes)
        chunk = 4 * lanes;
    if (chunk < 1)
        chunk = 1;
    return chunk < d->batch ? chunk : d->batch;
}

static int32_t choose_slots(const stfi_schedule *s, int threads)
{
    int64_t rounds = (s->batch + s->chunk - 1) / s->chunk;

    if (s->npasses == 1 || rounds < threads)
        return 1;
    return rounds % threads == 0 || rounds >= 4 * threads ? threads : 1;
}

/* Returns the workspace in units of the larger of the input and the output. */
static double work_ratio(const stf_fft_desc *d, const stfi_schedule *s)
{
    const stfi_kind *kind = stfi_kind_get(d->kind);
    double real = (double)stfi_type_get(d->precision)->bytes, data[2];

    for (int output = 0; output < 2; output++) {
        int is_real = output ? kind->real_out : kind->real_in;
        data[output] = (double)d->batch * real * (is_real ? 1.0 : 2.0);
        for (int a = 0; a < d->rank; a++)
            data[output] *= (double)stfi_desc_extent(d, a, output);
    }
    return (double)s->slots * (double)(s->work_elems[0] + s->work_elems[1])
           * 2.0 * real / (data[0] > data[1] ? data[0] : data[1]);
}

/* Returns 1 if the workspace exceeds twice the data, or most_bytes. */
static int is_too_much(const stf_fft_desc *d, const stfi_schedule *s,
                       size_t most_bytes)
{
    return work_ratio(d, s) > 2.0 || stfi_schedule_work_bytes(s) > most_bytes;
}

/* Halves the chunk, and the workspace, which is proportional to it: this
 * predicts what a schedule with such chunks needs without making it. */
static void cut_chunk(stfi_schedule *s)
{
    int64_t chunk = (s->chunk + 1) / 2;

    for (int w = 0; w < 2; w++)
        s->work_elems[w] = s->work_elems[w] / s->chunk * chunk;
    s->chunk = chunk;
}

static stf_status build(const stf_fft_desc *d, const stfi_caps *caps,
                        int64_t chunk, stfi_schedule *s)
{
    stfi_builder b = {
        .desc = d,
        .caps = caps,
        .real_bytes = stfi_type_get(d->precision)->bytes,
        .chunk = chunk,
        .lanes = (double)d->batch,
        .s = s,
    };

    const stfi_kind *kind = stfi_kind_get(d->kind);

    memset(s, 0, sizeof *s);
    s->caps = *caps;
    s->precision = d->precision;
    s->batch = d->batch;
    s->chunk = chunk;
    s->slots = 1;
    s->batch_stride[0] = d->in.dist * (kind->real_in ? 1 : 2);
    s->batch_stride[1] = d->out.dist * (kind->real_out ? 1 : 2);
    lowerings[d->kind](&b);
    if (b.status != STF_OK)
        return b.status;
    s->pass[s->npasses - 1].scaled = 1;
    for (int i = 0; i < s->npasses; i++) {
        merge_loops(&s->pass[i]);
        stfi_builder_block(&b, &s->pass[i]);
    }
    return b.status;
}

stf_status stfi_lower_within(const stf_fft_desc *full, const stfi_caps *caps,
                             int threads, size_t most_bytes, stfi_schedule *s_p)
{
    size_t real_bytes = stfi_type_get(full->precision)->bytes;
    int64_t chunk = choose_chunk(full, caps, real_bytes);
    stf_status status;

    if ((size_t)full->kind >= sizeof lowerings / sizeof *lowerings)
        return stfi_error(STF_ERR_UNSUPPORTED, "kind %d is not there yet",
                          (int)full->kind);
    if (caps->gpu && full->precision == STF_F80)
        return stfi_error(STF_ERR_UNSUPPORTED, "precision f80 is there on the "
                                               "cpu device only");
    status = build(full, caps, chunk, s_p);
    if (status == STF_OK && s_p->npasses == 1 && chunk != full->batch)
        status = build(full, caps, full->batch, s_p);
    while (status == STF_OK && s_p->chunk > 1
           && is_too_much(full, s_p, most_bytes)) {
        do
            cut_chunk(s_p);
        while (s_p->chunk > 1 && is_too_much(full, s_p, most_bytes));
        status = build(full, caps, s_p->chunk, s_p);
    }
    if (status != STF_OK)
        return status;
    s_p->slots = choose_slots(s_p, threads);
    while (s_p->slots > 1 && is_too_much(full, s_p, most_bytes))
        s_p->slots--;
    return STF_OK;
}

stf_status stfi_lower(const stf_fft_desc *full, const stfi_caps *caps,
                      int threads, stfi_schedule *s_p)
{
    return stfi_lower_within(full, caps, threads, SIZE_MAX, s_p);
}
