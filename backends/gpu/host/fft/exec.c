/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executes schedules on a GPU: one launch per pass, in the order of the stream.
 * Arguments that differ between executions are set in a copy on the caller's
 * stack, so that any number of threads may launch one executable at once. */
#include "backends/gpu/host/fft/exec.h"

#include <math.h>
#include <string.h>

#include "backends/cpu/cpu_transform.h"
#include "backends/gpu/host/fft/divisor.h"
#include "backends/gpu/host/fft/protect.h"
#include "backends/gpu/host/fft/tables.h"
#include "backends/gpu/host/fft/tile_counters.h"
#include "base/alloc.h"
#include "base/status.h"
#include "fft/gpu/orders.h"

_Static_assert((int)STFK_LOOPS >= (int)STFI_MAX_LOOPS,
               "the arguments have no room for all loops of a pass");

typedef struct gpu_pass {
    stfi_gpu_loaded *loaded;
    stfi_gpu_launch launch;
    int lanes;             /* lanes per tile */
    uint32_t most_blocks;  /* largest number of blocks of a launch */
    uint32_t gated_blocks; /* the same for a launch that has a gate */
    int draws;             /* its blocks draw tiles from a tile counter */
    int from_memory;       /* its residuals are made of what memory holds */
    int is_signed;         /* it adds to the signature of the launch */
    int even[2];           /* load, store: strides keep elements aligned */
    stfi_gpu_tables tables;
    stfk_args args;
} gpu_pass;

struct stfi_exec {
    stfi_bctx *ctx;
    stfi_gpu_protection guard;
    stfi_gpu_tile_counters tile_counters;
    stfi_schedule schedule;
    size_t slot_bytes[2];
    int npasses;
    gpu_pass pass[];
};

/* -------------------------------------------------------------- creation */

static void set_side(const stfi_pass *p, const stfi_side *side, stfk_side *out,
                     int *even_p)
{
    int64_t unit =
        side->form == STFI_FORM_COMPLEX || side->form == STFI_FORM_HALF ? 2 : 1;
    int placed = side->order != STFI_ORDER_NONE, even;
    int most = stfi_gpu_most_at_once(side);

    out->elem = unit * (placed ? side->unit : side->stride);
    out->far = unit * side->block_stride;
    out->im = side->mirror > 0  ? side->mirror
              : side->pair != 0 ? unit * side->pair
                                : 1;
    out->index_elem = side->index.elem;
    out->limit = side->limit;
    out->rows = side->rows;
    out->full = placed ? side->span : side->full;
    out->unit = side->index.elem != 0 ? out->elem / side->index.elem : 0;
    even = most > 0 && out->far % 2 == 0
           && (out->elem % 2 == 0 || (placed && out->elem == 1));
    for (int l = 0; l < p->nloops; l++) {
        out->loop[l] = unit * side->loop_stride[l];
        out->index[l] = side->index.loop[l];
        even &= most > 0 && out->loop[l] % most == 0;
    }
    *even_p = even || stfi_gpu_has_rows_of_one(p, side)
              || stfi_pass_has_rows_of_two(p, side);
}

static void set_loop(stfk_args *args, int l, int64_t n)
{
    args->loop_n[l] = n;
    if (n < (int64_t)1 << 31)
        args->loop_div[l] = stfi_gpu_divisor(n);
}

static void set_args(const stfi_exec *x, int i, gpu_pass *gp)
{
    const stfi_pass *p = &x->schedule.pass[i];
    stfk_args *args = &gp->args;

    stfi_gpu_guard_set(&x->guard, p, i, &args->check);

    set_side(p, &p->load, &args->load, &gp->even[0]);
    set_side(p, &p->store, &args->store, &gp->even[1]);
    for (int l = 0; l < p->nloops; l++) {
        set_loop(args, l, p->loop_n[l]);
        args->twiddle_mul[l] = p->twiddle.mul[l];
    }
}

