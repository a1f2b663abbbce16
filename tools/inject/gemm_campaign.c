/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Campaigns of faults in matrix products; see gemm_campaign.h. */
#include "tools/inject/gemm_campaign.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/type.h"
#include "ft/ledger.h"
#include "tools/command/command.h"

/* Kernels compare each step with each fault, so there are not too many. */
enum { MOST_AT_ONCE = 128 };

/* A fault, and what it did. */
typedef struct trial {
    stf_fault fault;
    stfi_gemm_fault place;
    int64_t tile; /* its number over the batch */
    int changed;  /* C has other bits where nothing is repaired */
    int repaired; /* and does not have them with repair */
    double change, left, error;
} trial;

typedef struct campaign {
    stfi_gemm_rig *rig;
    const stfi_gemm_chance *chance;
    int64_t tiles_m, tiles_n, tiles;
    int64_t done; /* faults so far */
    int at_once;  /* most faults of an execution */
    trial trial[MOST_AT_ONCE];
    int trials; /* of the present execution */
    void *clean, *result, *damaged;
    stfi_gemm_outcome outcome;
} campaign;

/* ------------------------------------------------------------------ places */

static int64_t tile_of(const campaign *c, const stfi_gemm_fault *f)
{
    return (f->member * c->tiles_n + f->col / c->rig->cover.tile_n) * c->tiles_m
           + f->row / c->rig->cover.tile_m;
}

/* Draws faults for the next execution, of types in turn, in different tiles. */
static stf_status draw_faults(campaign *c)
{
    const int64_t left = c->chance->faults - c->done;
    const int most = left < c->at_once ? (int)left : c->at_once;
    uint64_t state = c->chance->seed ^ (uint64_t)c->done * STFI_RANDOM_STEP;
    stf_status status = STF_OK;

    c->trials = 0;
    for (int64_t turn = 0; turn < 4 * most && c->trials < most; turn++) {
        trial *t = &c->trial[c->trials];
        int taken = 0;
        memset(t, 0, sizeof *t);
        status = stf_plan_draw_fault(c->rig->plan, stfi_random_u64(&state),
                                     &t->fault);
        if (status != STF_OK)
            return status;
        t->fault.component = (int32_t)((c->done + c->trials) % STFI_STRUCK);
        t->place = stfi_gemm_fault_place(&c->rig->gemm, &t->fault);
        t->tile = tile_of(c, &t->place);
        for (int i = 0; i < c->trials; i++)
            taken |= c->trial[i].tile == t->tile;
        c->trials += !taken;
    }
    return status;
}

/* --------------------------------------------------------------- judgement */

/* The bytes of the column `col` of a tile of C from its row `row` on. */
static size_t column_at(const campaign *c, int64_t tile, int64_t col,
                        int64_t *offset_p)
{
    const stfi_gemm_rig *r = c->rig;
    const stfi_gemm *g = &r->gemm;
    const size_t bytes = stfi_type_get(g->precision_c)->bytes;
    const int64_t row = tile % c->tiles_m * r->cover.tile_m;
    const int64_t first = tile / c->tiles_m % c->tiles_n * r->cover.tile_n;
    const int64_t member = tile / c->tiles_m / c->tiles_n;
    const int64_t rows =
        g->m - row < r->cover.tile_m ? g->m - row : r->cover.tile_m;

    if (first + col >= g->n || col >= r->cover.tile_n)
        return 0;
    *offset_p =
        (row + (first + col) * g->c.col + member * g->c.dist) * (int64_t)bytes;
    return (size_t)rows * bytes;
}

static int differs(const campaign *c, int64_t tile, const void *x,
                   const void *y)
{
    int64_t at = 0;
    size_t length;

    for (int64_t col = 0; (length = column_at(c, tile, col, &at)) > 0; col++)
        if (memcmp((const char *)x + at, (const char *)y + at, length) != 0)
            return 1;
    return 0;
}

/* The change of a line relative to its rounding error. */
static double change_of(const campaign *c, const stfi_gemm_line *line,
                        const void *x, double rounding)
{
    const stf_precision type = c->rig->full.precision_c;
    long double sum = 0;

    for (int64_t e = 0; e < line->count; e++) {
        const int64_t at = stfi_gemm_line_place(c->rig, line, e);
        const long double d =
            stfi_type_read(type, x, at) - stfi_type_read(type, c->clean, at);
        sum += d * d;
    }
    return sum == 0        ? 0
           : isfinite(sum) ? (double)sqrtl(sum) / rounding
                           : (double)INFINITY;
}

static void measure(const campaign *c, trial *t)
{
    const stfi_gemm_line line =
        stfi_gemm_line_of(c->rig, t->place.member, t->place.row, t->place.col);
    const int64_t e =
        line.by_column ? t->place.row - line.row : t->place.col - line.col;
    double rounding;

    t->changed = differs(c, t->tile, c->damaged, c->clean);
    t->repaired = t->changed && !differs(c, t->tile, c->result, c->clean);
    stfi_gemm_line_measure(c->rig, &line, e, c->clean, c->result, &rounding,
                           &t->error);
    t->change = change_of(c, &line, c->damaged, rounding);
    t->left = change_of(c, &line, c->result, rounding);
}

static void add_trial(campaign *c, const trial *t, int detected)
{
    stfi_gemm_tally *sum = &c->outcome.type[t->fault.component];
    const int corrects = c->rig->witness != NULL;
    const int missed =
        corrects ? t->left > 0 && t->left >= 0.5 * t->change : !detected;
    int class = -1;

    while (class + 1 < STFI_FLIP_CLASSES
           && t->change >= stfi_flip_at[class + 1])
        class ++;
    sum->faults++;
    sum->found += corrects ? t->repaired : detected;
    sum->harmless += !t->changed && (corrects || !detected);
    if (class >= 0) {
        sum->flips[class]++;
        sum->missed[class] += missed;
    }
    if (missed && t->change > sum->largest_missed)
        sum->largest_missed = t->change;
    if (corrects && !missed && t->error > c->outcome.worst_error)
        c->outcome.worst_error = t->error;
}

