/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What must hold of every schedule, over random descriptors on all presets:
 * data comes from the input and ends in the output, no pass reads what none
 * wrote, tiles fit block memory, the workspace is at most twice the data. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backends/gpu/host/fft/spec.h"
#include "fft/factor.h"
#include "fft/lower.h"
#include "math/numth.h"
#include "support/problem/problem.h"
#include "fft/schedule_text.h"
#include "tests/tap.h"

enum { WORD_BYTES = 200 };

/* One schedule under examination. */
typedef struct view {
    const stf_fft_desc *d;
    const stfi_caps *caps;
    const stfi_schedule *s;
} view;

/* Elements of one transform's input or output, as bytes. */
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
    /* An odd real length is done as a complex one, so that its convolution
     * is four times as long as either array: twice both. */
    double data = real && v->d->n[v->d->rank - 1] % 2 ? in + out
                  : in > out                          ? in
                                                      : out;
    double most = 2 * data * 1.1;

    /* Two buffers of a few cache lines are nothing. */
    return (double)stfi_schedule_work_bytes(v->s) <= most + 512
               ? NULL
               : "workspace above twice the data";
}

/* Steps beside a transform take pairs from memory to memory. */
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

/* In every stage a thread does whole butterflies, one after the other, on
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

/* Spectra of two signals, with the second one's blocks between the first
 * one's, may end in a part of a block. */
static int blocks_are_whole(const stfi_pass *p, const stfi_side *side)
{
    int two = stfi_op_get(p->op)->two;
    /* What lies in memory, even if the tile has fewer or more. */
    int64_t n = p->conv == STFI_CONV_SPREAD ? p->n : p->signal;

    if (side->block == 0)
        return 1;
    return side->block > 0 && (two || n % side->block == 0)
           && side->block_stride >= (1 + two) * side->block * side->stride
           && (!two || side->pair >= side->block);
}

/* Elements in blocks: neither cut nor on top of each other. */
static const char *blocks_divide(const view *v)
{
    int i;

    for (i = 0; i < v->s->npasses; i++)
        if (!blocks_are_whole(&v->s->pass[i], &v->s->pass[i].load)
            || !blocks_are_whole(&v->s->pass[i], &v->s->pass[i].store))
            return "blocks that do not divide their pass";
    return NULL;
}

/* What the GPU backend makes of a pass: with gaps against bank conflicts and
 * factors of twiddles a block may take more memory than its tile. */
