/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks of transforms in device memory; see check_device.h. */
#include "run/check/check_device.h"

#include "ft/offline.h"
#include "run/end_to_end/weights.h"

/* The resources of a check while it runs. */
typedef struct checker {
    stf_device *dev;
    stfi_ft_offline check;
    stfi_e2e_weights weights;
    stfi_e2e_exec *exec;
    void *work;
} checker;

int stfi_check_device_is_there(const stf_device *dev)
{
    return dev->backend->e2e != NULL;
}

static stf_status open_checker(const stf_fft_desc *full,
                               stf_direction direction, checker *c)
{
    const stfi_backend *backend = c->dev->backend;
    stfi_e2e_desc of;
    stfi_ft_cache *cache;
    stf_status status = stfi_device_checks(c->dev, &cache);

    if (status == STF_OK)
        status = stfi_ft_offline_open(cache, full, direction, NULL, &c->check);
    if (status == STF_OK)
        status = stfi_e2e_weights_move(c->dev, &c->weights, &c->check);
    if (status != STF_OK)
        return status;
    of = stfi_e2e_desc_of(full, &c->check);
    of.correct = 0;
    status = backend->e2e->create(c->dev->ctx, &of, &c->exec);
    return status != STF_OK
               ? status
               : backend->device->mem_alloc(
                   c->dev->ctx, stfi_e2e_desc_bytes(c->dev, full), &c->work);
}

static void close_checker(checker *c)
{
    const stfi_backend *backend = c->dev->backend;

    backend->device->mem_free(c->dev->ctx, c->work);
    backend->e2e->destroy(c->dev->ctx, c->exec);
    stfi_e2e_weights_free(c->dev, &c->weights);
    stfi_ft_offline_close(&c->check);
}

static stf_status run(const checker *c, const void *in, const void *out,
                      stfi_ft_ledger *ledger_p)
{
    const stfi_backend *backend = c->dev->backend;
    const stfi_e2e_ops *e2e = backend->e2e;
    stf_status status = e2e->input(c->exec, in, c->work, 0, NULL);

    if (status == STF_OK)
        status = e2e->output(c->exec, out, c->work, 0, 1, NULL);
    if (status == STF_OK)
        status = e2e->conclude(c->exec, c->work, 0, 0, NULL);
    if (status == STF_OK)
        status = backend->queue->sync(c->dev->ctx, NULL);
    return status != STF_OK ? status : e2e->ledger(c->exec, 0, ledger_p);
}

/* Makes the report of a ledger. The device rounds the largest residual to a
 * float; if all events were kept, the largest is taken from them in full
 * precision instead. */
static stf_ft_report report_of(const stfi_ft_ledger *l)
{
    int64_t kept = l->events < STFI_FT_EVENTS ? l->events : STFI_FT_EVENTS;
    stf_ft_report r;

    stfi_ft_report_clear(&r);
    stfi_ft_ledger_report(l, &r);
    if (kept > 0 && kept == l->events)
        r.max_residual = 0;
    for (int64_t i = 0; i < kept; i++)
        if (l->event[i].residual > r.max_residual)
            r.max_residual = l->event[i].residual;
    return r;
}

stf_status stfi_check_device(stf_device *dev, const stf_fft_desc *full,
                             stf_direction direction, const void *in,
                             const void *out, stf_ft_report *report_p)
{
    checker c = {.dev = dev};
    stfi_ft_ledger ledger;
    stf_status status = open_checker(full, direction, &c);

    if (status == STF_OK)
        status = run(&c, in, out, &ledger);
    close_checker(&c);
    if (status == STF_OK)
        *report_p = report_of(&ledger);
    return status;
}
