/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What must hold of every schedule; see invariants.h. */
#include "tests/unit/invariants.h"

#include <stdlib.h>
#include <string.h>

#include "backends/gpu/host/fft/spec.h"
#include "base/status.h"
#include "fft/cost.h"
#include "fft/factor.h"
#include "fft/schedule_text.h"

typedef invariants_view view;

/* Bytes of the elements of a whole batch's input or output. */
static double side_bytes(const stf_fft_desc *d, int output)
{
    const stfi_kind *kind = stfi_kind_get(d->kind);
    double n = (output ? kind->real_out : kind->real_in) ? 1 : 2;
    int a;

    for (a = 0; a < d->rank; a++)
        n *= (double)stfi_desc_extent(d, a, output);
    return n * (double)d->batch * (double)stfi_type_get(d->precision)->bytes;
}

static const char *workspace_is_small(const view *v)
{
    double in = side_bytes(v->d, 0), out = side_bytes(v->d, 1);
    int real = stfi_kind_get(v->d->kind)->real_in
               || stfi_kind_get(v->d->kind)->real_out;
    /* A real transform of odd length is computed as a complex one, so its
     * convolution is four times as long as either array, which is twice
     * both. */
    double data = real && v->d->n[v->d->rank - 1] % 2 ? in + out
                  : in > out                          ? in
                                                      : out;
    /* C2R may work on a copy of its input. */
    double copy = stfi_kind_get(v->d->kind)->real_out ? in : 0;
    /* One transform of halves may have a workspace of F32. */
    double wide = v->s->chunk == 1 && v->s->pass[0].wide_work
                      ? (double)stfi_type_arithmetic(v->d->precision)->bytes
                            / (double)stfi_type_get(v->d->precision)->bytes
                      : 1;
    double most = wide * (2 * data * 1.1 + copy);

    /* A few cache lines beyond that are permitted, for the alignment of two
     * buffers. */
    return (double)stfi_schedule_work_bytes(v->s) <= most + 512
               ? NULL
               : "workspace above twice the data";
}

/* Passes that tangle or untangle beside a transform copy pairs from memory to
 * memory and have no tile. */
static int has_tile(const stfi_pass *p)
{
    return !stfi_op_is_pairs(p->op);
}

static const char *tiles_fit(const view *v)
{
    int i;

    for (i = 0; i < v->s->npasses; i++) {
        const stfi_pass *p = &v->s->pass[i];
        const stfi_block *b = &p->block;
        if (b->memory_bytes > v->caps->block_bytes)
            return "a tile larger than block memory";
        if (b->lanes < 1 || b->threads < 1 || b->threads > v->caps->max_threads)
            return "lanes or threads of a block out of range";
        if (v->caps->gpu && b->threads % b->lanes)
            return "lanes that share threads";
        if (v->caps->gpu && has_tile(p)
            && (int64_t)b->threads * b->elements < p->n * b->lanes)
            return "threads that do not hold their tile";
    }
    return NULL;
}

/* In every stage a thread computes whole butterflies, one after the other, on
 * elements that it holds. */
static const char *threads_hold_stages(const view *v)
{
    int i, k;

    for (i = 0; i < v->s->npasses && v->caps->gpu; i++) {
        const stfi_pass *p = &v->s->pass[i];
        int threads = p->block.threads / p->block.lanes;
        for (k = 0; k < p->nstages && has_tile(p); k++) {
            int64_t butterflies = p->n / p->radix[k];
            int64_t own = (butterflies + threads - 1) / threads;
            if (own * p->radix[k] > p->block.elements)
                return "a stage of more elements than a thread holds";
        }
    }
    return NULL;
}

/* When the spectra of two signals are stored, with blocks of the second between
 * blocks of the first, the last block may be partial. */
static int blocks_are_whole(const stfi_pass *p, const stfi_side *side)
{
    int two = stfi_op_get(p->op)->two;
    /* The elements in memory, of which the tile may hold fewer or more. */
    int64_t n = p->conv == STFI_CONV_SPREAD ? p->n : p->signal;

    if (side->block == 0)
        return 1;
    return side->block > 0 && (two || n % side->block == 0)
           && side->block_stride >= (1 + two) * side->block * side->stride
           && (!two || side->pair >= side->block);
}

/* Elements that are stored in blocks must be neither cut nor overlapping. */
static const char *blocks_divide(const view *v)
{
    int i;

    for (i = 0; i < v->s->npasses; i++)
        if (!blocks_are_whole(&v->s->pass[i], &v->s->pass[i].load)
            || !blocks_are_whole(&v->s->pass[i], &v->s->pass[i].store))
            return "blocks that do not divide their pass";
    return NULL;
}

/* The memory that the GPU backend's kernel needs: with gaps against bank
 * conflicts and with twiddle factors, a block may need more than its tile. */