/* Counts tiles that have other bits although nothing struck them. */
static void count_spoilt(campaign *c)
{
    char *struck = NULL;
    void *mem;

    if (memcmp(c->result, c->clean, c->rig->bytes[STFI_GEMM_C]) == 0
        || stfi_alloc((size_t)c->tiles, "tiles", &mem) != STF_OK)
        return;
    struck = mem;
    for (int i = 0; i < c->trials; i++)
        struck[c->trial[i].tile] = 1;
    for (int64_t t = 0; t < c->tiles; t++)
        c->outcome.spoilt += !struck[t] && differs(c, t, c->result, c->clean);
    stfi_dealloc(mem);
}

/* -------------------------------------------------------------- executions */

static stf_status run_clean(campaign *c, int64_t turn, void *result)
{
    const int all = c->chance->kind < 0;
    stf_ft_report report;
    int kinds = 0;
    stf_status status;

    while (stfi_gemm_data_name(kinds) != NULL)
        kinds++;
    status = stfi_gemm_rig_draw(
        c->rig, all ? (int)(turn % kinds) : c->chance->kind,
        c->chance->seed + (uint64_t)turn * UINT64_C(0x9e3779b97f4a7c15));
    if (status == STF_OK)
        status =
            stfi_gemm_rig_run(c->rig, c->rig->plan, NULL, 0, result, &report);
    if (status != STF_OK)
        return status;
    c->outcome.clean_tiles += report.groups_checked;
    c->outcome.alarms += report.detected;
    stfi_ft_report_add(&report, &c->outcome.clean);
    return STF_OK;
}

static stf_status run_struck(campaign *c, stf_plan *plan, void *result,
                             stf_ft_report *report)
{
    stf_fault fault[MOST_AT_ONCE];

    for (int i = 0; i < c->trials; i++)
        fault[i] = c->trial[i].fault;
    return stfi_gemm_rig_run(c->rig, plan, fault, c->trials, result, report);
}

static stf_status run_batch(campaign *c)
{
    stf_ft_report report, other;
    stf_status status = draw_faults(c);

    if (status == STF_OK)
        status = run_clean(c, c->outcome.executions, c->clean);
    if (status == STF_OK)
        status = run_struck(c, c->rig->plan, c->result, &report);
    if (status == STF_OK && c->rig->witness != NULL)
        status = run_struck(c, c->rig->witness, c->damaged, &other);
    if (status != STF_OK)
        return status;
    c->outcome.executions++;
    stfi_ft_report_add(&report, &c->outcome.struck);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
    for (int i = 0; i < c->trials; i++)
        measure(c, &c->trial[i]);
    for (int i = 0; i < c->trials; i++)
        add_trial(c, &c->trial[i], report.detected > 0);
    count_spoilt(c);
    c->done += c->trials;
    return STF_OK;
}

/* ---------------------------------------------------------------- the run */

static stf_status open_campaign(campaign *c)
{
    const stfi_gemm_rig *r = c->rig;
    void **const results[] = {&c->clean, &c->result, &c->damaged};
    stf_status status = STF_OK;

    c->tiles_m = (r->gemm.m + r->cover.tile_m - 1) / r->cover.tile_m;
    c->tiles_n = (r->gemm.n + r->cover.tile_n - 1) / r->cover.tile_n;
    c->tiles = c->tiles_m * c->tiles_n * r->gemm.batch;
    c->at_once = r->witness == NULL        ? 1
                 : c->tiles < MOST_AT_ONCE ? (int)c->tiles
                                           : MOST_AT_ONCE;
    for (int i = 0; i < 2 + (r->witness != NULL) && status == STF_OK; i++)
        status =
            stfi_alloc_raw(r->bytes[STFI_GEMM_C], "the results", results[i]);
    if (r->witness == NULL)
        c->damaged = c->result;
    return status;
}

static void close_campaign(campaign *c)
{
    if (c->damaged != c->result)
        stfi_dealloc(c->damaged);
    stfi_dealloc(c->clean);
    stfi_dealloc(c->result);
    stfi_dealloc(c);
}

stf_status stfi_gemm_campaign_run(stfi_gemm_rig *r,
                                  const stfi_gemm_chance *chance,
                                  stfi_progress *progress,
                                  stfi_gemm_outcome *outcome_p)
{
    const double began = stfi_clock();
    int64_t turn;
    campaign *c;
    void *mem;
    stf_status status = stfi_alloc(sizeof *c, "a campaign", &mem);

    if (status != STF_OK)
        return status;
    c = mem;
    c->rig = r;
    c->chance = chance;
    stfi_ft_report_clear(&c->outcome.clean);
    stfi_ft_report_clear(&c->outcome.struck);
    status = open_campaign(c);
    while (status == STF_OK && c->done < chance->faults) {
        stfi_progress_update(progress, (double)c->done, "striking");
        status = run_batch(c);
    }
    turn = c->outcome.executions;
    while (status == STF_OK && c->outcome.clean_tiles < chance->clean_tiles) {
        stfi_progress_update(progress, (double)c->done, "without faults");
        status = run_clean(c, turn++, NULL);
    }
    c->outcome.seconds = stfi_clock() - began;
    *outcome_p = c->outcome;
    close_campaign(c);
    return status;
}
