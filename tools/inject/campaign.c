/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Campaigns of faults; see campaign.h. */
#include "tools/inject/campaign.h"

#include <math.h>
#include <string.h>

#include "support/oracle/naive.h"
#include "base/alloc.h"
#include "base/status.h"
#include "ft/ledger.h"
#include "ft/threshold.h"
#include "fft/desc.h"
#include "run/fft/fft_plan.h"
#include "support/problem/distribution.h"
#include "tools/command/command.h"

/* From this many components on, a batch is worth several threads. */
enum { SHARED_COUNT = 1 << 15 };

/* One transform of an execution. */
typedef struct slot {
    int counted; /* 1 for a trial, 0 if it only fills up the last batch */
    int struck;
    int named;     /* the report names it; used in mode DETECT */
    double change; /* by the flip, where nothing is repaired */
    double left;   /* the change that remains in spite of the protection */
    double error;  /* error of the result, in units of the bound */
} slot;

typedef struct campaign {
    stfi_rig *rig;
    stfi_chance chance;
    int64_t batch;
    double bound;
    stfi_draw *draws; /* [batch]: data of the transforms */
    slot *slots;
    int64_t neighbours;
    stf_fault *faults; /* those of the present execution */
    int nfaults;
    void *clean, *result, *damaged; /* outputs; damaged may be the result */
    void *now;                      /* output of the present execution */
    stfi_tally tally;
} campaign;

/* The error of the result of transform t, in units of the bound. Where the error of the
 * clean result is more, as with denormal numbers, only a larger one counts, in units of
 * that. The clean result is that of passes.
 * One without a fault may come from other kernels, such as those of arrays that are
 * checked as a whole, whose rounding errors are their own: data whose transform is a
 * handful of elements may exceed the bound there by luck (doc/accuracy.md), or have some
 * times the error of passes. */
static double error_in_bounds(const campaign *c, const stfi_change *change,
                              int64_t t, const void *result)
{
    const long double kernels = c->slots[t].struck ? 1.0L : 4.0L;
    long double error = sqrtl(stfi_rig_distance2(c->rig, t, result, NULL));
    long double bound = c->bound * change->norm;
    long double allowed = fmaxl(bound, kernels * change->clean);

    if (error == 0.0L || (change->clean > bound && error <= change->clean))
        return 0.0;
    return isfinite(error) && allowed > 0.0L ? (double)(error / allowed)
                                             : INFINITY;
}

/* ----------------------------------------------------------------- a batch */

/* Draws the data of the trials from `first` on. Numbers from `trials` on are no
 * trials and only fill the batch. */
static stf_status draw(campaign *c, int64_t first, int64_t trials)
{
    for (int64_t t = 0; t < c->batch; t++) {
        int64_t trial = first + t;
        slot *s = &c->slots[t];

        *s = (slot){.counted = trial < trials};
        s->struck = s->counted && stfi_chance_strikes(c->chance, trial);
        c->draws[t] = stfi_chance_draw(c->chance, trial);
    }
    return stfi_rig_draw(c->rig, c->draws);
}

/* Draws the faults of the struck transforms among turn, turn + neighbours,
 * ... */
static stf_status draw_faults(campaign *c, int64_t turn)
{
    stf_status status = STF_OK;

    c->nfaults = 0;
    for (int64_t t = turn; t < c->batch && status == STF_OK;
         t += c->neighbours) {
        stf_fault *f = &c->faults[c->nfaults];

        if (!c->slots[t].struck)
            continue;
        status = stf_plan_draw_fault(c->rig->setup.plan, ~c->draws[t].seed, f);
        f->signal = t;
        c->nfaults++;
    }
    return status;
}

/* Keeps the outputs that the present execution struck, and changed outputs of
 * transforms that no execution strikes. */
static void keep(campaign *c, int64_t turn, void *results)
{
    size_t bytes = c->rig->out_bytes;

    for (int64_t t = 0; t < c->batch; t++) {
        size_t at = (size_t)t * bytes;
        if (c->slots[t].struck
                ? t % c->neighbours == turn
                : memcmp((char *)c->now + at, (char *)c->clean + at, bytes)
                      != 0)
            memcpy((char *)results + at, (char *)c->now + at, bytes);
    }
}

/* 1 if the transform has a fault in the execution number `turn`. */
static int is_hit(const campaign *c, int64_t turn, int64_t signal)
{
    return c->slots[signal].struck && signal % c->neighbours == turn;
}

/* Returns the transform with a fault that an event is about, which names the first of
 * those that share a lane of the pass; -1 if none of them has one. */
static int64_t find_hit(const campaign *c, int64_t turn,
                        const stf_ft_event *event)
{
    const stfi_fft_plan *plan = stfi_fft_plan_of(c->rig->setup.plan);
    const int64_t shared =
        event->pass < 0
            ? 1
            : stfi_pass_transform(&plan->schedule->pass[event->pass], 1);

    for (int64_t t = event->signal; t < event->signal + shared && t < c->batch;
         t++)
        if (is_hit(c, turn, t))
            return t;
    return -1;
}

