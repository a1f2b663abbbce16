/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* End-to-end checks; see end_to_end.h. */
#include "run/end_to_end/end_to_end.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "fft/desc.h"
#include "run/end_to_end/end_to_end_device.h"
#include "run/end_to_end/input_bits.h"
#include "run/end_to_end/look.h"
#include "run/end_to_end/weights.h"

/* The least number of elements for which another thread pays. */
enum { SHARED = 16384 };

struct stfi_e2e {
    stf_device *dev;
    size_t work_at;
    int64_t batch;
    int correct;
    int passes;              /* 1: passes are checked, too */
    stfi_device_e2e *device; /* NULL: the host computes the sums, as follows */
    stfi_e2e_form form[STFI_E2E_FORMS];
    int threads;
    pthread_mutex_t lock; /* protects the ledger */
    stfi_ft_ledger ledger;
};

/* ----------------------------------------------------------------- making */

size_t stfi_e2e_bytes(const stf_device *dev, const stf_fft_desc *full)
{
    return stfi_device_e2e_is_there(dev) ? stfi_e2e_desc_bytes(dev, full)
                                         : stfi_e2e_look_bytes(full->batch);
}

/* Returns how many threads pay. */
static int useful_threads(const stf_device *dev, const stf_fft_desc *d)
{
    double elements = (double)d->batch;
    int threads = stfi_device_threads(dev, d->threads);

    for (int a = 0; a < d->rank; a++)
        elements *= (double)d->n[a];
    if (elements / SHARED < threads)
        threads = (int)(elements / SHARED);
    return threads > 1 ? threads : 1;
}

static stf_status open_form(stf_device *dev, const stf_fft_desc *d,
                            double roundings, stfi_e2e_form *f)
{
    const stfi_kind *kind = stfi_kind_get(d->kind);
    int64_t bytes = (int64_t)stfi_type_get(d->precision)->bytes;
    stfi_ft_cache *cache;
    stf_status status = stfi_device_checks(dev, &cache);

    f->knows_scale = !stfi_kind_is_r2r(d->kind);
    f->component = bytes;
    f->in_dist = d->in.dist * bytes * (kind->real_in ? 1 : 2);
    f->out_dist = d->out.dist * bytes * (kind->real_out ? 1 : 2);
    for (int i = 0; i < STFI_E2E_DIRECTIONS && status == STF_OK; i++) {
        if (!stfi_desc_has_direction(d, i))
            continue;
        status = stfi_ft_offline_open(cache, d, i ? STF_INVERSE : STF_FORWARD,
                                      stfi_device_row_sums(dev, d->precision),
                                      &f->check[i]);
        f->open[i] = status == STF_OK;
        if (f->open[i])
            stfi_ft_offline_allow(&f->check[i], d, roundings);
        f->many[i] = f->open[i] && stfi_ft_offline_is_many(&f->check[i]);
    }
    return status;
}

/* Opens checks that the device computes, or else checks by host threads. */
static stf_status open_checks(stfi_e2e *e2e, const stfi_e2e_forms *forms)
{
    stf_status status = STF_OK;

    if (stfi_device_e2e_is_there(e2e->dev))
        return stfi_device_e2e_create(e2e->dev, forms, e2e->work_at,
                                      &e2e->device);
    e2e->threads = useful_threads(e2e->dev, forms->desc[STFI_E2E_MAIN]);
    for (int f = 0; f < STFI_E2E_FORMS && status == STF_OK; f++)
        if (forms->desc[f] != NULL)
            status = open_form(e2e->dev, forms->desc[f], forms->roundings,
                               &e2e->form[f]);
    return status;
}

stf_status stfi_e2e_create(stf_device *dev, const stfi_e2e_forms *forms,
                           size_t work_at, stfi_e2e **e2e_p)
{
    const stf_fft_desc *full = forms->desc[STFI_E2E_MAIN];
    stfi_e2e *e2e;
    void *mem;
    stf_status status = stfi_alloc(sizeof *e2e, "a check", &mem);

    if (status != STF_OK)
        return status;
    e2e = mem;
    if (pthread_mutex_init(&e2e->lock, NULL) != 0) {
        stfi_dealloc(e2e);
        return stfi_error(STF_ERR_MEMORY, "no lock for a plan's ledger");
    }
    e2e->dev = dev;
    e2e->work_at = work_at;
    e2e->batch = full->batch;
    e2e->correct = full->ft.mode == STF_FT_CORRECT;
    e2e->passes = full->ft.level != STF_FT_OFFLINE;
    status = open_checks(e2e, forms);
    if (status == STF_OK)
        *e2e_p = e2e;
    else
        stfi_e2e_destroy(e2e);
    return status;
}

