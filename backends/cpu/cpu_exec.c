/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executes schedules: all passes over one chunk of the batch after another, on
 * one or several threads.
 *
 * With several slots, each thread takes whole chunks and has buffers of its
 * own; with one slot, all threads share each pass and wait for each other after
 * it. The workspace holds WORK0 and WORK1 of every slot, then a tile for every
 * thread. */
#include "backends/cpu/cpu_exec.h"

#include <string.h>
#include <time.h>

#include "backends/cpu/cpu_caps.h"
#include "backends/cpu/cpu_exec_whole.h"
#include "backends/cpu/cpu_executable.h"
#include "backends/cpu/cpu_threads.h"
#include "backends/cpu/fft/cpu_tables.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/team.h"
#include "fft/factor.h"

/* One execution; all threads read it. */
typedef struct launch {
    stfi_exec *x;
    const stfi_buffers *b;
    stfi_cpu_watch watch; /* each thread begins with a copy of it */
    atomic_ullong *signature;
    atomic_llong lanes; /* that passes have computed */
} launch;

void stfi_cpu_exec_destroy(stfi_exec *x)
{
    if (x == NULL)
        return;
    stfi_cpu_exec_destroy(x->bare); /* shares tables */
    for (int i = 0; i < x->npasses; i++)
        stfi_cpu_pass_destroy(&x->pass[i]);
    stfi_cpu_compact_destroy(x->compact);
    stfi_cpu_whole_free(&x->whole);
    if (x->checked)
        stfi_cpu_log_destroy(&x->log);
    stfi_dealloc(x->fault);
    stfi_dealloc(x);
}

static int is_listed(int r)
{
    const stfi_radix *row = NULL;

    for (int i = 0; (row = stfi_radix_at(i)) != NULL && row->r < r; i++)
        ;
    return row != NULL && row->r == r;
}

/* Returns a pass with radices that the CPU has. A pass that was planned for a
 * GPU may have radices that exist only there (14, 32); its n is then split into
 * stages as it would be for the CPU. */
static stfi_pass own_radices(const stfi_pass *p)
{
    stfi_pass own = *p;
    int64_t n = 1;
    int listed = 1;
    double cost;

    for (int s = 0; s < p->nstages; s++) {
        n *= p->radix[s];
        listed = listed && is_listed(p->radix[s]);
    }
    if (!listed)
        own.nstages = stfi_factor_stages(n, own.radix, &cost);
    return own;
}

/* Makes the ledger, if some pass is checked. */
static stf_status make_log(stfi_exec *x)
{
    stf_status status = STF_OK;

    atomic_init(&x->faults, 0);
    atomic_init(&x->suffered, 0);
    for (int i = 0; i < x->schedule.npasses; i++)
        x->checked |= x->schedule.pass[i].check.kind != STFI_CHECK_NONE;
    if (x->checked && (status = stfi_cpu_log_init(&x->log)) != STF_OK)
        x->checked = 0;
    return status;
}

/* Makes the next pass, with the tables of `like` if they are the same. */
static stf_status add_pass(stfi_exec *x, const char *isa, const stfi_exec *like,
                           const stfi_dft *dft)
{
    const stf_precision precision = x->schedule.precision;
    const stf_precision math = stfi_type_arithmetic(precision)->id;
    const stfi_pass p = own_radices(&x->schedule.pass[x->npasses]);
    stfi_cpu_pass *cp = &x->pass[x->npasses];
    stf_status status = STF_OK;
    size_t bytes;

    if (like == NULL || x->npasses >= like->npasses
        || !stfi_cpu_pass_borrow(&p, &like->pass[x->npasses], cp))
        status = stfi_cpu_pass_create(&p, math, x->pass, x->npasses, dft, cp);
    if (status != STF_OK)
        return status;
    cp->load_format = stfi_schedule_format(&x->schedule, p.load.buf);
    cp->store_format = stfi_schedule_format(&x->schedule, p.store.buf);
    cp->kernels = stfi_cpu_kernels_choose(isa, precision, &cp->p);
    cp->far = stfi_cpu_far_bytes(1 << 20);
    bytes = stfi_cpu_round_up(cp->kernels->scratch_bytes(cp));
    x->tile_bytes = bytes > x->tile_bytes ? bytes : x->tile_bytes;
    x->lanes += stfi_pass_signal_lanes(&p) * x->schedule.batch;
    x->npasses++;
    return STF_OK;
}

/* 1 if reals have an order on a side, as those of real to real kinds. */
static int has_order(const stfi_exec *x)
{
    return x->pass[0].p.load.order != STFI_ORDER_NONE
           || x->pass[x->npasses - 1].p.store.order != STFI_ORDER_NONE;
}