static stf_status check_grid(const stfi_pass *p, int lanes)
{
    int64_t blocks = (stfi_pass_lanes(p) + lanes - 1) / lanes;

    if (blocks > INT32_MAX)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "a pass of %lld transforms of "
                          "length %lld is more than one launch can do",
                          (long long)stfi_pass_lanes(p), (long long)p->n);
    return STF_OK;
}

/* The number of blocks that run at once on the device. As many are launched if
 * blocks go from tile to tile. */
static uint32_t resident_blocks(const stfi_bctx *ctx,
                                const stfi_gpu_loaded *loaded)
{
    int resident = loaded->usage.blocks > 0 ? loaded->usage.blocks : 1;

    return (uint32_t)(resident * ctx->caps.units);
}

static uint32_t count_blocks(int64_t lanes, int per_tile, int tiles)
{
    int64_t count = (lanes + per_tile - 1) / per_tile;

    return (uint32_t)((count + tiles - 1) / tiles);
}

/* 1 if the pass's blocks go from tile to tile. Tile counters need copy_async()
 * to be cleared; without it, kernels that draw tiles run one block per tile,
 * which gives the same results. */
static int stays(const stfi_bctx *ctx, const stfi_gpu_spec *spec)
{
    return spec->stays && (!spec->draws || ctx->rt->copy_async != NULL);
}

static stf_status create_tile_counters(stfi_exec *x)
{
    int draw = 0, is_signed = x->ctx->rt->copy_async != NULL;

    for (int i = 0; i < x->npasses; i++) {
        draw |= x->pass[i].draws;
        is_signed &= x->pass[i].is_signed;
    }
    return draw || is_signed ? stfi_gpu_tile_counters_create(
               x->ctx, x->npasses, draw, is_signed,
               stfi_schedule_work_bytes(&x->schedule), &x->tile_counters)
                             : STF_OK;
}

static stf_status create_pass(stfi_exec *x, int i, const stfi_exec *like,
                              stfi_gpu_spec *spec)
{
    const stfi_schedule *s = &x->schedule;
    const stfi_pass *p = &s->pass[i];
    gpu_pass *gp = &x->pass[i];
    stf_status status =
        stfi_gpu_spec_make(p, s->precision, &x->ctx->caps, spec);

    if (status == STF_OK)
        status = check_grid(p, spec->lanes);
    if (status == STF_OK)
        status = stfi_gpu_kernel_take(x->ctx, spec, &gp->loaded);
    if (status != STF_OK)
        return status;
    gp->launch = spec->launch;
    gp->lanes = spec->lanes;
    gp->from_memory = spec->from_memory;
    gp->is_signed = spec->is_signed;
    gp->gated_blocks = resident_blocks(x->ctx, gp->loaded);
    gp->most_blocks = stays(x->ctx, spec) ? gp->gated_blocks : UINT32_MAX;
    gp->draws =
        spec->draws
        && count_blocks(stfi_pass_lanes(p), spec->lanes, 1) > gp->most_blocks;
    if (like == NULL || i >= like->npasses
        || !stfi_gpu_tables_borrow(p, spec->ordered, &like->schedule.pass[i],
                                   &like->pass[i].tables, &like->pass[i].args,
                                   &gp->tables, &gp->args))
        status = stfi_gpu_tables_create(x->ctx, p, s->precision, spec->ordered,
                                        &stfi_cpu_dft, &gp->tables, &gp->args);
    set_args(x, i, gp);
    gp->args.check.tiles = spec->tiles;
    return status;
}

static stf_status supports(const stfi_bctx *ctx, stf_precision precision,
                           const stfi_pass *p)
{
    (void)p;
    if (!stfi_gpu_config_has(precision))
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "precision %s is not there on the %s device",
                          stfi_type_get(precision)->name, ctx->rt->name);
    return STF_OK;
}