void stfi_e2e_destroy(stfi_e2e *e2e)
{
    if (e2e == NULL)
        return;
    stfi_device_e2e_destroy(e2e->device);
    for (int f = 0; f < STFI_E2E_FORMS; f++)
        for (int i = 0; i < STFI_E2E_DIRECTIONS; i++)
            if (e2e->form[f].open[i])
                stfi_ft_offline_close(&e2e->form[f].check[i]);
    pthread_mutex_destroy(&e2e->lock);
    stfi_dealloc(e2e);
}

/* An execution and those that repeat it. */
typedef struct run {
    stfi_exec *exec;
    stfi_buffers b;
    void *stream;
    int executions;     /* so far */
    stf_status last;    /* of the last one */
    stf_status remark;  /* the gravest of all */
    int is_signed;      /* launches have signatures (stfi_fft_ops): */
    uint64_t signature; /* what it is without faults, */
    stfi_buffers sign;  /* with these buffers, */
    double scale;       /* with this scale; */
    int lost, is_lost;  /* how many were wrong, and if the last one was */
    int64_t unverified; /* groups that the last one could not verify */
    int keeps_bits;     /* the input is compared with what it was: its bits */
    uint64_t bits;
    int changed; /* it is another one */
} run;

/* ---------------------------------------------------------------- findings */

static stfi_ft_remedy remedy_of(const stfi_e2e *e2e, int repeatable)
{
    return !e2e->correct ? STFI_FT_REPORT_ONLY
           : repeatable  ? STFI_FT_REPEAT
                         : STFI_FT_NO_INPUT;
}

/* Notes what came of all transforms. Returns 1 if all are clean. */
static int note_all(stfi_ft_ledger *ledger, const stfi_e2e_look *s,
                    stfi_ft_remedy remedy, stfi_ft_result *result)
{
    int clean = 1;

    ledger->checked += s->batch;
    if (s->worst > ledger->max_residual)
        ledger->max_residual = s->worst;
    for (int64_t t = 0; t < s->batch && s->alarms > 0; t++) {
        const stfi_ft_history *h = &s->account[t].history;
        stf_ft_event event = {.pass = -1, .signal = t};
        stfi_ft_outcome outcome;
        if (!stfi_e2e_has_account(s, t))
            continue;
        event.residual = h->ratio;
        outcome = s->account[t].changed ? STFI_FT_UNCORRECTABLE
                                        : stfi_ft_find(h, remedy);
        clean &= !s->account[t].changed && h->state.verdict == STFI_FT_CLEAN;
        if (outcome != STFI_FT_CHECKED)
            stfi_ft_note(ledger, result, outcome, &event, 1);
    }
    return clean;
}

/* Notes that the input changed, unless sums have said of which transform. */
static void note_changed(stfi_ft_ledger *ledger, stfi_ft_remedy remedy,
                         stfi_ft_result *result)
{
    const stf_ft_event event = {-1, 0, INFINITY};

    if (result->failed == 0)
        stfi_ft_note(ledger, result,
                     remedy == STFI_FT_REPORT_ONLY ? STFI_FT_DETECTED
                                                   : STFI_FT_UNCORRECTABLE,
                     &event, 0);
}

/* Notes executions whose signature was wrong. Which transforms that concerns is not
 * known. */
static void note_lost(stfi_ft_ledger *ledger, const run *r,
                      stfi_ft_remedy remedy, stfi_ft_result *result)
{
    const stf_ft_event event = {-1, 0, INFINITY};

    if (r->is_lost && remedy == STFI_FT_NO_INPUT)
        stfi_ft_note(ledger, result, STFI_FT_UNCORRECTABLE, &event, 0);
    else if (r->lost > 0)
        stfi_ft_note(ledger, result,
                     stfi_ft_conclude_twice(remedy, !r->is_lost), &event, 0);
}

