/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checked tiles: residuals of rows against thresholds, and what follows if one
 * is too large. The tile is computed again, before it is stored, until it is
 * clean or has the same residuals twice. A soft error does not come back with
 * the same bits; what does is rounding, which the row with the largest residual
 * must confirm: each of its elements is compared with sums in long double, and
 * may differ by the bound of any chain of k steps. Then the thresholds of the
 * launch are raised, so that data whose rounding errors all go the same way are
 * looked at once and not in every tile. */
#include <float.h>
#include <math.h>

#include "backends/cpu/gemm/gemm_exec.h"
#include "base/type.h"
#include "ft/finding.h"

/* What one look at a tile finds. */
typedef struct look {
    double ratio; /* the largest, relative to its threshold; Inf */
    int64_t row;  /* which has it */
    double residual[STFI_CPU_GEMM_VECTORS];
    int unverifiable; /* rows whose operands have Inf or NaN */
} look;

/* A tile while it is settled. */
typedef struct settling {
    stfi_cpu_gemm_run *run;
    stfi_cpu_gemm_tile *tile;
    const stfi_gemm_exec *exec;
    double slack;       /* factor of thresholds, the same for all looks */
    long double norm_b; /* of the tile's part of B; negative: not known yet */
    look last;
    double first; /* ratio of the first look that was not clean */
    stfi_ft_state state;
} settling;

/* ------------------------------------------------- norms in a wider range */

static long double element(const stfi_gemm_exec *e, const stfi_cpu_part *part,
                           int64_t i, int64_t j)
{
    return stfi_type_read(e->gemm.precision, part->at,
                          i * part->row + j * part->col);
}

static long double norm_of(const stfi_gemm_exec *e, const stfi_cpu_part *part,
                           int64_t rows, int64_t cols)
{
    long double sum = 0;

    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) {
            long double x = element(e, part, i, j);
            sum += x * x;
        }
    return sqrtl(sum);
}

static long double norm_a(const settling *s, int64_t row)
{
    stfi_cpu_part part = s->tile->a;

    part.at = (const char *)part.at + row * part.row * s->exec->bytes_ab;
    return norm_of(s->exec, &part, 1, s->exec->gemm.k);
}

static long double norm_b(settling *s)
{
    if (s->norm_b < 0)
        s->norm_b =
            norm_of(s->exec, &s->tile->b, s->exec->gemm.k, s->tile->cols);
    return s->norm_b;
}

static long double accumulator(const settling *s, int64_t i, int64_t j)
{
    const stfi_gemm_exec *e = s->exec;

    return stfi_type_read(e->math->id, s->tile->work + e->work.acc,
                          stfi_cpu_gemm_place(e->kernels, s->tile->acc_rows,
                                              s->tile->cols, i, j));
}

/* The ratio of a row whose squares are beyond the range of its precision. */
static double weigh_again(settling *s, int64_t row)
{
    const stfi_cpu_gemm_bound *b = &s->exec->bound;
    long double norms = norm_a(s, row) * norm_b(s), squares = 0, chain, tau;
    double d[STFI_CPU_GEMM_VECTORS];

    for (int64_t j = 0; j < s->tile->cols; j++) {
        long double x = accumulator(s, row, j);
        squares += x * x;
    }
    chain = sqrtl(b->chain * squares);
    tau = b->factor * (chain > norms ? chain : norms) + b->floor;
    s->exec->kernels->residual(&s->tile->sums, row, d);
    return (double)(fmaxl(fabsl(d[0]), fabsl(d[1])) / tau);
}

/* Returns 1 if what the row is made of has Inf or NaN. */
static int is_unverifiable(settling *s, int64_t row)
{
    return !isfinite(norm_b(s)) || !isfinite(norm_a(s, row));
}

/* ------------------------------------------------------------------- looks */

/* Finds the row with the largest ratio. Most tiles are clean: the loop has to
 * be short. */
static void look_at(settling *s)
{
    const stfi_gemm_exec *e = s->exec;
    double *ratio = (double *)(void *)(s->tile->work + e->work.ratio);
    look found = {.ratio = 0};

    e->kernels->judge(&s->tile->sums, &e->bound, s->tile->rows, ratio);
    for (int64_t i = 0; i < s->tile->rows; i++) {
        double r = ratio[i];
        if (r >= 0 && r <= found.ratio)
            continue;
        if (r < 0)
            r = weigh_again(s, i);
        if (!(r <= DBL_MAX)) {
            if (is_unverifiable(s, i)) {
                found.unverifiable++;
                continue;
            }
            r = INFINITY;
        }
        if (r > found.ratio) {
            found.ratio = r;
            found.row = i;
        }
    }
    e->kernels->residual(&s->tile->sums, found.row, found.residual);
    s->last = found;
}

static stfi_ft_verdict verdict_of(const settling *s)
{
    double ratio = s->last.ratio / s->slack;

    return ratio > 1                   ? STFI_FT_FAULTY
           : ratio > 0.5               ? STFI_FT_SUSPICIOUS
           : s->last.unverifiable != 0 ? STFI_FT_UNVERIFIABLE
                                       : STFI_FT_CLEAN;
}