static const char *kernels_fit(const view *v)
{
    static stfi_gpu_spec spec;
    int i;

    for (i = 0; i < v->s->npasses && v->caps->gpu; i++) {
        if (stfi_gpu_spec_make(&v->s->pass[i], v->s->precision, v->caps, &spec))
            return stf_error_message();
        if (spec.launch.shared_bytes > v->caps->block_bytes)
            return "a kernel that takes more than block memory";
        if (spec.launch.threads * (unsigned)spec.resident > 2048)
            return "more resident threads than a multiprocessor has";
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

/* A 1-D complex transform without convolutions over the whole length. */
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

static const char *data_flows(const view *v)
{
    int written[STFI_BUF_COUNT] = {[STFI_BUF_IN] = 1};
    int i, scaled = 0;

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
        scaled += p->scaled != 0;
    }
    if (v->s->pass[v->s->npasses - 1].store.buf != STFI_BUF_OUT)
        return "the last pass does not write the output";
    return scaled == 1 ? NULL : "not scaled exactly once";
}

/* The largest offset of a side, in its elements, from that of index 0. A
 * half spectrum is n+1 elements beside n. */
static double side_reach(const stfi_pass *p, const stfi_side *side)
{
    const stfi_op_row *op = stfi_op_get(p->op);
    int whole_half =
        (side == &p->store ? op->stores : op->loads) == STFI_LANE_SPECTRUM;
    double stride = (double)side->stride;
    double last = (double)p->n - !whole_half;
    double reach = (stride < 0 ? -stride : stride) * last;
    int l;

    for (l = 0; l < p->nloops; l++) {
        stride = (double)side->loop_stride[l];
        reach += (stride < 0 ? -stride : stride) * (double)(p->loop_n[l] - 1);
    }
    return reach;
}

/* Sides that leave elements out, or take them from their mirror image, reach
 * less far than their strides say: those are left to the backend's tests. */
static int reaches_too_far(const view *v, const stfi_pass *p,
                           const stfi_side *side)
{
    int w = side->buf == STFI_BUF_WORK1;

    return side->buf >= STFI_BUF_WORK0 && side->limit == 0
           && side->form != STFI_FORM_HALF && p->conv != STFI_CONV_RADER
           && p->conv != STFI_CONV_BLUESTEIN
           && side_reach(p, side) >= (double)v->s->work_elems[w];
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
        if (p->loop_n[p->batch_loop] != v->s->chunk)
            return "the batch loop is not the chunk";
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

    /* The limits of a spread convolution leave parts out: 2 % for rounding. */
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

static const struct {
    const char *what;
    const char *(*wrong)(const view *v);
} invariants[] = {
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

enum { INVARIANTS = sizeof invariants / sizeof *invariants };

/* A random word; lengths of all kinds: small, smooth, prime, any. */
static void random_word(uint64_t *state, char *word)
{
    static const char *const kinds[] = {"c2c", "c2c", "r2c", "c2r"};
    static const char *const precisions[] = {"f32", "f64"};
    int rank = 1 + (int)(stfi_random_u64(state) % 6) / 2, a;
    size_t used = (size_t)snprintf(
        word, WORD_BYTES, "%s:%s:%s:", kinds[stfi_random_u64(state) % 4],
        precisions[stfi_random_u64(state) % 2],
        stfi_random_u64(state) % 4 ? "out" : "in");

    for (a = 0; a < rank; a++) {
        int bits = 1 + (int)(stfi_random_u64(state) % (rank > 1 ? 9 : 23));
        uint64_t n = 1 + stfi_random_u64(state) % ((uint64_t)1 << bits);
        int how = (int)(stfi_random_u64(state) % 4);
        while (how == 0 && stfi_largest_prime(n) > 13)
            n++;
        while (how == 1 && !stfi_is_prime(n))
            n++;
        used += (size_t)snprintf(word + used, WORD_BYTES - used,
                                 a ? "x%" PRIu64 : "%" PRIu64, n);
    }
    snprintf(word + used, WORD_BYTES - used, "*%d",
             (int)(1 + stfi_random_u64(state) % 70));
}

static int examine(const char *word, const stfi_caps *caps, int *failures)
{
    static stfi_schedule s;
    stfi_problem p;
    stf_fft_desc full;
    view v = {&full, caps, &s};
    const char *wrong;
    int i;
    stf_status status = stfi_problem_parse(word, &p);

    if (!status && (!p.in_place || !stfi_desc_padded(&p.desc, &full)))
        status = stfi_desc_complete(&p.desc, &full);
    if (!status)
        status = stfi_lower(&full, caps, 1, &s);
    if (status) {
        tap_diag("%s on %s: %s", word, caps->name, stf_error_message());
        return 0;
    }
    for (i = 0; i < INVARIANTS; i++) {
        wrong = invariants[i].wrong(&v);
        if (wrong && failures[i]++ < 4)
            tap_diag("%s on %s: %s", word, caps->name, wrong);
    }
    return 1;
}

int main(void)
{
    static const int counts[] = {100, 500, 5000};
    uint64_t state;
    const stfi_caps *caps;
    char word[WORD_BYTES];
    int failures[INVARIANTS] = {0}, refused = 0, i, k;

    tap_begin("schedule");
    state = tap_seed();
    for (i = 0; i < counts[tap_level()]; i++) {
        random_word(&state, word);
        for (k = 0; (caps = stfi_preset_at(k)) != NULL; k++)
            refused += !examine(word, caps, failures);
    }
    tap_ok(refused == 0, "every descriptor has a schedule on every preset");
    for (i = 0; i < INVARIANTS; i++)
        tap_ok(failures[i] == 0, "%s", invariants[i].what);
    for (k = 0; (caps = stfi_preset_at(k)) != NULL; k++)
        tap_ok(stfi_preset_find(caps->name) == caps, "preset %s is found",
               caps->name);
    tap_ok(k >= 7 && !stfi_preset_find("abacus"), "absent presets are not");
    return tap_end();
}