static void exec_destroy(stfi_exec *x)
{
    if (x == NULL)
        return;
    for (int i = 0; i < x->npasses; i++) {
        stfi_gpu_tables_destroy(x->ctx, &x->pass[i].tables);
        stfi_gpu_kernel_drop(x->ctx, x->pass[i].loaded);
    }
    stfi_gpu_guard_destroy(x->ctx, &x->guard);
    stfi_gpu_tile_counters_destroy(x->ctx, &x->tile_counters);
    stfi_dealloc(x);
}

static stf_status exec_create(stfi_bctx *ctx, const stfi_schedule *s,
                              int threads, const stfi_exec *like,
                              stfi_exec **exec_p)
{
    stfi_exec *x;
    void *mem, *spec;
    stf_status status = stfi_alloc(
        sizeof *x + (size_t)s->npasses * sizeof *x->pass, "a plan", &mem);

    (void)threads;
    if (status != STF_OK)
        return status;
    x = mem;
    x->ctx = ctx;
    x->schedule = *s;
    for (int i = 0; i < 2; i++)
        x->slot_bytes[i] = stfi_schedule_slot_bytes(s, i);
    status = stfi_alloc(sizeof(stfi_gpu_spec), "a plan", &spec);
    if (status == STF_OK)
        status = stfi_gpu_guard_create(ctx, s, &x->guard);
    for (int i = 0; i < s->npasses && status == STF_OK; i++) {
        x->npasses = i + 1;
        status = create_pass(x, i, like, spec);
    }
    if (status == STF_OK)
        status = create_tile_counters(x);
    if (status != STF_OK) {
        exec_destroy(x);
        x = NULL;
    }
    stfi_dealloc(spec);
    if (status == STF_OK)
        *exec_p = x;
    return status;
}

static size_t exec_workspace(const stfi_exec *x)
{
    return x->tile_counters.bytes > 0
               ? x->tile_counters.at + x->tile_counters.bytes
               : stfi_schedule_work_bytes(&x->schedule);
}

/* ------------------------------------------------------------------ launch */

static void *buffer(const stfi_exec *x, const stfi_buffers *b, stfi_buf which,
                    int64_t first)
{
    int64_t element = (int64_t)stfi_type_get(x->schedule.precision)->bytes;
    char *in = (char *)(uintptr_t)b->in;
    char *work = b->work;

    switch (which) {
    case STFI_BUF_IN: return in + first * x->schedule.batch_stride[0] * element;
    case STFI_BUF_OUT:
        return (char *)b->out + first * x->schedule.batch_stride[1] * element;
    case STFI_BUF_WORK0: return work;
    default: return work + x->slot_bytes[0];
    }
}

/* How many complex elements of a buffer may move at once: 4, 2 or 1; 0 if only
 * single components may. */
static int alignment(const stfi_exec *x, stfi_buf buf, const void *base,
                     int even)
{
    const stf_precision format = stfi_schedule_format(&x->schedule, buf);
    const uintptr_t pair = 2 * stfi_type_get(format)->bytes;
    int count = 4;

    if (!even || (uintptr_t)base % pair != 0)
        return 0;
    while ((uintptr_t)base % ((uintptr_t)count * pair) != 0)
        count /= 2;
    return count;
}

/* Sets the scale factor of pass i, given that of the execution. */
static void set_scale(const stfi_exec *x, int i, double whole, stfk_args *args)
{
    const stfi_pass *p = &x->schedule.pass[i];
    const double scale =
        p->scaled ? stfi_schedule_scale(&x->schedule, i, whole) : 1.0;

    args->scale = scale;
    args->scale_f = (float)scale;
    args->scale_low =
        isfinite(args->scale_f) ? (float)(scale - (double)args->scale_f) : 0;
    if (p->check.kind == STFI_CHECK_LANE)
        stfi_gpu_guard_scale(
            p->check.level != STF_FT_THREAD ? fabs(scale) : 1.0, &args->check);
}