/* 1 if threads that share the passes of an array are faster than one that computes
 * all of it: few arrays, which are long. It is so with a single thread, too, as bits
 * do not depend on the number of threads. Passes with an order are slower, and those of
 * convolutions, with two threads as with one. Bounds: measured. */
static int are_passes_faster(const stfi_exec *x)
{
    enum { SHORT = 1 << 18, SHORT_ORDER = 1 << 20, MANY = 8 };
    const size_t most = has_order(x) ? SHORT_ORDER : SHORT;

    return x->schedule.batch < MANY && x->compact->conv == NULL
           && stfi_cpu_compact_bytes(x->compact, x->schedule.precision) > most;
}

static stf_status add_compact(stfi_exec *x, const char *isa,
                              const stfi_dft *dft)
{
    const stfi_cpu_conv_from from = {x->pass, x->npasses, dft};
    stf_status status =
        stfi_cpu_compact_make(isa, &x->schedule, &from, &x->compact);
    size_t bytes;

    if (x->compact != NULL && are_passes_faster(x)) {
        stfi_cpu_compact_destroy(x->compact);
        x->compact = NULL;
    }

    x->work_bytes = stfi_schedule_work_bytes(&x->schedule);
    if (x->compact == NULL)
        return status;
    bytes = stfi_cpu_round_up(
        stfi_cpu_compact_bytes(x->compact, x->schedule.precision));
    if (x->checked) {
        x->pass[0].compact = x->compact;
        x->tile_bytes += bytes;
        return STF_OK;
    }
    x->tile_bytes = bytes > x->tile_bytes ? bytes : x->tile_bytes;
    return STF_OK;
}

/* Refuses tables for which the machine, or the process, has no room beside the
 * workspace: to make the first of them may take minutes. */
static stf_status check_room(const stfi_schedule *s)
{
    double tables = 0.0;
    size_t work = stfi_schedule_work_bytes(s);
    stf_status status;
    void *mem;

    for (int i = 0; i < s->npasses; i++)
        tables += stfi_cpu_pass_bytes(&s->pass[i],
                                      stfi_type_arithmetic(s->precision)->id);
    if (s->caps.memory_bytes > 0
        && tables + (double)work > (double)s->caps.memory_bytes)
        return stfi_error(STF_ERR_MEMORY,
                          "the plan needs %.0f bytes for tables and %zu bytes "
                          "of workspace; the machine has %lld bytes of memory",
                          tables, work, (long long)s->caps.memory_bytes);
    status = stfi_alloc_raw((size_t)tables, "the plan's tables", &mem);
    if (status == STF_OK)
        stfi_dealloc(mem);
    return status;
}

stf_status stfi_cpu_exec_make(const char *isa, const stfi_schedule *s,
                              int threads, const stfi_exec *like,
                              const stfi_dft *dft, stfi_exec **exec_p)
{
    void *mem;
    stfi_exec *x;
    stf_status status;

    if (stfi_cpu_kernels_find(isa, s->precision) == NULL)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "precision %s is not there on the cpu device",
                          stfi_type_get(s->precision)->name);
    status = stfi_alloc(sizeof *x + (size_t)s->npasses * sizeof *x->pass,
                        "a plan", &mem);
    if (status != STF_OK)
        return status;
    x = mem;
    x->schedule = *s;
    x->threads = threads > s->slots ? threads : s->slots;
    for (int i = 0; i < 2; i++)
        x->slot_bytes[i] = stfi_schedule_slot_bytes(s, i);
    status = like == NULL ? check_room(s) : STF_OK;
    if (status == STF_OK)
        status = make_log(x);
    while (status == STF_OK && x->npasses < s->npasses)
        status = add_pass(x, isa, like, dft);
    if (status == STF_OK)
        status = add_compact(x, isa, dft);
    if (status != STF_OK) {
        stfi_cpu_exec_destroy(x);
        return status;
    }
    x->threads = stfi_cpu_threads_of(x);
    stfi_cpu_exec_sign(x, isa);
    *exec_p = x;
    return STF_OK;
}

int stfi_cpu_exec_is_whole(const stfi_exec *x)
{
    return x->compact != NULL;
}

size_t stfi_cpu_exec_workspace(const stfi_exec *x)
{
    return stfi_schedule_work_bytes(&x->schedule)
           + (size_t)x->threads * x->tile_bytes;
}

/* ------------------------------------------------------------------ launch */

