/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* End-to-end checks on a GPU; see end_to_end.h and
 * kernels/end_to_end/end_to_end.h. The workspace of an execution holds the sums
 * over the input, the history of each transform, and the partial sums of long
 * transforms. */
#include "backends/gpu/host/end_to_end/end_to_end.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/gpu/host/fft/divisor.h"
#include "backends/gpu/host/device/gpu_ctx.h"
#include "backends/gpu/kernels/fft/args.h"
#include "backends/gpu/kernels/end_to_end/end_to_end_args.h"
#include "base/alloc.h"
#include "base/status.h"
#include "ft/offline.h"

/* A thread adds up FEW to MANY elements, many if the device is full all the same
 * with READERS threads per multiprocessor; at least NEAREST threads share a
 * transform, whose elements are neighbours. */
enum { FEW = 8, MANY = 64, READERS = 1024, NEAREST = 4 };

_Static_assert((int)STFK_AXES >= (int)STF_MAX_RANK, "too few axes");
_Static_assert((int)STFK_EVENTS == (int)STFI_FT_EVENTS,
               "ledgers keep different numbers of events");

struct stfi_e2e_exec {
    stfi_bctx *ctx;
    stfi_gpu_loaded *loaded[STFI_E2E_LAUNCHES];
    stfk_e2e args[2]; /* for input, for output */
    int even[2];      /* all strides keep complex elements aligned, */
    int vector[2];    /* and packs */
    const stfi_type *type;
    stfk_e2e_ledger *ledger;
};

/* ----------------------------------------------------------------- kernels */

static stf_status take_kernels(stfi_e2e_exec *w, const stfi_e2e_desc *of)
{
    stfi_gpu_spec *spec;
    void *memory;
    stf_status status = stfi_alloc(sizeof *spec, "a check", &memory);

    if (status != STF_OK)
        return status;
    spec = memory;
    for (int i = 0; i < STFI_E2E_LAUNCHES && status == STF_OK; i++) {
        status =
            stfi_gpu_e2e_spec_of(of, (stfi_e2e_launch)i, &w->ctx->caps, spec);
        if (status == STF_OK)
            status = stfi_gpu_kernel_take(w->ctx, spec, &w->loaded[i]);
    }
    stfi_dealloc(spec);
    return status;
}

/* --------------------------------------------------------------- arguments */

static int64_t magnitude(int64_t v)
{
    return v < 0 ? -v : v;
}

