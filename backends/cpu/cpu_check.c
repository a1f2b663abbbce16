/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Residuals that are too large, and the ledger; see cpu_check.h. */
#include "backends/cpu/cpu_check.h"

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

/* Doubles that are not negative are in the order of their bits. */
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

/* The transform that a lane belongs to. The last chunk may be short. */
static int64_t signal_of(const stfi_cpu_watch *watch, const stfi_pass *p,
                         int64_t lane)
{
    for (int l = 0; l < p->batch_loop; l++)
        lane /= p->loop_n[l];
    return watch->first_signal + lane % watch->batch;
}

static void add_event(stfi_cpu_watch *watch, const stf_ft_event *event,
                      int failed)
{
    stfi_ft_ledger *l = &watch->log->ledger;
    stfi_cpu_outcome *outcome = watch->outcome;

    l->detected++;
    l->located++;
    if (l->events < STFI_FT_EVENTS)
        l->event[l->events] = *event;
    l->events++;
    if (failed && outcome->failed++ == 0)
        outcome->failure = *event;
}

void stfi_cpu_note(stfi_cpu_watch *watch, const stfi_pass *p, int64_t lane,
                   stfi_cpu_finding finding, double ratio)
{
    stfi_ft_ledger *l = &watch->log->ledger;
    int64_t *const counts[] = {
        [STFI_CPU_RECHECKED] = &l->rechecked,
        [STFI_CPU_DETECTED] = NULL,
        [STFI_CPU_RECOMPUTED] = &l->recomputed,
        [STFI_CPU_UNCORRECTABLE] = &l->uncorrectable,
        [STFI_CPU_NON_FINITE_INPUT] = &l->non_finite_input,
        [STFI_CPU_OVERFLOWED] = &l->overflowed,
    };
    stf_ft_event event = {watch->pass, signal_of(watch, p, lane), ratio};

    pthread_mutex_lock(&watch->log->lock);
    if (counts[finding] != NULL)
        ++*counts[finding];
    if (finding == STFI_CPU_DETECTED || finding == STFI_CPU_RECOMPUTED
        || finding == STFI_CPU_UNCORRECTABLE)
        add_event(watch, &event, finding == STFI_CPU_UNCORRECTABLE);
    watch->outcome->repaired += finding == STFI_CPU_RECOMPUTED;
    pthread_mutex_unlock(&watch->log->lock);
}

/* ------------------------------------------------------------- the ladder */

enum { ATTEMPTS = 3 };

/* What is known of a group after some attempts. */
typedef struct history {
    stfi_cpu_group last;
    stfi_ft_verdict verdict;
    int same;       /* as the attempt before */
    int changed;    /* some attempt differs from the one before */
    int alarmed;    /* some attempt was not clean */
    double ratio;   /* of the first that was not, else 0 */
} history;

static int is_same(long double a, long double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void look(const stfi_cpu_suspect *s, const stfi_cpu_group *now,
                 int attempt, history *h)
{
    double ratio;

    h->verdict = stfi_ft_judge(&s->bound,
                               hypotl(now->re, now->im) * now->unit,
                               now->norm, now->unit, &ratio);
    if (isfinite(ratio) && ratio > s->watch->worst)
        s->watch->worst = ratio;
    if (h->verdict != STFI_FT_CLEAN && !h->alarmed) {
        h->alarmed = 1;
        h->ratio = ratio;
    }
    h->same = attempt > 0 && is_same(now->re, h->last.re)
              && is_same(now->im, h->last.im);
    h->changed |= attempt > 0 && !h->same;
    h->last = *now;
}

static int is_settled(const history *h)
{
    return h->verdict == STFI_FT_CLEAN || h->verdict == STFI_FT_UNVERIFIABLE
           || h->same;
}

/* What a group that was not clean has come to. */
static stfi_cpu_finding classify(const history *h, int correct)
{
    int finite = isfinite(h->last.re) && isfinite(h->last.im);

    if (h->verdict == STFI_FT_UNVERIFIABLE)
        return STFI_CPU_NON_FINITE_INPUT;
    if (!correct)
        return STFI_CPU_DETECTED;
    if (h->verdict == STFI_FT_CLEAN)
        return STFI_CPU_RECOMPUTED;
    if (h->same && h->verdict == STFI_FT_SUSPICIOUS)
        return h->changed ? STFI_CPU_RECOMPUTED : STFI_CPU_RECHECKED;
    return h->same && !finite ? STFI_CPU_OVERFLOWED : STFI_CPU_UNCORRECTABLE;
}

/* Notes what the lanes have come to. Faults that only are to be reported are
 * above the threshold. */
static void conclude(stfi_cpu_suspect *s, const history *h)
{
    int correct = s->p->check.correct;

    for (int l = 0; l < s->lanes; l++) {
        int alarmed = 0;
        stfi_cpu_finding worst = STFI_CPU_RECHECKED;
        double ratio = 0;
        for (int g = l; g < s->count; g += s->lanes) {
            stfi_cpu_finding found = classify(&h[g], correct);
            if (!h[g].alarmed || (!correct && h[g].ratio <= 1))
                continue;
            ratio = !alarmed || found > worst ? h[g].ratio : ratio;
            worst = found > worst ? found : worst;
            alarmed = 1;
        }
        if (alarmed)
            stfi_cpu_note(s->watch, s->p, s->lane + l, worst, ratio);
    }
}

/* Computes until every group is clean or as it was the time before. */
static void repair(stfi_cpu_suspect *s, history *h)
{
    for (int attempt = 1 + s->attempts, settled; attempt <= ATTEMPTS;
         attempt++) {
        settled = 1;
        for (int g = 0; g < s->count; g++)
            settled &= is_settled(&h[g]);
        if (settled)
            break;
        s->again(s->tile, attempt, s->group[0]);
        for (int g = 0; g < s->count; g++)
            look(s, &s->group[0][g], attempt, &h[g]);
    }
}

void stfi_cpu_settle(stfi_cpu_suspect *s)
{
    history h[STFI_CPU_GROUPS] = {{.same = 0}};

    for (int a = 0; a <= s->attempts; a++)
        for (int g = 0; g < s->count; g++)
            look(s, &s->group[a][g], a, &h[g]);
    if (s->p->check.correct)
        repair(s, h);
    conclude(s, h);
}