void stfi_cpu_exec_share(int64_t lanes, int width, const stfi_cpu_team *t,
                         int64_t *begin, int64_t *end)
{
    int64_t tiles, from, to;

    *begin = 0;
    *end = lanes;
    if (t->threads == 1)
        return;
    tiles = (lanes + width - 1) / width;
    from = tiles * t->thread / t->threads;
    to = tiles * (t->thread + 1) / t->threads;
    *begin = from * width;
    *end = to * width < lanes ? to * width : lanes;
}

void *stfi_cpu_exec_buffer(const stfi_exec *x, const stfi_buffers *b,
                           stfi_buf which, int64_t first, int slot)
{
    size_t element = stfi_type_get(x->schedule.precision)->bytes;
    char *work =
        (char *)b->work + (size_t)slot * (x->slot_bytes[0] + x->slot_bytes[1]);
    char *in = (char *)(uintptr_t)b->in;

    switch (which) {
    case STFI_BUF_IN:
        return in + first * x->schedule.batch_stride[0] * (int64_t)element;
    case STFI_BUF_OUT:
        return (char *)b->out
               + first * x->schedule.batch_stride[1] * (int64_t)element;
    case STFI_BUF_WORK0: return work;
    default: return work + x->slot_bytes[0];
    }
}

/* What pass i multiplies by: results and checks depend on it, so ask twice. */
static double scale_of(const launch *o, int i)
{
    return o->x->pass[i].p.scaled
               ? stfi_schedule_scale(&o->x->schedule, i, o->b->scale)
               : 1.0;
}

/* Runs this thread's share of pass i over the chunk that starts at transform
 * `first`. */
static void run_pass(const launch *o, stfi_cpu_watch *watch, int i,
                     int64_t first, int slot, const stfi_cpu_team *t,
                     void *scratch)
{
    const stfi_exec *x = o->x;
    const stfi_schedule *s = &x->schedule;
    const stfi_cpu_pass *cp = &x->pass[i];
    int64_t rest = s->batch - first, lanes, begin, end;
    stfi_cpu_run run = {
        .src = stfi_cpu_exec_buffer(x, o->b, cp->p.load.buf, first, slot),
        .dst = stfi_cpu_exec_buffer(x, o->b, cp->p.store.buf, first, slot),
        .scratch = scratch,
        .batch = rest < s->chunk ? rest : s->chunk,
        .inverse = o->b->inverse,
        .watch = watch,
    };

    run.scale = scale_of(o, i);
    if (*(volatile double *)&run.scale != scale_of(o, i))
        run.scale = scale_of(o, i);
    watch->pass = i;
    watch->chunk = first / s->chunk;
    watch->first_signal = o->b->first_signal + first;
    watch->batch = run.batch;
    lanes = stfi_pass_signal_lanes(&cp->p) * run.batch;
    stfi_cpu_exec_share(lanes, cp->kernels->lanes, t, &begin, &end);
    if (begin < end) {
        cp->kernels->run(cp, &run, begin, end);
        watch->lanes += end - begin;
    }
}

/* Runs one thread's share of a compact transform. */
static void run_compact(void *arg, int thread, int threads)
{
    const launch *o = arg;
    const stfi_exec *x = o->x;
    const stfi_schedule *s = &x->schedule;
    stfi_cpu_team t = {thread, threads};
    stfi_cpu_compact_run run = {
        .src = o->b->in,
        .dst = o->b->out,
        .scratch = stfi_cpu_exec_tile(x, o->b->work, thread),
        .scale = o->b->scale,
        .inverse = o->b->inverse,
    };

    stfi_cpu_exec_share(s->batch, x->compact->group, &t, &run.begin, &run.end);
    x->compact->kernels->run(x->compact, &run);
}

/* Runs one thread's share of transforms that are checked as a whole. */
static void run_whole(void *arg, int thread, int threads)
{
    const launch *o = arg;

    stfi_cpu_exec_run_whole(o->x, o->b, thread, threads, o->watch.result);
}

/* Runs one thread's share of all chunks. */
static void run_member(void *arg, int thread, int threads)
{
    launch *o = arg;
    const stfi_exec *x = o->x;
    const stfi_schedule *s = &x->schedule;
    stfi_cpu_team t = {thread, threads};
    void *scratch = stfi_cpu_exec_tile(x, o->b->work, thread);
    int own = s->slots > 1 && t.threads > 1; /* threads take whole chunks */
    stfi_cpu_team alone = {0, 1};
    int64_t step = own ? s->chunk * t.threads : s->chunk;
    stfi_cpu_watch watch = o->watch;

    for (int64_t first = own ? s->chunk * t.thread : 0; first < s->batch;
         first += step)
        for (int i = 0; i < x->npasses; i++) {
            run_pass(o, &watch, i, first, own ? t.thread : 0, own ? &alone : &t,
                     scratch);
            if (!own)
                stfi_team_meet(t.threads);
        }
    atomic_fetch_add(&o->lanes, watch.lanes);
    if (x->checked)
        stfi_cpu_watch_end(&watch);
    if (watch.is_signed)
        atomic_fetch_add(o->signature, watch.signature);
}

