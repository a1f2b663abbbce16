/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reads ledgers from device memory and places faults there; see protect.h. */
#include "backends/gpu/host/fft/protect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static int is_protected(const stfi_schedule *s)
{
    return s->npasses > 0 && s->pass[0].check.kind != STFI_CHECK_NONE;
}

static stf_status clear_ledger(stfi_bctx *ctx, const stfi_gpu_protection *g)
{
    const stfk_ledger empty = {.first = ~0ull};

    return ctx->rt->copy(ctx->dev, g->ledger, &empty, sizeof empty,
                         STFI_TO_DEVICE, NULL);
}

static void drop_faults(stfi_bctx *ctx, stfi_gpu_protection *g)
{
    atomic_store(&g->armed, 0);
    atomic_store(&g->suffered, 0);
    ctx->rt->mem_free(ctx->dev, g->fault);
    stfi_dealloc(g->place);
    stfi_dealloc(g->pass);
    g->fault = NULL;
    g->place = NULL;
    g->pass = NULL;
}

stf_status stfi_gpu_guard_create(stfi_bctx *ctx, const stfi_schedule *s,
                                 stfi_gpu_protection *g)
{
    void *memory;
    stf_status status;

    if (!is_protected(s))
        return STF_OK;
    status = ctx->rt->mem_alloc(ctx->dev, sizeof *g->ledger, &memory);
    if (status != STF_OK)
        return status;
    g->ledger = memory;
    return clear_ledger(ctx, g);
}

void stfi_gpu_guard_destroy(stfi_bctx *ctx, stfi_gpu_protection *g)
{
    ctx->rt->mem_free(ctx->dev, g->ledger);
    drop_faults(ctx, g);
    g->ledger = NULL;
}

static float suspect_at(const stfi_pass *p)
{
    int many = p->check.level != STF_FT_THREAD
               && stfi_pass_signal_lanes(p) >= STFK_MANY_LANES;

    return many ? STFK_SUSPECT_OF_MANY : STFK_SUSPECT_AT;
}

void stfi_gpu_guard_set(const stfi_gpu_protection *g, const stfi_pass *p, int i,
                        stfk_check *check)
{
    check->ledger = g->ledger;
    check->slope = p->check.slope;
    check->floor = p->check.floor;
    check->suspect_at = suspect_at(p);
    check->correct = p->check.correct;
    check->pass = i;
    check->batch_loop = p->batch_loop;
}

void stfi_gpu_guard_scale(double scale, stfk_check *check)
{
    const double at[] = {(double)check->suspect_at, STFK_FAULTY_AT};
    /* Limits the exponent so that a float can be multiplied by the power. */
    int exponent = (int)fmin(fmax(logb(scale), -120.0), 120.0);

    check->down = ldexp(1.0, -exponent);
    check->down_f = (float)check->down;
    check->slope *= scale * check->down;
    check->floor *= fmax(scale, 1.0) * check->down;
    check->floor_square = (float)(check->floor * check->floor);
    for (int i = 0; i < 2; i++) {
        double root = at[i] * check->slope;
        check->limit[i] = root * root;
        check->limit_f[i] = (float)check->limit[i];
    }
}