static const char *kernels_fit(const view *v)
{
    static stfi_gpu_spec spec;
    int i;

    for (i = 0; i < v->s->npasses && v->caps->gpu; i++) {
        if (stfi_gpu_spec_make(&v->s->pass[i], v->s->precision, v->caps, &spec))
            return stf_error_message();
        if (spec.launch.shared_bytes
                + (v->s->pass[i].check.kind ? v->caps->static_bytes : 0)
            > v->caps->block_bytes)
            return "a kernel that takes more than block memory";
        if (spec.launch.threads < 1
            || spec.launch.threads > (uint32_t)v->caps->max_threads)
            return "a kernel of more threads than a block has";
        if (spec.launch.threads * (unsigned)spec.resident
            > (unsigned)v->caps->unit_threads)
            return "more resident threads than a multiprocessor has";
        if ((stfi_pass_lanes(&v->s->pass[i]) - 1) / spec.lanes >= INT32_MAX)
            return "more blocks than a launch has";
    }
    return NULL;
}

static const char *stages_multiply(const view *v)
{
    int i, k;

    for (i = 0; i < v->s->npasses; i++) {
        const stfi_pass *p = &v->s->pass[i];
        int64_t product = 1;
        if (p->n < 1 || p->nstages < 0 || p->nstages > STFI_MAX_STAGES)
            return "impossible length or number of stages";
        for (k = 0; k < p->nstages; k++)
            product *= p->radix[k];
        if (has_tile(p) && product != p->n)
            return "stages that do not multiply to the pass's length";
    }
    return NULL;
}

/* Applies to a 1-D complex transform without convolutions over the whole
 * length. */
static const char *passes_multiply(const view *v)
{
    int64_t product = 1;
    int i;

    if (v->d->kind != STF_C2C || v->d->rank > 1)
        return NULL;
    for (i = 0; i < v->s->npasses; i++) {
        const stfi_pass *p = &v->s->pass[i];
        if (p->conv == STFI_CONV_SPREAD)
            return NULL;
        product *= stfi_op_is_conv(p->op) ? p->signal : p->n;
    }
    return product == v->d->n[0] ? NULL : "passes that do not multiply to N";
}

static const char *passes_are_few(const view *v)
{
    int64_t n = v->d->n[0];
    int most = n <= (int64_t)1 << 24 ? 3 : 5;

    if (v->d->kind != STF_C2C || v->d->rank > 1)
        return NULL;
    if (!stfi_factor_direct(n))
        return v->s->npasses <= 2 * most ? NULL : "too many passes";
    if (v->caps->gpu && n <= 1024 && v->s->npasses != 1)
        return "a short length over several passes";
    return v->s->npasses <= most ? NULL : "too many passes";
}

static int stores_halves(const view *v, const stfi_pass *p)
{
    const stf_precision format =
        stfi_pass_format(p, v->s->precision, p->store.buf);

    return stfi_type_get(format)->arithmetic != format;
}

static const char *data_flows(const view *v)
{
    int written[STFI_BUF_COUNT] = {[STFI_BUF_IN] = 1};
    int i;

    if (v->s->npasses < 1)
        return "no pass";
    if (v->s->pass[0].load.buf != STFI_BUF_IN)
        return "the first pass does not read the input";
    for (i = 0; i < v->s->npasses; i++) {
        const stfi_pass *p = &v->s->pass[i];
        if (!written[p->load.buf])
            return "a pass reads what none wrote";
        if (p->store.buf == STFI_BUF_IN)
            return "a pass writes the input";
        if (p->load.buf == STFI_BUF_IN && i > 0 && written[STFI_BUF_OUT])
            return "reads the input after writing the output";
        written[p->store.buf] = 1;
        if (p->scaled != (i == v->s->npasses - 1 || stores_halves(v, p)))
            return "not scaled in the last pass and where halves are stored";
    }
    if (v->s->pass[v->s->npasses - 1].store.buf != STFI_BUF_OUT)
        return "the last pass does not write the output";
    return NULL;
}

/* The largest offset of a side, in its elements, from that of index 0. A half
 * spectrum has n+1 elements where the tile has n, each of two has n/2+1. */
static long double side_reach(const view *v, const stfi_pass *p,
                              const stfi_side *side)
{
    const stfi_op_row *op = stfi_op_get(p->op);
    const stfi_lane has = side == &p->store ? op->stores : op->loads;
    const int two = has == STFI_LANE_TWO_SPECTRA && side->block == 0;
    long double stride = (long double)side->stride;
    long double last = two ? (long double)(p->n / 2)
                           : (long double)p->n - (has != STFI_LANE_SPECTRUM);
    long double reach = (stride < 0 ? -stride : stride) * last;
    int l;

    for (l = 0; l < p->nloops; l++) {
        stride = (long double)side->loop_stride[l];
        reach +=
            (stride < 0 ? -stride : stride) * (long double)(p->loop_n[l] - 1);
    }
    if (two && !p->odd_columns
        && stfi_pass_full_lanes(p, v->s->chunk) == stfi_pass_lanes(p))
        reach += (long double)llabs(side->pair);
    return reach;
}