stf_status stfi_cpu_exec_conclude(const stfi_ft_result *result)
{
    if (result->failed > 0)
        return stfi_error(STF_ERR_UNCORRECTED,
                          "%lld checksums of transform "
                          "%lld, pass %d, and others did not agree, and "
                          "computing again did not help",
                          (long long)result->failed,
                          (long long)result->failure.signal,
                          (int)result->failure.pass);
    return result->repaired > 0 ? STF_CORRECTED : STF_OK;
}

/* Sets the faults of a launch. Each fault is for one launch only; a launch that
 * repeats an earlier one (`again`) has the same faults once more, but only the
 * persistent ones strike. */
static void take_faults(stfi_exec *x, int again, stfi_cpu_watch *watch)
{
    watch->again = again;
    if (again)
        watch->faults = atomic_load(&x->suffered);
    else if (atomic_load(&x->faults) > 0)
        watch->faults = atomic_exchange(&x->faults, 0);
    if (atomic_load(&x->suffered) != watch->faults)
        atomic_store(&x->suffered, watch->faults);
    watch->fault = watch->faults > 0 ? x->fault : NULL;
}

/* Runs all passes. No check sees a pass, or a part of one, that was left out: lanes are
 * counted where they are computed. If some are missing, all run once more. */
static void run_passes(launch *o)
{
    stfi_exec *x = o->x;
    const int correct = x->checked && x->pass[0].p.check.correct;

    stfi_team_run(x->threads, run_member, o);
    if (correct && o->b->in != o->b->out
        && atomic_load(&o->lanes) != x->lanes) {
        atomic_store(&o->lanes, 0);
        atomic_store(o->signature, 0);
        o->watch.again = 1;
        stfi_team_run(x->threads, run_member, o);
    }
    if (x->checked && atomic_load(&o->lanes) != x->lanes)
        stfi_cpu_exec_note(x, o->watch.result,
                           correct ? STFI_FT_UNCORRECTABLE : STFI_FT_DETECTED,
                           &(stf_ft_event){-1, o->b->first_signal, 0});
}

stf_status stfi_cpu_exec_launch(stfi_exec *x, const stfi_buffers *b,
                                void *stream)
{
    stfi_ft_result result = {.failed = 0};
    atomic_ullong signature;
    launch o = {x, b, {.log = &x->log, .result = &result}, &signature, 0};

    (void)stream;
    atomic_init(&signature, 0);
    o.watch.is_signed = x->has_signature && b->signature != NULL;
    take_faults(x, b->again, &o.watch);
    /* Faults strike what passes do. */
    if (o.watch.fault == NULL && stfi_cpu_exec_suits_whole(x, b))
        stfi_team_run(x->threads, run_whole, &o);
    else if (o.watch.fault == NULL && x->compact != NULL && !x->checked)
        stfi_team_run(x->threads, run_compact, &o);
    else
        run_passes(&o);
    if (o.watch.is_signed)
        *b->signature = (stfi_signature){
            atomic_load(&signature) + stfi_cpu_exec_bits(x), result.unverified};
    if (b->failed != NULL)
        *b->failed = result.failed;
    return stfi_cpu_exec_conclude(&result);
}

stf_status stfi_cpu_exec_ledger(stfi_exec *x, int reset,
                                stfi_ft_ledger *ledger_p)
{
    if (reset)
        atomic_store(&x->whole.worst, 0);
    if (x->checked)
        stfi_cpu_log_read(&x->log, reset, ledger_p);
    else
        memset(ledger_p, 0, sizeof *ledger_p);
    return STF_OK;
}

/* -------------------------------------------------------------------- time */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

stf_status stfi_cpu_exec_time(stfi_exec *x, const stfi_buffers *b, int reps,
                              double *seconds_p)
{
    double best = 0.0;

    if (reps < 1)
        return stfi_error(STF_ERR_ARGUMENT, "reps is %d and not positive",
                          reps);
    for (int i = 0; i < reps; i++) {
        double start = now();
        stf_status status = stfi_cpu_exec_launch(x, b, NULL);
        if (status < 0)
            return status;
        start = now() - start;
        best = i == 0 || start < best ? start : best;
    }
    *seconds_p = best;
    return STF_OK;
}