static float to_float(uint32_t bits)
{
    float v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

stf_status stfi_gpu_guard_read(stfi_bctx *ctx, const stfi_gpu_protection *g,
                               int reset, stfi_ft_ledger *ledger_p)
{
    stfi_ft_ledger *out = ledger_p;
    stfk_ledger l;
    stf_status status;

    memset(out, 0, sizeof *out);
    if (g->ledger == NULL)
        return STF_OK;
    status =
        ctx->rt->copy(ctx->dev, &l, g->ledger, sizeof l, STFI_TO_HOST, NULL);
    if (status == STF_OK && reset)
        status = clear_ledger(ctx, g);
    if (status != STF_OK)
        return status;
    stfi_ft_ledger_take(l.count, out);
    out->max_residual = sqrt((double)to_float(l.worst));
    if (l.first == ~0ull)
        return STF_OK;
    out->events = 1;
    /* The first event may be one of those that were not located. */
    out->unlocated = l.count[STFI_FT_UNLOCATED] > 0;
    out->event[0].signal = (int64_t)(l.first >> 24);
    out->event[0].pass = (int32_t)(l.first >> 16 & 0xff);
    out->event[0].residual =
        (double)to_float((uint32_t)(l.first & 0xffff) << 16);
    return STF_OK;
}

/* ----------------------------------------------------------------- faults */

/* A fault with its place, for sorting. */
typedef struct placed {
    stf_fault fault;
    stfi_fault_place at;
} placed;

static int by_launch(const void *a, const void *b)
{
    const placed *p = a, *q = b;

    if (p->at.chunk != q->at.chunk)
        return p->at.chunk < q->at.chunk ? -1 : 1;
    return p->fault.pass - q->fault.pass;
}

static stfk_fault as_kernel(const placed *p)
{
    return (stfk_fault){
        .lane = p->at.lane,
        .magnitude = p->fault.magnitude,
        .element = (int)p->at.element,
        .stage = p->fault.stage,
        .component = p->fault.component,
        .bit = p->fault.bit,
        .persistent = p->fault.persistent,
    };
}

static stf_status allocate_faults(stfi_bctx *ctx, size_t count,
                                  stfi_gpu_protection *g)
{
    void *place = NULL, *pass = NULL, *fault = NULL;
    stf_status status = stfi_alloc(count * sizeof *g->place, "faults", &place);

    if (status == STF_OK)
        status = stfi_alloc(count * sizeof *g->pass, "faults", &pass);
    if (status == STF_OK)
        status = ctx->rt->mem_alloc(ctx->dev, count * sizeof *g->fault, &fault);
    g->place = place;
    g->pass = pass;
    g->fault = fault;
    return status;
}

static stf_status upload_faults(stfi_bctx *ctx, placed *list, size_t count,
                                stfi_gpu_protection *g)
{
    stfk_fault *all;
    void *memory;
    stf_status status = stfi_alloc(count * sizeof *all, "faults", &memory);

    if (status != STF_OK)
        return status;
    all = memory;
    qsort(list, count, sizeof *list, by_launch);
    for (size_t i = 0; i < count; i++) {
        g->place[i] = list[i].at;
        g->pass[i] = list[i].fault.pass;
        all[i] = as_kernel(&list[i]);
    }
    status = ctx->rt->copy(ctx->dev, g->fault, all, count * sizeof *all,
                           STFI_TO_DEVICE, NULL);
    stfi_dealloc(all);
    return status;
}

stf_status stfi_gpu_guard_arm(stfi_bctx *ctx, const stfi_schedule *s,
                              const stf_fault *fault, int count,
                              stfi_gpu_protection *g)
{
    placed *list;
    void *memory;
    stf_status status;

    drop_faults(ctx, g);
    if (count == 0)
        return STF_OK;
    status = stfi_alloc((size_t)count * sizeof *list, "faults", &memory);
    if (status != STF_OK)
        return status;
    list = memory;
    for (int i = 0; i < count; i++)
        list[i] = (placed){fault[i], stfi_fault_find(s, &fault[i])};
    status = allocate_faults(ctx, (size_t)count, g);
    if (status == STF_OK)
        status = upload_faults(ctx, list, (size_t)count, g);
    stfi_dealloc(list);
    if (status == STF_OK)
        atomic_store(&g->armed, count);
    else
        drop_faults(ctx, g);
    return status;
}

int stfi_gpu_guard_disarm(stfi_gpu_protection *g, int again)
{
    int count = 0;

    if (again)
        return atomic_load_explicit(&g->suffered, memory_order_relaxed);
    if (atomic_load_explicit(&g->armed, memory_order_relaxed) > 0)
        count = atomic_exchange(&g->armed, 0);
    if (atomic_load_explicit(&g->suffered, memory_order_relaxed) != count)
        atomic_store(&g->suffered, count);
    return count;
}

void stfi_gpu_guard_strike(const stfi_gpu_protection *g, int armed,
                           int64_t chunk, int pass, stfk_check *check)
{
    int from = 0, count = 0;

    while (from < armed
           && (g->place[from].chunk != chunk || g->pass[from] != pass))
        from++;
    while (from + count < armed && g->place[from + count].chunk == chunk
           && g->pass[from + count] == pass)
        count++;
    check->fault = g->fault + from;
    check->faults = count;
}
