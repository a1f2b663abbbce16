/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sweeps on a device; see end_to_end_device.h. */
#include "run/end_to_end_device.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "ft/offline.h"
#include "run/end_to_end.h"
#include "run/weights.h"

/* A plan's executables, main and padded, and directions. */
enum { FORMS = 2, DIRECTIONS = 2, CHECKS = FORMS * DIRECTIONS };

struct stfi_device_e2e {
    stfi_e2e_exec *weigher[FORMS][DIRECTIONS]; /* forward, inverse */
    stfi_e2ets weights;
};

int stfi_device_e2e_is_there(const stf_plan *plan)
{
    return plan->dev->backend->e2e != NULL;
}

size_t stfi_device_e2e_bytes(const stf_plan *plan)
{
    return stfi_e2e_desc_bytes(plan->dev, &plan->desc);
}

/* ------------------------------------------------------------------ making */

/* Checks of a plan while it is made: the vectors are the host's. */
typedef struct maker {
    const stf_plan *plan;
    stfi_device_e2e *sweep;
    stfi_ft_offline check[CHECKS];
    int checks;
} maker;

static stf_status make_weigher(maker *m, const stf_fft_desc *d, int inverse,
                               stfi_e2e_exec **exec_p)
{
    const stf_device *dev = m->plan->dev;
    stfi_ft_offline *check = &m->check[m->checks];
    stfi_e2e_desc of = stfi_e2e_desc_of(d, check);
    stfi_ft_cache *cache;
    stf_status status = stfi_device_checks(m->plan->dev, &cache);

    if (status == STF_OK)
        status = stfi_ft_offline_open(
            cache, d, inverse ? STF_INVERSE : STF_FORWARD, check);
    if (status != STF_OK)
        return status;
    m->checks++;
    status = stfi_e2ets_move(m->plan->dev, &m->sweep->weights, check);
    return status != STF_OK ? status
                            : dev->backend->e2e->create(dev->ctx, &of, exec_p);
}

static stf_status make_weighers(maker *m)
{
    const stf_plan *plan = m->plan;
    const stf_fft_desc *form[FORMS] = {
        &plan->desc, plan->padded != NULL ? &plan->padded_desc : NULL};
    stf_status status = STF_OK;

    for (int f = 0; f < FORMS; f++)
        for (int i = 0; i < DIRECTIONS && status == STF_OK; i++)
            if (form[f] != NULL && stfi_desc_has_direction(form[f], i))
                status = make_weigher(m, form[f], i, &m->sweep->weigher[f][i]);
    return status;
}

stf_status stfi_device_e2e_create(const stf_plan *plan,
                                  stfi_device_e2e **sweep_p)
{
    maker *m;
    void *memory;
    stf_status status = stfi_alloc(sizeof *m, "a check", &memory);

    if (status != STF_OK)
        return status;
    m = memory;
    m->plan = plan;
    status = stfi_alloc(sizeof *m->sweep, "a check", &memory);
    if (status == STF_OK) {
        m->sweep = memory;
        status = make_weighers(m);
    }
    for (int i = 0; i < m->checks; i++)
        stfi_ft_offline_close(&m->check[i]);
    if (status == STF_OK)
        *sweep_p = m->sweep;
    else
        stfi_device_e2e_destroy(plan, m->sweep);
    stfi_dealloc(m);
    return status;
}

void stfi_device_e2e_destroy(const stf_plan *plan, stfi_device_e2e *sweep)
{
    const stfi_backend *backend = plan->dev->backend;

    if (sweep == NULL)
        return;
    for (int i = 0; i < CHECKS; i++)
        backend->e2e->destroy(plan->dev->ctx,
                              sweep->weigher[i / DIRECTIONS][i % DIRECTIONS]);
    stfi_e2ets_free(plan->dev, &sweep->weights);
    stfi_dealloc(sweep);
}

/* --------------------------------------------------------------- execution */

stf_status stfi_device_e2e_launch(const stf_plan *plan,
                                  const stfi_device_e2e *sweep, stfi_exec *exec,
                                  const stfi_buffers *buffers, void *stream)
{
    const stfi_backend *backend = plan->dev->backend;
    const stfi_e2e_ops *e2e = backend->e2e;
    stfi_buffers b = *buffers;
    const stfi_e2e_exec *w = sweep->weigher[exec == plan->padded][b.inverse];
    void *work = (char *)b.work + plan->e2e_at;
    int repeatable = b.in != b.out;
    int executions = repeatable && plan->desc.ft.mode == STF_FT_CORRECT
                         ? STFI_E2E_EXECUTIONS
                         : 1;
    stf_status status = e2e->input(w, b.in, work, stream);

    for (int i = 0; i < executions && status == STF_OK; i++) {
        b.again = i > 0;
        b.gate = i > 0 ? e2e->gate(w, work, i) : NULL;
        status = backend->exec_launch(exec, &b, stream);
        if (status == STF_OK)
            status = e2e->output(w, b.out, work, i, stream);
    }
    return status != STF_OK
               ? status
               : e2e->conclude(w, work, repeatable, b.first_signal, stream);
}

/* ---------------------------------------------------------------- findings */

stf_status stfi_device_e2e_ledger(const stf_plan *plan, stfi_device_e2e *sweep,
                                  int reset, stfi_ft_ledger *ledger_p)
{
    stfi_ft_ledger sum, one;
    stf_status status = STF_OK;

    memset(&sum, 0, sizeof sum);
    for (int i = 0; i < CHECKS && status == STF_OK; i++) {
        stfi_e2e_exec *w = sweep->weigher[i / DIRECTIONS][i % DIRECTIONS];
        if (w == NULL)
            continue;
        status = plan->dev->backend->e2e->ledger(w, reset, &one);
        if (status == STF_OK)
            stfi_ft_ledger_add(&one, &sum);
    }
    if (status == STF_OK)
        *ledger_p = sum;
    return status;
}