/* Adds the results of an execution to the ledger, and returns its status. last:
 * the status of the last launch. What passes could not repair in an earlier one
 * has been repaired if the last one succeeded and every transform is clean from
 * input to output. The passes' ledger has counted these groups as
 * uncorrectable; taking them back here makes the sum of both ledgers right. */
static stf_status conclude(stfi_e2e *e2e, const run *r, const stfi_e2e_look *s)
{
    stfi_ft_ledger *ledger = &e2e->ledger;
    stfi_ft_remedy remedy = remedy_of(e2e, s->repeatable);
    stfi_ft_result result = {.failed = 0};
    int mended;

    pthread_mutex_lock(&e2e->lock);
    note_lost(ledger, r, remedy, &result);
    mended = note_all(ledger, s, remedy, &result) && s->failed > 0
             && r->last >= STF_OK && !r->is_lost && !r->changed;
    if (r->changed)
        note_changed(ledger, remedy, &result);
    if (mended) {
        ledger->uncorrectable -= s->failed;
        ledger->recomputed += s->failed;
    }
    pthread_mutex_unlock(&e2e->lock);
    if (result.failed > 0)
        return stfi_error(
            STF_ERR_UNCORRECTED,
            "%lld checksums, the first of "
            "transform %lld, did not agree from input to "
            "output, and %s",
            (long long)result.failed, (long long)result.failure.signal,
            s->repeatable ? "computing again did not help"
                          : "in place there is no input to compute again of");
    if (s->failed > 0 && !mended)
        return STF_ERR_UNCORRECTED; /* the launch has said why */
    return mended || result.repaired > 0 ? STF_CORRECTED : STF_OK;
}

/* -------------------------------------------------------------- executions */

/* Combines two statuses in a row: the first error, or else the graver of two
 * remarks. */
static stf_status join(stf_status first, stf_status second)
{
    if (first < STF_OK || second < STF_OK)
        return first < STF_OK ? first : second;
    return first > second ? first : second;
}

/* Returns 1 if there is an output to check. */
static int is_complete(stf_status status)
{
    return status >= STF_OK || status == STF_ERR_UNCORRECTED;
}

/* Finds out whether the signature of a launch is wrong. If it seems so, the fault
 * may have been in what it was expected to be, which is then computed again. */
static int is_wrong(const stfi_fft_ops *fft, run *r, uint64_t found)
{
    if (r->is_signed && found != r->signature)
        fft->signature(r->exec, &r->sign, &r->signature);
    return r->is_signed && found != r->signature;
}

/* Executes. *failed_p is raised by the groups that passes could not repair. */
static void execute(const stfi_e2e *e2e, run *r, int64_t *failed_p)
{
    const stfi_fft_ops *fft = e2e->dev->backend->fft;
    stfi_signature found = {.sum = ~r->signature};
    int64_t failed = 0;

    r->b.failed = &failed;
    r->b.signature = &found;
    r->b.again = r->executions++ > 0;
    r->last = fft->launch(r->exec, &r->b, r->stream);
    r->remark = r->last > r->remark ? r->last : r->remark;
    r->is_lost = is_wrong(fft, r, found.sum);
    r->lost += r->is_lost;
    r->unverified = found.unverified;
    *failed_p += failed;
}

/* Returns 1 if what the last launch made has to be computed again. What passes
 * could not repair in two executions is not expected to be repaired by
 * more. */
static int needs_another(const stfi_e2e_look *s, const run *r)
{
    return s->unsettled > 0 || r->is_lost
           || (r->last == STF_ERR_UNCORRECTED && r->executions == 1);
}

/* Executes with sums over all inputs and outputs, until these agree. is_done: the
 * sums are of an execution that there was already. */
static void launch_summed(stfi_e2e *e2e, run *r, stfi_e2e_look *s, int is_done)
{
    stfi_e2e_look_begin(s, (char *)r->b.work + e2e->work_at);
    do {
        if (!is_done)
            execute(e2e, r, &s->failed);
        if (!is_complete(r->last))
            return;
        is_done = 0;
        stfi_e2e_look_at_all(s, e2e->correct);
    } while (r->executions < STFI_E2E_EXECUTIONS && s->repeatable
             && e2e->correct && needs_another(s, r));
}

