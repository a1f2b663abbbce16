/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks from input to output; see sweep.h. */
#include "run/end_to_end.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "ft/offline.h"
#include "run/end_to_end_device.h"

/* Elements that are worth waking a thread. */
enum { SHARED = 16384 };

/* One form of the plan's arrays: by direction (forward, inverse), its check,
 * and how many bytes its transforms are apart. */
typedef struct form {
    stfi_ft_offline check[2];
    int open[2];
    int64_t in_dist, out_dist;
} form;

typedef struct stfi_e2e {
    stfi_device_e2e *device; /* NULL: the host does the sweeps, with */
    form form[2];            /* of the plan's executables: main, padded */
    int threads;
    pthread_mutex_t lock; /* of the ledger */
    stfi_ft_ledger ledger;
} stfi_e2e;

/* What is known of one transform of an execution. */
typedef struct account {
    stfi_ft_group in;
    stfi_ft_history history;
} account;

/* An execution, as all threads see it. */
typedef struct sweeping {
    const form *form;
    const stfi_ft_offline *check;
    const char *in, *out;
    account *account; /* [batch] */
    int64_t batch;
    int threads;
    atomic_int alarms;     /* residuals that were not clean so far */
    atomic_int unsettled;  /* residuals that ask for another attempt */
    _Atomic(double) worst; /* ratio */
} sweeping;

/* ----------------------------------------------------------------- making */

int stfi_e2e_wanted(const stf_plan *plan)
{
    const stf_ft_desc *ft = &plan->desc.ft;

    return (ft->mode == STF_FT_DETECT || ft->mode == STF_FT_CORRECT)
           && (ft->level == STF_FT_OFFLINE || ft->end_to_end);
}

size_t stfi_e2e_bytes(const stf_plan *plan)
{
    if (!stfi_e2e_wanted(plan))
        return 0;
    return stfi_device_e2e_is_there(plan)
               ? stfi_device_e2e_bytes(plan)
               : (size_t)plan->desc.batch * sizeof(account);
}

/* Threads that pay. */
static int useful_threads(const stf_plan *plan)
{
    const stf_fft_desc *d = &plan->desc;
    double elements = (double)d->batch;
    stfi_caps caps;
    int threads = d->threads;

    for (int a = 0; a < d->rank; a++)
        elements *= (double)d->n[a];
    if (threads == 0)
        threads = plan->dev->backend->caps(plan->dev->ctx, &caps) == STF_OK
                      ? caps.units
                      : 1;
    if (elements / SHARED < threads)
        threads = (int)(elements / SHARED);
    return threads > 1 ? threads : 1;
}

static stf_status open_form(stf_plan *plan, const stf_fft_desc *d, form *f)
{
    const stfi_kind *kind = stfi_kind_get(d->kind);
    int64_t bytes = (int64_t)stfi_type_get(d->precision)->bytes;
    stfi_ft_cache *cache;
    stf_status status = stfi_device_checks(plan->dev, &cache);

    f->in_dist = d->in.dist * bytes * (kind->real_in ? 1 : 2);
    f->out_dist = d->out.dist * bytes * (kind->real_out ? 1 : 2);
    for (int i = 0; i < 2 && status == STF_OK; i++) {
        if (!stfi_desc_has_direction(d, i))
            continue;
        status = stfi_ft_offline_open(cache, d, i ? STF_INVERSE : STF_FORWARD,
                                      &f->check[i]);
        f->open[i] = status == STF_OK;
    }
    return status;
}

stf_status stfi_e2e_create(stf_plan *plan)
{
    stfi_e2e *sweep;
    void *mem;
    stf_status status;

    if (!stfi_e2e_wanted(plan))
        return STF_OK;
    if ((status = stfi_alloc(sizeof *sweep, "a check", &mem)) != STF_OK)
        return status;
    sweep = mem;
    if (pthread_mutex_init(&sweep->lock, NULL) != 0) {
        stfi_dealloc(sweep);
        return stfi_error(STF_ERR_MEMORY, "no lock for a plan's ledger");
    }
    plan->e2e = sweep; /* destroyed with the plan */
    if (stfi_device_e2e_is_there(plan))
        return stfi_device_e2e_create(plan, &sweep->device);
    sweep->threads = useful_threads(plan);
    status = open_form(plan, &plan->desc, &sweep->form[0]);
    if (status == STF_OK && plan->padded != NULL)
        status = open_form(plan, &plan->padded_desc, &sweep->form[1]);
    return status;
}

void stfi_e2e_destroy(stf_plan *plan)
{
    stfi_e2e *sweep = plan->e2e;

    if (sweep == NULL)
        return;
    stfi_device_e2e_destroy(plan, sweep->device);
    for (int f = 0; f < 2; f++)
        for (int i = 0; i < 2; i++)
            if (sweep->form[f].open[i])
                stfi_ft_offline_close(&sweep->form[f].check[i]);
    pthread_mutex_destroy(&sweep->lock);
    stfi_dealloc(sweep);
    plan->e2e = NULL;
}

/* -------------------------------------------------------------- the sweeps */

static void begin_one(sweeping *s, int64_t t)
{
    account *a = &s->account[t];

    memset(a, 0, sizeof *a);
    a->in = stfi_ft_offline_in(s->check, s->in + t * s->form->in_dist);
}