/* When the launch after one of so many blocks begins; `last`: of an execution. What
 * judges a signature, and what repeats an execution, does so at once. Others wait where
 * most multiprocessors are busy: blocks that begin early are not spread evenly, and with
 * two of each, a transform of 2^20 points took a fifth longer. */
static unsigned lead_of(const stfi_exec *x, const stfi_buffers *b, int last,
                        uint32_t blocks)
{
    if ((b->gate != NULL && b->again) || (b->signs != NULL && last))
        return STFK_LEADS_AT_ONCE;
    return 2 * (int64_t)blocks <= x->ctx->caps.units ? STFK_LEADS_IN_TURN
                                                     : STFK_LEADS_NOT;
}

/* How often a thread turns its elements for the inverse direction, of which a residual
 * does not tell: before a load's sum, and after a store's. */
static int count_turns(const stfi_pass *p)
{
    const stfi_op_row *op = stfi_op_get(p->op);

    return (op->loads != STFI_LANE_SPECTRUM)
           + (op->stores == STFI_LANE_COMPLEX);
}

/* What bits count in the signature of a launch that pass i loads: an odd number, and
 * another one than those that it stores. */
static unsigned factor_of(int i)
{
    return i % 2 == 0 ? 1 : 3;
}

static void set_signature(const stfi_buffers *b, const stfi_pass *p, int i,
                          stfk_args *args)
{
    args->turns = args->inverse ? count_turns(p) : 0;
    args->signature =
        b->signs == NULL ? NULL : ((stfk_signature *)b->signs)->word;
    args->load_factor = factor_of(i);
    args->store_factor = factor_of(i + 1);
}

/* Launches one pass over the chunk that starts at transform `first`, in an
 * execution with `armed` faults. */
static stf_status run_pass(const stfi_exec *x, const stfi_buffers *b, int i,
                           int64_t first, int armed, void *stream)
{
    const stfi_schedule *s = &x->schedule;
    const stfi_pass *p = &s->pass[i];
    const gpu_pass *gp = &x->pass[i];
    int64_t rest = s->batch - first;
    int64_t batch = rest < s->chunk ? rest : s->chunk;
    uint32_t most =
        b->gate != NULL && b->again ? gp->gated_blocks : gp->most_blocks;
    stfi_gpu_launch launch = gp->launch;
    stfk_args args = gp->args;

    args.load.base = buffer(x, b, p->load.buf, first);
    args.store.base = buffer(x, b, p->store.buf, first);
    args.load.vector = alignment(x, p->load.buf, args.load.base, gp->even[0]);
    args.store.vector =
        alignment(x, p->store.buf, args.store.base, gp->even[1]);
    args.load.whole = args.store.whole = b->in == b->out;
    args.inverse = b->inverse != p->backward;
    args.gate = b->gate;
    set_signature(b, p, i, &args);
    args.check.again = b->again;
    args.check.first_signal = b->first_signal + first;
    set_scale(x, i, b->scale, &args);
    if (armed > 0)
        stfi_gpu_guard_strike(&x->guard, armed, first / s->chunk, i,
                              &args.check);
    if (stfi_pass_batch(p, batch) != p->loop_n[p->batch_loop])
        set_loop(&args, p->batch_loop, stfi_pass_batch(p, batch));
    args.lanes = stfi_pass_round_lanes(p, batch);
    args.full_lanes = stfi_pass_full_lanes(p, batch);
    /* A tile that overwrites its input cannot be computed again after the next
     * tile, so its verdict cannot wait. */
    if (args.load.base == args.store.base)
        args.check.tiles = 1;
    launch.blocks = count_blocks(args.lanes, gp->lanes, args.check.tiles);
    if (launch.blocks > most)
        launch.blocks = most;
    args.leads =
        lead_of(x, b, rest == batch && i + 1 == x->npasses, launch.blocks);
    if (gp->draws)
        args.tile_counters =
            stfi_gpu_tile_counters_of(&x->tile_counters, b->work, i);
    return x->ctx->rt->launch(x->ctx->dev, gp->loaded->kernel, &launch, &args,
                              sizeof args, stream);
}