static uint64_t bits_of_input(const stfi_e2e *e2e, const stfi_e2e_look *s)
{
    return stfi_e2e_input_bits(&s->check->in, s->form->component,
                               s->form->in_dist, e2e->batch, s->in);
}

/* Executes with a signature, which says as much as sums would: so all transforms
 * count as checked. If it is wrong, or a pass could not repair something, the
 * execution is repeated with sums; and sums are made if the passes could not
 * verify their data. What it has to be is computed with the scale that the check
 * has, so that it shows a launch with another one. */
static void launch_signed(stfi_e2e *e2e, run *r, stfi_e2e_look *s)
{
    execute(e2e, r, &s->failed);
    if (s->repeatable && is_complete(r->last)) {
        if (e2e->correct && (r->is_lost || r->last == STF_ERR_UNCORRECTED)) {
            r->b.scale = r->scale;
            launch_summed(e2e, r, s, 0);
        } else if (r->unverified > 0)
            launch_summed(e2e, r, s, 1);
    }
}

/* Neither a signature nor sums tell whether a store to a wrong address has hit the
 * input before it was read: sums that are made again agree with the output then. So
 * the bits of an input that is not overwritten are compared with what they are before
 * anything else is done. A fault in a sum leaves them as they are. */
static void keep_bits(const stfi_e2e *e2e, run *r, const stfi_e2e_look *s)
{
    r->keeps_bits =
        e2e->passes && s->repeatable
        && stfi_e2e_keeps_bits(&s->check->in, s->form->component, e2e->batch);
    if (r->keeps_bits)
        r->bits = bits_of_input(e2e, s);
}

static int has_changed(const stfi_e2e *e2e, const run *r,
                       const stfi_e2e_look *s)
{
    return r->keeps_bits && bits_of_input(e2e, s) != r->bits
           && bits_of_input(e2e, s) != r->bits;
}

static stf_status launch_on_host(stfi_e2e *e2e, stfi_e2e_which which,
                                 stfi_exec *exec, const stfi_buffers *buffers,
                                 void *stream)
{
    const stfi_fft_ops *fft = e2e->dev->backend->fft;
    const stfi_e2e_form *f = &e2e->form[which];
    run r = {.exec = exec, .b = *buffers, .sign = *buffers, .stream = stream};
    stfi_e2e_look s = {
        .form = f,
        .check = &f->check[buffers->inverse],
        .in = buffers->in,
        .out = buffers->out,
        .batch = e2e->batch,
        .threads = e2e->threads,
        .repeatable = buffers->in != buffers->out,
        .many = f->many[buffers->inverse],
    };

    r.sign.scale = r.scale = f->knows_scale ? s.check->scale : buffers->scale;
    keep_bits(e2e, &r, &s);
    r.is_signed = e2e->passes && fft->signature != NULL
                  && fft->signature(exec, &r.sign, &r.signature);
    if (r.is_signed)
        launch_signed(e2e, &r, &s);
    else
        launch_summed(e2e, &r, &s, 0);
    if (!is_complete(r.last))
        return r.last;
    r.changed = has_changed(e2e, &r, &s);
    return join(r.remark, conclude(e2e, &r, &s));
}

stf_status stfi_e2e_launch(stfi_e2e *e2e, stfi_e2e_which which, stfi_exec *exec,
                           const stfi_buffers *buffers, void *stream)
{
    return e2e->device != NULL
               ? stfi_device_e2e_launch(e2e->device, which, exec, buffers,
                                        stream)
               : launch_on_host(e2e, which, exec, buffers, stream);
}

stf_status stfi_e2e_ledger(stfi_e2e *e2e, int reset, stfi_ft_ledger *ledger_p)
{
    if (e2e != NULL && e2e->device != NULL)
        return stfi_device_e2e_ledger(e2e->device, reset, ledger_p);
    memset(ledger_p, 0, sizeof *ledger_p);
    if (e2e == NULL)
        return STF_OK;
    pthread_mutex_lock(&e2e->lock);
    *ledger_p = e2e->ledger;
    if (reset)
        memset(&e2e->ledger, 0, sizeof e2e->ledger);
    pthread_mutex_unlock(&e2e->lock);
    return STF_OK;
}