static void look_at_one(sweeping *s, int64_t t)
{
    account *a = &s->account[t];
    stfi_ft_group d =
        stfi_ft_offline_out(s->check, &a->in, s->out + t * s->form->out_dist);
    double ratio = stfi_ft_look(&s->check->bound, &d, &a->history);
    double worst = atomic_load(&s->worst);

    while (isfinite(ratio) && ratio > worst
           && !atomic_compare_exchange_weak(&s->worst, &worst, ratio))
        ;
    if (a->history.state.verdict != STFI_FT_CLEAN)
        atomic_fetch_add(&s->alarms, 1);
    if (!stfi_ft_is_settled(&a->history.state))
        atomic_fetch_add(&s->unsettled, 1);
}

/* One step for every transform. Threads that have none left help with the
 * sums of long ones. */
static void each(sweeping *s, void (*step)(sweeping *s, int64_t t))
{
#ifdef _OPENMP
    if (s->threads > 1) {
#pragma omp parallel for num_threads(s->threads) schedule(dynamic)
        for (int64_t t = 0; t < s->batch; t++)
            step(s, t);
        return;
    }
#endif
    for (int64_t t = 0; t < s->batch; t++)
        step(s, t);
}

/* ---------------------------------------------------------------- findings */

static stfi_ft_remedy remedy_of(const stf_plan *plan, int repeatable)
{
    return plan->desc.ft.mode != STF_FT_CORRECT ? STFI_FT_REPORT_ONLY
           : repeatable                         ? STFI_FT_REPEAT
                                                : STFI_FT_NO_INPUT;
}

/* Adds an execution to the ledger, and says what came of it. */
static stf_status conclude(const stf_plan *plan, sweeping *s, int repeatable)
{
    stfi_ft_ledger *ledger = &plan->e2e->ledger;
    stfi_ft_remedy remedy = remedy_of(plan, repeatable);
    stfi_ft_result result = {.failed = 0};

    pthread_mutex_lock(&plan->e2e->lock);
    ledger->checked += s->batch;
    if (s->worst > ledger->max_residual)
        ledger->max_residual = s->worst;
    for (int64_t t = 0; t < s->batch && s->alarms > 0; t++) {
        const stfi_ft_history *h = &s->account[t].history;
        stf_ft_event event = {.pass = -1, .signal = t, .residual = h->ratio};
        stfi_ft_outcome outcome = stfi_ft_find(h, remedy);
        if (outcome != STFI_FT_CHECKED)
            stfi_ft_note(ledger, &result, outcome, &event, 1);
    }
    pthread_mutex_unlock(&plan->e2e->lock);
    if (result.failed > 0)
        return stfi_error(
            STF_ERR_UNCORRECTED,
            "%lld checksums, the first of "
            "transform %lld, did not agree from input to "
            "output, and %s",
            (long long)result.failed, (long long)result.failure.signal,
            repeatable ? "computing again did not help"
                       : "in place there is no input to compute again of");
    return result.repaired > 0 ? STF_CORRECTED : STF_OK;
}

/* -------------------------------------------------------------- executions */

/* Of two in a row: the first error, else the graver remark. */
static stf_status join(stf_status first, stf_status second)
{
    if (first < STF_OK || second < STF_OK)
        return first < STF_OK ? first : second;
    return first > second ? first : second;
}

/* 1 if there is an output to be looked at. */
static int is_complete(stf_status status)
{
    return status >= STF_OK || status == STF_ERR_UNCORRECTED;
}

static stf_status launch_on_host(const stf_plan *plan, stfi_exec *exec,
                                 const stfi_buffers *buffers, void *stream)
{
    const form *f = &plan->e2e->form[exec == plan->padded];
    stfi_buffers b = *buffers;
    int repeatable = b.in != b.out;
    stf_status status = STF_OK;
    sweeping s = {
        .form = f,
        .check = &f->check[b.inverse],
        .in = b.in,
        .out = b.out,
        .account = (account *)((char *)b.work + plan->e2e_at),
        .batch = plan->desc.batch,
        .threads = plan->e2e->threads,
    };

    each(&s, begin_one);
    for (int i = 0; i < STFI_E2E_EXECUTIONS; i++) {
        b.again = i > 0;
        status =
            join(status, plan->dev->backend->exec_launch(exec, &b, stream));
        if (!is_complete(status))
            return status;
        atomic_store(&s.unsettled, 0);
        each(&s, look_at_one);
        if (s.unsettled == 0 || !repeatable
            || plan->desc.ft.mode != STF_FT_CORRECT)
            break;
    }
    return join(status, conclude(plan, &s, repeatable));
}

stf_status stfi_e2e_launch(const stf_plan *plan, stfi_exec *exec,
                           const stfi_buffers *buffers, void *stream)
{
    if (plan->e2e == NULL)
        return plan->dev->backend->exec_launch(exec, buffers, stream);
    return plan->e2e->device != NULL
               ? stfi_device_e2e_launch(plan, plan->e2e->device, exec, buffers,
                                        stream)
               : launch_on_host(plan, exec, buffers, stream);
}

stf_status stfi_e2e_ledger(const stf_plan *plan, int reset,
                           stfi_ft_ledger *ledger_p)
{
    stfi_e2e *sweep = plan->e2e;

    if (sweep != NULL && sweep->device != NULL)
        return stfi_device_e2e_ledger(plan, sweep->device, reset, ledger_p);
    memset(ledger_p, 0, sizeof *ledger_p);
    if (sweep == NULL)
        return STF_OK;
    pthread_mutex_lock(&sweep->lock);
    *ledger_p = sweep->ledger;
    if (reset)
        memset(&sweep->ledger, 0, sizeof sweep->ledger);
    pthread_mutex_unlock(&sweep->lock);
    return STF_OK;
}
