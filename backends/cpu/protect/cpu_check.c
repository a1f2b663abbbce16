/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Settles residuals that are too large, and keeps the ledger; see
 * cpu_check.h. */
#include "backends/cpu/protect/cpu_check.h"

#include <math.h>
#include <string.h>

#include "base/status.h"

/* ------------------------------------------------------------- the ledger */

stf_status stfi_cpu_log_init(stfi_cpu_log *log)
{
    memset(&log->ledger, 0, sizeof log->ledger);
    atomic_init(&log->checked, 0);
    atomic_init(&log->worst, 0);
    if (pthread_mutex_init(&log->lock, NULL) != 0)
        return stfi_error(STF_ERR_MEMORY, "no lock for a plan's ledger");
    return STF_OK;
}

void stfi_cpu_log_destroy(stfi_cpu_log *log)
{
    pthread_mutex_destroy(&log->lock);
}

/* The bits of doubles that are not negative are in the order of the values, so
 * an atomic maximum of bits is a maximum of values. */
static unsigned long long bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double value_of(unsigned long long from)
{
    uint64_t bits = from;
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

void stfi_cpu_log_read(stfi_cpu_log *log, int reset, stfi_ft_ledger *ledger_p)
{
    pthread_mutex_lock(&log->lock);
    *ledger_p = log->ledger;
    ledger_p->checked = atomic_load(&log->checked);
    ledger_p->max_residual = value_of(atomic_load(&log->worst));
    if (reset) {
        memset(&log->ledger, 0, sizeof log->ledger);
        atomic_store(&log->checked, 0);
        atomic_store(&log->worst, 0);
    }
    pthread_mutex_unlock(&log->lock);
}

void stfi_cpu_watch_end(const stfi_cpu_watch *watch)
{
    stfi_cpu_log *log = watch->log;
    unsigned long long mine = bits_of(watch->worst);
    unsigned long long most = atomic_load(&log->worst);

    atomic_fetch_add(&log->checked, watch->checked);
    while (mine > most
           && !atomic_compare_exchange_weak(&log->worst, &most, mine))
        ;
}

/* The transform that a lane belongs to. The remainder is by the chunk's own
 * batch, since the last chunk may have fewer transforms. */
static int64_t signal_of(const stfi_cpu_watch *watch, const stfi_pass *p,
                         int64_t lane)
{
    for (int l = 0; l < p->batch_loop; l++)
        lane /= p->loop_n[l];
    return watch->first_signal + lane % watch->batch;
}

void stfi_cpu_note(stfi_cpu_watch *watch, const stfi_pass *p, int64_t lane,
                   stfi_ft_outcome outcome, double ratio, int located)
{
    stf_ft_event event = {watch->pass, signal_of(watch, p, lane), ratio};

    pthread_mutex_lock(&watch->log->lock);
    stfi_ft_note(&watch->log->ledger, watch->result, outcome, &event, located);
    pthread_mutex_unlock(&watch->log->lock);
}

/* ------------------------------------------------------- settling a tile */

static void look(const stfi_cpu_suspect *s, const stfi_cpu_group *now,
                 stfi_ft_history *h)
{
    stfi_ft_group group = {now->re * now->unit, now->im * now->unit, now->norm,
                           now->unit};
    double ratio = stfi_ft_look(&s->bound, &group, h);

    if (isfinite(ratio) && ratio > s->watch->worst)
        s->watch->worst = ratio;
}

/* Notes the outcome for each lane. If a lane has two residuals, the graver
 * outcome counts. */
static stfi_ft_outcome conclude(stfi_cpu_suspect *s, const stfi_ft_history *h)
{
    stfi_ft_outcome gravest = STFI_FT_CHECKED;
    stfi_ft_remedy remedy =
        s->p->check.correct ? STFI_FT_REPEAT : STFI_FT_REPORT_ONLY;

    for (int l = 0; l < s->lanes; l++) {
        stfi_ft_outcome worst = STFI_FT_CHECKED;
        double ratio = 0;
        for (int g = l; g < s->count; g += s->lanes) {
            stfi_ft_outcome outcome = stfi_ft_find(&h[g], remedy);
            if (!stfi_ft_is_graver(outcome, worst))
                continue;
            ratio = h[g].ratio;
            worst = outcome;
        }
        if (worst != STFI_FT_CHECKED)
            stfi_cpu_note(s->watch, s->p, s->lane + l, worst, ratio, 1);
        if (stfi_ft_is_graver(worst, gravest))
            gravest = worst;
    }
    return gravest;
}

/* Computes the tile again until every group is clean or has the same residual
 * as in the attempt before, at most up to attempt STFI_FT_ATTEMPTS. */
static void repair(stfi_cpu_suspect *s, stfi_ft_history *h)
{
    for (int attempt = 1 + s->attempts, settled; attempt <= STFI_FT_ATTEMPTS;
         attempt++) {
        settled = 1;
        for (int g = 0; g < s->count; g++)
            settled &= stfi_ft_is_settled(&h[g].state);
        if (settled)
            break;
        s->again(s->tile, attempt, s->group[0]);
        for (int g = 0; g < s->count; g++)
            look(s, &s->group[0][g], &h[g]);
    }
}

stfi_ft_outcome stfi_cpu_settle(stfi_cpu_suspect *s)
{
    stfi_ft_history h[STFI_CPU_GROUPS] = {{.ratio = 0}};

    for (int a = 0; a <= s->attempts; a++)
        for (int g = 0; g < s->count; g++)
            look(s, &s->group[a][g], &h[g]);
    if (s->p->check.correct)
        repair(s, h);
    return conclude(s, h);
}