/* Marks the transforms that events name. An event that names a transform
 * without a fault is a false alarm; returns the number of these. */
static int64_t name_slots(campaign *c, int64_t turn,
                          const stfi_ft_ledger *ledger)
{
    int64_t kept =
        ledger->events < STFI_FT_EVENTS ? ledger->events : STFI_FT_EVENTS;
    int64_t innocent = 0;

    for (int64_t i = 0; i < kept; i++) {
        const int64_t signal = ledger->event[i].signal;
        int64_t hit;

        if (signal < 0 || signal >= c->batch || ledger->unlocated >> i & 1)
            continue;
        hit = find_hit(c, turn, &ledger->event[i]);
        if (hit >= 0)
            c->slots[hit].named = 1;
        else
            innocent++;
    }
    return innocent;
}

/* Used in mode DETECT when there were more events than the ledger keeps, or
 * when some name only a group. Each fault that no event names is executed once
 * more, alone, so that a detection can only be its own. */
static stf_status name_the_rest(campaign *c)
{
    stf_plan *plan = c->rig->setup.plan;
    stf_ft_report report;
    stf_status status = STF_OK;

    for (int i = 0; i < c->nfaults && status == STF_OK; i++) {
        slot *s = &c->slots[c->faults[i].signal];
        if (s->named)
            continue;
        status = stfi_rig_run(c->rig, plan, &c->faults[i], 1, c->now, &report);
        s->named = status == STF_OK && report.detected > 0;
    }
    return status;
}

/* Applies name_slots() to both ledgers of the plan: that of its passes and that
 * of its end-to-end check. *all_p is 1 if all events were kept and each names a
 * transform. */
static stf_status name_all(campaign *c, int64_t turn, int64_t *innocent_p,
                           int *all_p)
{
    const stfi_fft_plan *plan = stfi_fft_plan_of(c->rig->setup.plan);
    stfi_ft_ledger ledger[2];
    stf_status status =
        plan->head.dev->backend->fft->ledger(plan->exec, 0, &ledger[0]);

    if (status == STF_OK)
        status = stfi_e2e_ledger(plan->e2e, 0, &ledger[1]);
    if (status != STF_OK)
        return status;
    *innocent_p = 0;
    *all_p = 1;
    for (int i = 0; i < 2; i++) {
        *innocent_p += name_slots(c, turn, &ledger[i]);
        *all_p &=
            ledger[i].events <= STFI_FT_EVENTS && ledger[i].unlocated == 0;
    }
    return STF_OK;
}

/* Adds the report of an execution with faults to the tally. */
static stf_status add_report(campaign *c, int64_t turn,
                             const stf_ft_report *report)
{
    stfi_tally *sum = &c->tally;
    int64_t innocent;
    int all;
    stf_status status = name_all(c, turn, &innocent, &all);

    if (status != STF_OK)
        return status;
    sum->false_alarms += innocent;
    stfi_ft_report_add(report, &sum->struck);
    sum->struck.located -= innocent;
    if (c->rig->witness != NULL)
        sum->detected += report->detected - innocent;
    return c->rig->witness == NULL && !all ? name_the_rest(c) : STF_OK;
}

/* Executes the plan without faults. What faults change is compared with the results
 * of its passes. */
static stf_status run_clean(campaign *c)
{
    stfi_rig *r = c->rig;
    size_t bytes = (size_t)c->batch * r->out_bytes;
    stf_ft_report report;
    stf_status status =
        stfi_rig_run(r, r->setup.plan, NULL, 0, c->result, &report);

    if (status == STF_OK)
        status = stfi_rig_run_passes(r, r->setup.plan, c->clean);
    if (status != STF_OK)
        return status;
    if (c->damaged != c->result)
        memcpy(c->damaged, c->result, bytes);
    c->tally.false_alarms += report.detected;
    stfi_ft_report_add(&report, &c->tally.clean);
    return STF_OK;
}

static stf_status run_struck(campaign *c, int64_t turn)
{
    stfi_rig *r = c->rig;
    stf_ft_report report;
    stf_status status = draw_faults(c, turn);

    if (status != STF_OK || c->nfaults == 0)
        return status;
    c->tally.executions++;
    status =
        stfi_rig_run(r, r->setup.plan, c->faults, c->nfaults, c->now, &report);
    if (status != STF_OK)
        return status;
    keep(c, turn, c->result);
    status = add_report(c, turn, &report);
    if (status != STF_OK || r->witness == NULL)
        return status;
    status =
        stfi_rig_run(r, r->witness, c->faults, c->nfaults, c->now, &report);
    keep(c, turn, c->damaged);
    return status;
}

/* Compares the result of transform t with the clean one and with the truth. */
static void measure(campaign *c, int64_t t)
{
    const stfi_rig *r = c->rig;
    slot *s = &c->slots[t];
    stfi_change change;

    if (!s->struck && stfi_rig_distance2(r, t, c->result, c->clean) == 0.0L)
        return;
    change = stfi_change_of(r, t, c->clean);
    s->left = stfi_change_size(r, &change, t, c->clean, c->result);
    s->change = c->damaged == c->result
                    ? s->left
                    : stfi_change_size(r, &change, t, c->clean, c->damaged);
    s->error = error_in_bounds(c, &change, t, c->result);
}