static stf_status exec_launch(stfi_exec *x, const stfi_buffers *b, void *stream)
{
    const stfi_schedule *s = &x->schedule;
    stf_status status = stfi_gpu_tile_counters_clear(
        x->ctx, &x->tile_counters, b->signs != NULL, b->work, stream);
    int armed = stfi_gpu_guard_disarm(&x->guard, b->again);

    for (int64_t first = 0; first < s->batch; first += s->chunk)
        for (int i = 0; i < x->npasses && status == STF_OK; i++)
            status = run_pass(x, b, i, first, armed, stream);
    return status;
}

/* ---------------------------------------------------------------- timing */

/* Several short executions are timed together, up to this many seconds: events
 * have a resolution of half a microsecond, and a short execution ends before
 * the host has recorded the second event. */
static const double shortest_span = 2e-4;

enum { MOST_RUNS = 64 };

/* The argument of run_timed(), which rt->time_work() calls. */
typedef struct timed {
    stfi_exec *exec;
    const stfi_buffers *buffers;
} timed;

static stf_status run_timed(void *arg, void *stream)
{
    const timed *t = arg;
    return exec_launch(t->exec, t->buffers, stream);
}

/* The mean time of `runs` executions, in seconds. */
static stf_status time_runs(stfi_bctx *ctx, timed *t, int runs,
                            double *seconds_p)
{
    double seconds = 0.0;
    stf_status status =
        ctx->rt->time_work(ctx->dev, run_timed, t, runs, 0, &seconds);

    if (status == STF_OK)
        *seconds_p = seconds / runs;
    return status;
}

static stf_status exec_time(stfi_exec *x, const stfi_buffers *b, int reps,
                            double *seconds_p)
{
    timed t = {x, b};
    double seconds = 0.0, least = HUGE_VAL;
    int runs = MOST_RUNS;
    stf_status status;

    if (reps < 1)
        return stfi_error(STF_ERR_ARGUMENT,
                          "reps is %d; it must be at "
                          "least 1",
                          reps);
    status = time_runs(x->ctx, &t, 1, &seconds); /* the first run is slower */
    if (status == STF_OK)
        status = time_runs(x->ctx, &t, 1, &seconds);
    if (seconds * MOST_RUNS > shortest_span)
        runs = (int)ceil(fmin(shortest_span / seconds, MOST_RUNS));
    for (int i = 0; i < reps && status == STF_OK; i++) {
        status = time_runs(x->ctx, &t, runs, &seconds);
        least = fmin(least, seconds);
    }
    if (status == STF_OK)
        *seconds_p = least;
    return status;
}

static int exec_from_memory(const stfi_exec *x, int in_place)
{
    return !in_place && x->npasses == 1 && x->pass[0].from_memory;
}

static void *exec_signs_at(const stfi_exec *x, void *work)
{
    return x->tile_counters.signature > 0
               ? (char *)work + x->tile_counters.signature
               : NULL;
}

static stf_status exec_ledger(stfi_exec *x, int reset, stfi_ft_ledger *ledger_p)
{
    return stfi_gpu_guard_read(x->ctx, &x->guard, reset, ledger_p);
}

static stf_status exec_inject(stfi_exec *x, const stf_fault *fault, int count)
{
    return stfi_gpu_guard_arm(x->ctx, &x->schedule, fault, count, &x->guard);
}

const stfi_fft_ops stfi_gpu_fft_table = {
    .supports = supports,
    .create = exec_create,
    .destroy = exec_destroy,
    .workspace = exec_workspace,
    .launch = exec_launch,
    .from_memory = exec_from_memory,
    .signs_at = exec_signs_at,
    .ledger = exec_ledger,
    .inject = exec_inject,
    .time = exec_time,
};