/* Sorts the axes by falling stride, the order in which memory is read. */
static void sort_axes(const stfi_ft_side *side, int order[STF_MAX_RANK])
{
    for (int i = 0; i < side->rank; i++) {
        int at = i;
        for (; at > 0
               && magnitude(side->stride[order[at - 1]])
                      < magnitude(side->stride[i]);
             at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* Returns 1 if transforms, and elements along the first axes, are multiples of `unit`
 * reals apart. */
static int keep_aligned(const stfk_e2e *args, int axes, int64_t unit)
{
    int aligned = args->dist % unit == 0;

    for (int i = 0; i < axes; i++)
        aligned &= args->stride[i] % unit == 0;
    return aligned;
}

static void set_axes(const stfi_ft_side *side, int64_t dist, stfk_e2e *args)
{
    int order[STF_MAX_RANK], last = side->rank - 1;
    int pack = stfi_gpu_e2e_pack(side);

    sort_axes(side, order);
    args->rank = side->rank;
    args->elements = 1;
    for (int i = 0; i < side->rank; i++) {
        int axis = order[i];
        args->n[i] = side->n[axis];
        args->stride[i] = side->stride[axis];
        args->period[i] = side->period[axis];
        args->weight[i] = side->weight[axis];
        if (axis == side->rank - 1)
            args->half_axis = i;
        args->elements *= i < last ? args->n[i] : 1;
    }
    args->packs = (args->n[last] + pack - 1) / pack;
    args->elements *= args->packs;
    args->reversed = side->reversed;
    args->halved = side->halved;
    args->dist = dist;
    args->wide = args->elements >= (int64_t)1 << 31;
    for (int i = 0; i <= last && !args->wide; i++)
        args->div[i] = stfi_gpu_divisor(i < last ? args->n[i] : args->packs);
}

static int power_from(int64_t n, int most)
{
    int power = 1;

    while (power < n && power < most)
        power *= 2;
    return power;
}

/* Returns how many of `elements` a thread adds up if blocks take so many transforms at
 * once. */
static int64_t share_of(double elements, int64_t transforms,
                        const stfi_caps *caps)
{
    double share =
        elements / (double)transforms / (double)caps->units / READERS;

    return share < FEW ? FEW : power_from((int64_t)fmin(share, MANY), MANY);
}

/* Sets how threads share packs of transforms, which have `whole` elements, and of which
 * a block takes so many at once. */
static void set_shares(stfk_e2e *args, int64_t whole, int64_t transforms,
                       const stfi_caps *caps)
{
    int64_t count = args->elements, share;
    int threads = STFK_E2E_THREADS, wave = caps->wave;

    /* Rows that are no multiple of a pack have more of these. */
    share = share_of((double)whole * (double)args->batch, transforms, caps);
    share = (int64_t)ceil((double)share * (double)count / (double)whole);
    args->chunk = share * threads;
    args->chunks = (count + args->chunk - 1) / args->chunk;
    args->parts = args->across
                      ? threads / STFI_E2E_ACROSS
                      : power_from(count < NEAREST * share
                                       ? (count < NEAREST ? count : NEAREST)
                                       : (count + share - 1) / share,
                                   threads);
    args->near = args->across         ? wave / STFI_E2E_ACROSS
                 : args->parts < wave ? args->parts
                                      : wave;
}

/* Returns K from which on a residual is suspect. Rounding errors exceed it with a
 * probability of about exp(-K^2 / 1.1^2), 1.1 being the largest root mean square
 * (ft/threshold.h), and all transforms of a launch are computed again for one. So K grows
 * with the batch, such that this happens once in a hundred launches. */
static double suspect_at(int64_t batch)
{
    double k = 1.1 * sqrt(log(100 * (double)batch));

    return fmin(fmax(k, STFK_SUSPECT_AT), STFK_FAULTY_AT);
}

static void set_bound(const stfi_e2e_desc *of, stfk_e2e *args)
{
    /* Sums are of data times 2^(unit * step); the steps of F32 and F64 follow
     * from their ranges. See kernels/end_to_end/end_to_end_args.h. */
    static const int steps[2] = {90, 600};
    const stfi_ft_offline *check = of->check;
    int exponent, shift;

    args->scale = frexp(check->scale, &exponent);
    args->exponent = exponent;
    args->slope = (double)ldexpl(check->bound.slope, -exponent);
    args->floor = (double)frexpl(check->bound.floor, &shift);
    args->floor_shift = shift - exponent;
    args->step = steps[stfi_type_sums(of->precision)->wide];
    args->correct = of->correct;
    args->suspect = suspect_at(of->batch);
}

static void set_side(stfi_e2e_exec *w, int i, const stfi_e2e_desc *of)
{
    const stfi_ft_side *side = i == 0 ? &of->check->in : &of->check->out;
    const int parts = side->parts, last = side->rank - 1;
    const int unit = parts * stfi_gpu_e2e_pack(side);
    const int64_t dist = of->dist[i];
    stfk_e2e *args = &w->args[i];

    set_axes(side, dist, args);
    args->across = stfi_gpu_e2e_is_across(side, dist, of->batch);
    set_shares(args, stfi_gpu_e2e_elements(side),
               stfi_gpu_e2e_together(side, dist, of->batch, of->precision),
               &w->ctx->caps);
    args->unit = args->stride[last] == parts;
    w->even[i] = parts == 2 && keep_aligned(args, last + 1, 2);
    w->vector[i] = args->unit && keep_aligned(args, last, unit);
}

static void set_args(stfi_e2e_exec *w, const stfi_e2e_desc *of)
{
    for (int i = 0; i < 2; i++) {
        stfk_e2e *args = &w->args[i];
        args->batch = of->batch;
        args->output = i;
        args->ledger = w->ledger;
        set_side(w, i, of);
        set_bound(of, args);
    }
}

/* ---------------------------------------------------------------- creation */

static stf_status clear_ledger(const stfi_e2e_exec *w)
{
    static const stfk_e2e_ledger empty;

    return w->ctx->rt->copy(w->ctx->dev, w->ledger, &empty, sizeof empty,
                            STFI_TO_DEVICE, NULL);
}

static void destroy(stfi_bctx *ctx, stfi_e2e_exec *w)
{
    if (w == NULL)
        return;
    for (int i = 0; i < STFI_E2E_LAUNCHES; i++)
        stfi_gpu_kernel_drop(ctx, w->loaded[i]);
    ctx->rt->mem_free(ctx->dev, w->ledger);
    stfi_dealloc(w);
}

static stf_status create(stfi_bctx *ctx, const stfi_e2e_desc *of,
                         stfi_e2e_exec **exec_p)
{
    stfi_e2e_exec *w;
    void *memory;
    stf_status status = stfi_alloc(sizeof *w, "a check", &memory);

    if (status != STF_OK)
        return status;
    w = memory;
    w->ctx = ctx;
    w->type = stfi_type_get(of->precision);
    status = ctx->rt->mem_alloc(ctx->dev, sizeof *w->ledger, &memory);
    if (status == STF_OK) {
        w->ledger = memory;
        status = clear_ledger(w);
    }
    if (status == STF_OK)
        status = take_kernels(w, of);
    if (status != STF_OK) {
        destroy(ctx, w);
        return status;
    }
    set_args(w, of);
    *exec_p = w;
    return STF_OK;
}

/* ------------------------------------------------------------ the workspace */

/* The bytes of the retry flags, which come first. */
enum {
    FLAGS =
        (sizeof(stfk_retry_flags) + STFI_ALIGN - 1) / STFI_ALIGN * STFI_ALIGN
};

/* Offsets in the workspace, in the order of their alignment, and its size, which
 * is enough for the most chunks of a transform. */
typedef struct map {
    size_t account, history, partial, total;
} map;

static map map_work(int64_t elements, int64_t batch)
{
    const int64_t least = FEW * STFK_E2E_THREADS;
    size_t count = (size_t)batch;
    map m = {.account = FLAGS};

    m.history = m.account + count * sizeof(stfk_e2e_sum);
    m.partial = m.history + count * sizeof(stfk_history);
    m.total = m.partial;
    if (elements > least)
        m.total += count * (size_t)((elements + least - 1) / least)
                   * sizeof(stfk_e2e_sum);
    return m;
}

static size_t bytes(int64_t elements, int64_t batch)
{
    return map_work(elements, batch).total;
}

static void set_work(void *work, stfk_e2e *args)
{
    char *at = work;
    map m = map_work(0, args->batch);

    args->retry_flags = (stfk_retry_flags *)work;
    args->account = (stfk_e2e_sum *)(at + m.account);
    args->history = (stfk_history *)(at + m.history);
    if (args->chunks > 1)
        args->partial = (stfk_e2e_sum *)(at + m.partial);
}

static void *gate(const stfi_e2e_exec *w, void *work, int execution)
{
    (void)w;
    return &((stfk_retry_flags *)work)->gate[execution];
}

/* In place of an execution: the sums of the first one, once more. */
enum { AGAIN = -1 };

/* The word that says whether sums are wanted; NULL: always. */
static const unsigned long long *gate_of(void *work, int execution)
{
    const stfk_retry_flags *flags = work;

    return execution == AGAIN ? &flags->alarms
           : execution > 0    ? &flags->gate[execution].wanted
                              : NULL;
}

/* ----------------------------------------------------------------- launches */

static stf_status launch(const stfi_e2e_exec *w, const stfi_gpu_loaded *loaded,
                         int64_t blocks, const stfk_e2e *args, void *stream)
{
    int resident = loaded->usage.blocks > 0 ? loaded->usage.blocks : 1;
    int64_t most = (int64_t)resident * w->ctx->caps.units;
    stfi_gpu_launch l =
        stfi_gpu_e2e_launch((uint32_t)(blocks < most ? blocks : most));

    return w->ctx->rt->launch(w->ctx->dev, loaded->kernel, &l, args,
                              sizeof *args, stream);
}

static int64_t blocks_of(const stfk_e2e *args)
{
    int transforms = STFK_E2E_THREADS / args->parts;

    return (args->batch + transforms - 1) / transforms * args->chunks;
}

/* When the launch after one with these arguments begins: what is launched behind the
 * sums over an output has nothing to do, mostly, like what is held back itself. */
static unsigned lead_of(const stfk_e2e *args)
{
    return args->gate != NULL || (args->output && args->chunks == 1)
               ? STFK_LEADS_AT_ONCE
               : STFK_LEADS_NOT;
}

/* Launches the sums over one side and, for long transforms, the kernel that
 * adds up the partial sums of their chunks. */
static stf_status sum_side(const stfi_e2e_exec *w, int side, const void *base,
                           void *work, int execution, int is_first,
                           void *stream)
{
    stfk_e2e args = w->args[side];
    stf_status status;

    set_work(work, &args);
    args.base = base;
    args.even = w->even[side] && (uintptr_t)base % (2 * w->type->bytes) == 0;
    args.vector =
        w->vector[side] && (uintptr_t)base % (4 * w->type->bytes) == 0;
    args.again = execution == AGAIN;
    args.execution = args.again ? 0 : execution;
    args.first = is_first ? args.execution : 0;
    args.gate = gate_of(work, execution);
    args.leads = lead_of(&args);
    status = launch(w, w->loaded[side], blocks_of(&args), &args, stream);
    if (status != STF_OK || args.chunks == 1)
        return status;
    args.elements = args.chunk = args.chunks;
    args.chunks = 1;
    args.across = 0;
    args.parts = power_from((args.elements + 1) / 2, STFK_E2E_THREADS);
    args.near = args.parts < w->ctx->caps.wave ? args.parts : w->ctx->caps.wave;
    args.leads = lead_of(&args);
    return launch(w, w->loaded[STFI_E2E_ADDS_UP], blocks_of(&args), &args,
                  stream);
}

static stf_status input(const stfi_e2e_exec *w, const void *in, void *work,
                        int execution, void *stream)
{
    return sum_side(w, 0, in, work, execution, 1, stream);
}

static stf_status output(const stfi_e2e_exec *w, const void *out, void *work,
                         int execution, int is_first, void *stream)
{
    return sum_side(w, 1, out, work, execution, is_first, stream);
}

static stf_status again(const stfi_e2e_exec *w, const void *in, const void *out,
                        void *work, void *stream)
{
    stf_status status =
        in == NULL ? STF_OK : sum_side(w, 0, in, work, AGAIN, 0, stream);

    return status == STF_OK ? sum_side(w, 1, out, work, AGAIN, 0, stream)
                            : status;
}

static stf_status judge(const stfi_e2e_exec *w, void *signs, void *work,
                        int repeatable, void *stream)
{
    stfk_e2e args = w->args[1];

    set_work(work, &args);
    args.signs = signs;
    args.repeatable = repeatable;
    args.leads = STFK_LEADS_AT_ONCE;
    return launch(w, w->loaded[STFI_E2E_JUDGES], 1, &args, stream);
}

static stf_status conclude(const stfi_e2e_exec *w, void *work, int repeatable,
                           int64_t first_signal, void *stream)
{
    stfk_e2e args = w->args[1];

    set_work(work, &args);
    args.repeatable = repeatable;
    args.first_signal = first_signal;
    return launch(w, w->loaded[STFI_E2E_JUDGES], 1, &args, stream);
}

/* ---------------------------------------------------------------- findings */

static double to_double(uint32_t bits)
{
    float v;

    memcpy(&v, &bits, sizeof v);
    return (double)v;
}

static stf_status ledger(stfi_e2e_exec *w, int reset, stfi_ft_ledger *out)
{
    stfk_e2e_ledger l;
    stf_status status = w->ctx->rt->copy(w->ctx->dev, &l, w->ledger, sizeof l,
                                         STFI_TO_HOST, NULL);

    if (status == STF_OK && reset)
        status = clear_ledger(w);
    if (status != STF_OK)
        return status;
    memset(out, 0, sizeof *out);
    stfi_ft_ledger_take(l.count, out);
    out->max_residual = to_double(l.worst);
    out->events = (int64_t)l.events;
    for (int64_t i = 0; i < out->events && i < STFI_FT_EVENTS; i++)
        out->event[i] = (stf_ft_event){.pass = -1,
                                       .signal = l.event[i].signal,
                                       .residual = l.event[i].residual};
    return STF_OK;
}

const stfi_e2e_ops stfi_gpu_e2e_table = {
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .input = input,
    .judge = judge,
    .output = output,
    .again = again,
    .conclude = conclude,
    .gate = gate,
    .ledger = ledger,
};