/* Takes another look at the tile. */
static void observe(settling *s)
{
    const look before = s->last;
    stfi_ft_verdict verdict;
    int same;

    look_at(s);
    verdict = verdict_of(s);
    same = before.row == s->last.row;
    for (int w = 0; w < STFI_CPU_GEMM_VECTORS; w++)
        same &= STFI_FT_IS_SAME(before.residual[w], s->last.residual[w]);
    if (verdict != STFI_FT_CLEAN && !s->state.alarmed)
        s->first = s->last.ratio / s->slack;
    stfi_ft_observe(&s->state, verdict, same);
}

/* ------------------------------------------------------------- the arbiter */

/* Returns 1 if an element differs from its exact value by rounding alone. */
static int is_rounding(const settling *s, int64_t i, int64_t j)
{
    const stfi_gemm_exec *e = s->exec;
    const stfi_type *type = e->math;
    const int64_t k = e->gemm.k;
    long double sum = 0, magnitude = 0;

    for (int64_t p = 0; p < k; p++) {
        long double x =
            element(e, &s->tile->a, i, p) * element(e, &s->tile->b, p, j);
        sum += x;
        magnitude += fabsl(x);
    }
    return fabsl(accumulator(s, i, j) - sum)
           <= (long double)(k + 2)
                  * (type->unit_roundoff * magnitude + type->least);
}

static int is_row_rounding(const settling *s, int64_t row)
{
    for (int64_t j = 0; j < s->tile->cols; j++)
        if (!is_rounding(s, row, j))
            return 0;
    return 1;
}

/* Decides about residuals that came back the same. */
static void arbitrate(settling *s)
{
    double slack = atomic_load(&s->run->slack), wanted = 2 * s->last.ratio;

    if (!s->state.same || s->state.verdict != STFI_FT_FAULTY
        || !isfinite(s->last.ratio) || !is_row_rounding(s, s->last.row))
        return;
    s->state.verdict = STFI_FT_SUSPICIOUS;
    while (slack < wanted
           && !atomic_compare_exchange_weak(&s->run->slack, &slack, wanted))
        ;
}

/* ---------------------------------------------------------------- a tile */

static stfi_ft_outcome conclude(const settling *s, int correct)
{
    stfi_ft_outcome outcome =
        s->state.alarmed ? stfi_ft_classify(&s->state, isfinite(s->last.ratio))
                         : STFI_FT_CHECKED;

    if (correct || !stfi_ft_is_fault(outcome))
        return outcome;
    return STFI_FT_DETECTED;
}

void stfi_cpu_gemm_note(stfi_cpu_watch *watch, const stfi_cpu_gemm_tile *tile,
                        stfi_ft_outcome outcome, double ratio)
{
    const stf_ft_event event = {0, tile->member, ratio};

    if (outcome == STFI_FT_CHECKED)
        return;
    pthread_mutex_lock(&watch->log->lock);
    stfi_ft_note(&watch->log->ledger, watch->result, outcome, &event, 1);
    pthread_mutex_unlock(&watch->log->lock);
}

static settling begin_settling(stfi_cpu_gemm_run *run, stfi_cpu_gemm_tile *tile)
{
    return (settling){.run = run,
                      .tile = tile,
                      .exec = run->exec,
                      .slack = atomic_load(&run->slack),
                      .norm_b = -1};
}

/* In mode DETECT, C is what was computed first, and is computed again only if a
 * residual is above its threshold: to know whether it is rounding. */
void stfi_cpu_gemm_compute_checked(stfi_cpu_gemm_run *run,
                                   stfi_cpu_gemm_tile *tile,
                                   stfi_cpu_watch *watch)
{
    settling s = begin_settling(run, tile);
    const int correct = run->exec->gemm.ft.mode == STF_FT_CORRECT;
    int64_t different = 0;

    for (int attempt = 0; attempt <= STFI_FT_ATTEMPTS; attempt++) {
        stfi_cpu_gemm_accumulate(run, tile, attempt > 0);
        if (attempt == 0 && !correct)
            different = stfi_cpu_gemm_store(run, tile);
        observe(&s);
        if (isfinite(s.last.ratio) && s.last.ratio > watch->worst)
            watch->worst = s.last.ratio;
        if (!correct && attempt == 0 && s.state.verdict == STFI_FT_SUSPICIOUS)
            s.state = (stfi_ft_state){.verdict = STFI_FT_CLEAN};
        if (stfi_ft_is_settled(&s.state))
            break;
    }
    arbitrate(&s);
    if (correct)
        different = stfi_cpu_gemm_store(run, tile);
    watch->checked++;
    stfi_cpu_gemm_note(watch, tile, conclude(&s, correct), s.first);
    for (; different > 0; different--)
        stfi_cpu_gemm_note(watch, tile,
                           correct ? STFI_FT_RECOMPUTED : STFI_FT_DETECTED, 0);
}

stfi_ft_outcome stfi_cpu_gemm_compute_again(stfi_cpu_gemm_run *run,
                                            stfi_cpu_gemm_tile *tile)
{
    settling s = begin_settling(run, tile);

    for (int attempt = 0; attempt <= STFI_FT_ATTEMPTS; attempt++) {
        stfi_cpu_gemm_accumulate(run, tile, 1);
        observe(&s);
        if (stfi_ft_is_settled(&s.state))
            break;
    }
    arbitrate(&s);
    return conclude(&s, 1);
}
