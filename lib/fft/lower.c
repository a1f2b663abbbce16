/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Lowering: the part that is common to all kinds; see lower.h. */
#include "fft/lower.h"

#include <string.h>

#include "base/status.h"
#include "fft/builder.h"
#include "fft/gpu/config.h"

typedef void (*lowering)(stfi_builder *);

/* Lowerings by kind, for the rows of kinds.def that are marked as supported. */
static const lowering lowerings[] = {
    [STF_C2C] = stfi_lower_c2c,  [STF_R2C] = stfi_lower_r2c,
    [STF_C2R] = stfi_lower_c2r,  [STF_DCT1] = stfi_lower_r2r,
    [STF_DCT2] = stfi_lower_r2r, [STF_DCT3] = stfi_lower_r2r,
    [STF_DCT4] = stfi_lower_r2r, [STF_DST1] = stfi_lower_r2r,
    [STF_DST2] = stfi_lower_r2r, [STF_DST3] = stfi_lower_r2r,
    [STF_DST4] = stfi_lower_r2r, [STF_DHT] = stfi_lower_r2r,
    [STF_R2R] = stfi_lower_r2r,  [STF_R2HC] = stfi_lower_r2r,
    [STF_HC2R] = stfi_lower_r2r,
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

/* Sets the length, and the axes that it consists of. */
static void set_axes(const stf_fft_desc *d, stfi_axis_run run, stfi_axis *axis)
{
    stfi_axes *axes = &axis->axes;

    axis->n = 1;
    for (int a = run.first; a <= run.last; a++) {
        if (d->n[a] > 1)
            axes->n[axes->count++] = d->n[a];
        axis->n *= d->n[a];
    }
    if (axes->count < 2)
        memset(axes, 0, sizeof *axes);
}

void stfi_builder_axis(const stfi_builder *b, stfi_axis_run run, int half,
                       stfi_axis *axis_p)
{
    const stf_fft_desc *d = b->desc;
    const int a = run.last;
    stfi_axis axis;

    memset(&axis, 0, sizeof axis);
    set_axes(d, run, &axis);
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
        if ((c >= run.first && c <= a) || (c >= 0 && n == 1))
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

int64_t stfi_builder_pack(const stfi_builder *b, stfi_axis_run run,
                          int64_t last, stfi_buf buf, stfi_side *side)
{
    const stf_fft_desc *d = b->desc;
    int64_t stride = 1;
    int l = 0;

    memset(side->loop_stride, 0, sizeof side->loop_stride);
    side->buf = buf;
    side->form = STFI_FORM_COMPLEX;
    for (int c = d->rank - 1; c >= -1; c--) {
        int64_t n = c < 0 ? b->chunk : c == d->rank - 1 ? last : d->n[c];
        if (c == run.last)
            side->stride = stride;
        else if ((c < run.first || c > run.last) && (c < 0 || n > 1))
            side->loop_stride[l++] = stride;
        stride *= n;
    }
    return stride;
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

/* Long runs of lanes fill vectors. The batch loop is kept, because it is shorter in
 * the last chunk. */
void stfi_builder_merge(stfi_pass *p)
{
    int64_t *map[LOOP_MAPS];
    int l = 0;

    loop_maps(p, map);
    while (l + 1 < p->nloops) {
        int merge = l != p->batch_loop && l + 1 != p->batch_loop
                    && (l > 0 || !p->odd_columns) && l + 1 != p->two_loop
                    && l + 2 != p->two_loop;
        for (int i = 0; i < LOOP_MAPS; i++)
            merge &= map[i][l + 1] == map[i][l] * p->loop_n[l];
        if (!merge) {
            l++;
            continue;
        }
        p->loop_n[l] *= p->loop_n[l + 1];
        p->nloops--;
        p->batch_loop -= p->batch_loop > l;
        p->two_loop -= p->two_loop > l + 1;
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
                            const stfi_choice *choice, size_t real_bytes)
{
    int64_t bytes = points(d) * 2 * (int64_t)real_bytes;
    int64_t lanes = caps->wave / (int64_t)real_bytes;
    int64_t chunk = caps->l2_bytes / 4 / bytes;

    if (choice != NULL && choice->chunk > 0)
        return choice->chunk < d->batch ? choice->chunk : d->batch;
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
    real =
        (double)stfi_type_get(stfi_schedule_format(s, STFI_BUF_WORK0))->bytes;
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

/* Sets what the workspace holds. */
static void set_formats(const stfi_caps *caps, stfi_schedule *s)
{
    int wide = !caps->gpu;

    for (int i = 0; i < s->npasses; i++)
        wide |= s->pass[i].conv == STFI_CONV_SPREAD;
    for (int i = 0; i < s->npasses; i++)
        s->pass[i].wide_work = wide;
}

/* Makes the passes and their blocks, with tiles of at most b->most_tile
 * elements. */
static void build_within(stfi_builder *b)
{
    stfi_schedule *s = b->s;

    s->npasses = 0;
    memset(s->work_elems, 0, sizeof s->work_elems);
    lowerings[b->desc->kind](b);
    set_formats(b->caps, s);
    for (int i = 0; i < s->npasses && b->status == STF_OK; i++) {
        stfi_builder_merge(&s->pass[i]);
        stfi_builder_block(b, &s->pass[i]);
    }
}

/* The last pass is scaled and, of those before, each that stores halves. */
static void mark_scaled(stfi_schedule *s)
{
    for (int i = 0; i < s->npasses; i++) {
        stf_precision format = stfi_schedule_format(s, s->pass[i].store.buf);
        s->pass[i].scaled =
            i == s->npasses - 1 || stfi_type_get(format)->arithmetic != format;
    }
}

/* Makes the schedule. What fits a block is sure only when its kernel is known:
 * if one does not, tiles are made shorter. */
static stf_status build(const stf_fft_desc *d, const stfi_caps *caps,
                        const stfi_choice *choice, int64_t chunk,
                        stfi_schedule *s)
{
    stf_fft_desc own = *d;
    stfi_builder b = {
        .desc = &own,
        .caps = caps,
        .choice = choice,
        .real_bytes = stfi_type_arithmetic(d->precision)->bytes,
        .stored_bytes = stfi_type_get(d->precision)->bytes,
        .chunk = chunk,
        .lanes = (double)d->batch,
        .s = s,
        .most_tile = INT64_MAX,
    };
    const stfi_kind *kind = stfi_kind_get(d->kind);

    if (choice != NULL && choice->native)
        own.compute = STF_COMPUTE_NATIVE;
    memset(s, 0, sizeof *s);
    s->caps = *caps;
    s->precision = d->precision;
    s->batch = d->batch;
    s->chunk = chunk;
    s->slots = 1;
    s->batch_stride[0] = d->in.dist * (kind->real_in ? 1 : 2);
    s->batch_stride[1] = d->out.dist * (kind->real_out ? 1 : 2);
    build_within(&b);
    while (b.unfit_tile > 1) {
        b.most_tile = b.unfit_tile - 1;
        b.unfit_tile = 0;
        b.status = STF_OK;
        build_within(&b);
    }
    if (b.status == STF_OK)
        mark_scaled(s);
    return b.status;
}

/* Returns the transforms per chunk with which all passes fill the vectors of a CPU:
 * where a tile has one transform of the chunk in each lane, that counts for more than
 * the cache. */
static int64_t fill_lanes(const stfi_schedule *s, const stfi_choice *choice,
                          size_t real_bytes)
{
    const int64_t lanes = s->caps.wave / (int64_t)real_bytes;
    int64_t chunk = s->chunk;

    if (s->caps.gpu || (choice != NULL && choice->chunk > 0))
        return chunk;
    for (int i = 0; i < s->npasses; i++)
        if (stfi_op_get(s->pass[i].op)->transforms > 0
            && stfi_pass_signal_lanes(&s->pass[i]) == 1 && chunk < lanes)
            chunk = lanes;
    return chunk < s->batch ? chunk : s->batch;
}

stf_status stfi_lower_chosen(const stf_fft_desc *full, const stfi_caps *caps,
                             int threads, size_t most_bytes,
                             const stfi_choice *choice, stfi_schedule *s_p)
{
    size_t real_bytes = stfi_type_arithmetic(full->precision)->bytes;
    int64_t chunk = choose_chunk(full, caps, choice, real_bytes);
    stf_status status;

    if ((size_t)full->kind >= sizeof lowerings / sizeof *lowerings)
        return stfi_error(STF_ERR_UNSUPPORTED, "kind %d is not there yet",
                          (int)full->kind);
    if (caps->gpu && !stfi_gpu_config_has(full->precision))
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "precision %s is there on the cpu device only",
                          stfi_type_get(full->precision)->name);
    status = build(full, caps, choice, chunk, s_p);
    if (status == STF_OK)
        chunk = s_p->npasses == 1 ? full->batch
                                  : fill_lanes(s_p, choice, real_bytes);
    if (status == STF_OK && chunk != s_p->chunk)
        status = build(full, caps, choice, chunk, s_p);
    while (status == STF_OK && s_p->chunk > 1
           && is_too_much(full, s_p, most_bytes)) {
        do
            cut_chunk(s_p);
        while (s_p->chunk > 1 && is_too_much(full, s_p, most_bytes));
        status = build(full, caps, choice, s_p->chunk, s_p);
    }
    if (status != STF_OK)
        return status;
    s_p->slots = choose_slots(s_p, threads);
    while (s_p->slots > 1 && is_too_much(full, s_p, most_bytes))
        s_p->slots--;
    s_p->apart = choice != NULL && choice->apart;
    return STF_OK;
}

stf_status stfi_lower_within(const stf_fft_desc *full, const stfi_caps *caps,
                             int threads, size_t most_bytes, stfi_schedule *s_p)
{
    return stfi_lower_chosen(full, caps, threads, most_bytes, NULL, s_p);
}

stf_status stfi_lower(const stf_fft_desc *full, const stfi_caps *caps,
                      int threads, stfi_schedule *s_p)
{
    return stfi_lower_within(full, caps, threads, SIZE_MAX, s_p);
}