/* 1 if a fault was missed. */
static int is_missed(const campaign *c, const slot *s)
{
    if (!s->struck)
        return 0;
    return c->rig->witness != NULL ? s->left > 0.0 && s->left >= 0.5 * s->change
                                   : !s->named;
}

/* 1 if a fault was missed in a transform, or in one that shares lanes of a pass. */
static int is_spoiled(const campaign *c, int64_t t)
{
    const stfi_schedule *s = stfi_fft_plan_of(c->rig->setup.plan)->schedule;
    int64_t shared = 1, first;
    int spoiled = 0;

    for (int i = 0; i < s->npasses; i++)
        if (stfi_pass_transform(&s->pass[i], 1) > shared)
            shared = stfi_pass_transform(&s->pass[i], 1);
    first = t / shared * shared;
    for (t = first; t < first + shared && t < c->batch; t++)
        spoiled |= is_missed(c, &c->slots[t]);
    return spoiled;
}

static void add_slot(campaign *c, int64_t t)
{
    const slot *s = &c->slots[t];
    stfi_tally *sum = &c->tally;
    int class = -1;

    sum->trials += s->counted;
    sum->faults += s->struck;
    /* Without a witness, named transforms are counted and not detections, as
     * damage that goes on to the next pass may be detected there again. */
    if (c->rig->witness == NULL)
        sum->detected += s->named;
    while (class + 1 < STFI_FLIP_CLASSES
           && s->change >= stfi_flip_at[class + 1])
        class ++;
    if (s->struck && class >= 0) {
        sum->flips[class]++;
        sum->missed[class] += is_missed(c, s);
    }
    /* A transform without a fault is judged too: protection must not change
     * it. */
    if (c->rig->witness != NULL && s->error > sum->worst_error
        && !is_spoiled(c, t))
        sum->worst_error = s->error;
}

static stf_status run_batch(campaign *c, int64_t first, int64_t trials)
{
    int64_t batch = c->batch;
    stf_status status = draw(c, first, trials);

    if (status == STF_OK)
        status = run_clean(c);
    for (int64_t turn = 0; turn < c->neighbours && status == STF_OK; turn++)
        status = run_struck(c, turn);
    if (status != STF_OK)
        return status;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (batch * c->rig->out_count \
                                              > SHARED_COUNT)
#endif
    for (int64_t t = 0; t < batch; t++)
        measure(c, t);
    for (int64_t t = 0; t < batch; t++)
        add_slot(c, t);
    return STF_OK;
}

/* ---------------------------------------------------------------- the run */

static stf_status open_lists(campaign *c)
{
    size_t batch = (size_t)c->batch;
    void *memory[3] = {NULL, NULL, NULL};
    const size_t bytes[3] = {sizeof *c->draws, sizeof *c->slots,
                             sizeof *c->faults};
    stf_status status = STF_OK;

    for (int i = 0; i < 3 && status == STF_OK; i++)
        status = stfi_alloc(batch * bytes[i], "a campaign", &memory[i]);
    c->draws = memory[0];
    c->slots = memory[1];
    c->faults = memory[2];
    return status;
}

static stf_status open_campaign(campaign *c)
{
    stf_status status = open_lists(c);

    if (status == STF_OK)
        status = stfi_rig_results(c->rig, &c->clean);
    if (status == STF_OK)
        status = stfi_rig_results(c->rig, &c->result);
    if (status == STF_OK)
        status = stfi_rig_results(c->rig, &c->now);
    if (status == STF_OK)
        status = stfi_rig_neighbours(c->rig, &c->neighbours);
    c->damaged = c->result;
    if (status == STF_OK && c->rig->witness != NULL)
        status = stfi_rig_results(c->rig, &c->damaged);
    return status;
}

static void close_campaign(campaign *c)
{
    stfi_dealloc(c->draws);
    stfi_dealloc(c->slots);
    stfi_dealloc(c->faults);
    if (c->damaged != c->result)
        stfi_dealloc(c->damaged);
    stfi_dealloc(c->clean);
    stfi_dealloc(c->result);
    stfi_dealloc(c->now);
}

stf_status stfi_campaign_run(stfi_rig *r, int64_t trials, stfi_chance chance,
                             stfi_progress *progress, stfi_tally *tally_p)
{
    campaign c = {.rig = r,
                  .chance = chance,
                  .batch = r->setup.full.batch,
                  .bound = stfi_naive_bound(&r->setup.full)};
    double began = stfi_clock();
    stf_status status = open_campaign(&c);

    stfi_ft_report_clear(&c.tally.clean);
    stfi_ft_report_clear(&c.tally.struck);
    for (int64_t t = 0; t < trials && status == STF_OK; t += c.batch) {
        stfi_progress_update(progress, (double)t, "striking");
        status = run_batch(&c, t, trials);
    }
    c.tally.seconds = stfi_clock() - began;
    close_campaign(&c);
    if (status == STF_OK)
        *tally_p = c.tally;
    return status;
}