/* 1 if a side reaches beyond its working array. Sides that leave elements out,
 * or take them from a mirror image, reach less far than their strides say:
 * those are left to the backend's tests. */
static int reaches_too_far(const view *v, const stfi_pass *p,
                           const stfi_side *side)
{
    int w = side->buf == STFI_BUF_WORK1;

    return side->buf >= STFI_BUF_WORK0 && side->limit == 0
           && side->form != STFI_FORM_HALF && p->conv != STFI_CONV_RADER
           && p->conv != STFI_CONV_BLUESTEIN
           && side_reach(v, p, side) >= (long double)v->s->work_elems[w];
}

static const char *loops_are_right(const view *v)
{
    int i, l;

    for (i = 0; i < v->s->npasses; i++) {
        const stfi_pass *p = &v->s->pass[i];
        if (p->nloops < 1 || p->nloops > STFI_MAX_LOOPS || p->batch_loop < 0
            || p->batch_loop >= p->nloops)
            return "loops out of range";
        for (l = 0; l < p->nloops; l++)
            if (p->loop_n[l] < 1)
                return "an empty loop";
        if (p->loop_n[p->batch_loop] != stfi_pass_batch(p, v->s->chunk))
            return "the batch loop is not the chunk";
        if (p->two_loop > 0 && !stfi_op_get(p->op)->two)
            return "two signals a lane in a pass of single ones";
        for (l = p->two_loop; l < p->nloops; l++)
            if (stfi_pass_full_lanes(p, v->s->chunk) < stfi_pass_lanes(p)
                && p->loop_n[l] > 1)
                return "lanes of one signal that are not the last ones";
        if (reaches_too_far(v, p, &p->load) || reaches_too_far(v, p, &p->store))
            return "a pass reaches beyond the workspace";
    }
    return NULL;
}

static const char *twiddles_are_right(const view *v)
{
    int i, l;

    for (i = 0; i < v->s->npasses; i++) {
        const stfi_pass *p = &v->s->pass[i];
        int64_t most = 0;
        for (l = 0; l < p->nloops && p->twiddle.order > 0; l++) {
            if (p->twiddle.mul[l] < 0)
                return "a negative twiddle multiplier";
            most += p->twiddle.mul[l] * (p->loop_n[l] - 1);
        }
        if (p->twiddle.order > 0 && most >= p->twiddle.rows)
            return "twiddle rows that do not cover the loops";
    }
    return NULL;
}

static const char *rounds_are_right(const view *v)
{
    const stfi_kind *kind = stfi_kind_get(v->d->kind);

    if (v->s->batch != v->d->batch || v->s->chunk < 1
        || v->s->chunk > v->s->batch || v->s->slots != 1)
        return "batch, chunk or slots";
    if (v->s->batch_stride[0] != v->d->in.dist * (kind->real_in ? 1 : 2)
        || v->s->batch_stride[1] != v->d->out.dist * (kind->real_out ? 1 : 2))
        return "the batch's strides";
    return v->s->precision == v->d->precision ? NULL : "the precision";
}

static const char *cost_is_sane(const view *v)
{
    stfi_cost c = stfi_cost_schedule(v->s, v->caps);
    double least = side_bytes(v->d, 0) + side_bytes(v->d, 1);

    /* The limits of a spread convolution leave parts out, and rounding of these
     * may cost 2 %. */
    if (!(c.seconds > 0) || !(c.bytes >= 0.98 * least))
        return "a cost below that of one trip";
    return NULL;
}

static const char *text_is_whole(const view *v)
{
    static char text[1 << 16];
    size_t n = stfi_schedule_print(v->s, text, sizeof text);
    char cut[32];

    if (n >= sizeof text || n != strlen(text))
        return "a text of another length than said";
    if (stfi_schedule_print(v->s, cut, sizeof cut) != n
        || strlen(cut) != sizeof cut - 1 || memcmp(cut, text, sizeof cut - 1)
        || stfi_schedule_print(v->s, NULL, 0) != n)
        return "a text that is not cut like snprintf's";
    return NULL;
}

static const invariant rows[] = {
    {"workspace at most twice the data", workspace_is_small},
    {"tiles fit", tiles_fit},
    {"threads hold their butterflies", threads_hold_stages},
    {"blocks divide their side", blocks_divide},
    {"kernels fit", kernels_fit},
    {"stages multiply to their pass", stages_multiply},
    {"passes multiply to the length", passes_multiply},
    {"few passes", passes_are_few},
    {"data flows from input to output", data_flows},
    {"loops and workspace reach", loops_are_right},
    {"twiddles cover their loops", twiddles_are_right},
    {"rounds of the batch", rounds_are_right},
    {"predicted cost", cost_is_sane},
    {"text", text_is_whole},
};

const invariant *invariant_at(int i)
{
    return i >= 0 && i < (int)(sizeof rows / sizeof *rows) ? &rows[i] : NULL;
}
