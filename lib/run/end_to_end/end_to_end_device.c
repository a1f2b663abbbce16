/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* End-to-end checks by the device; see end_to_end_device.h. */
#include "run/end_to_end/end_to_end_device.h"

#include <string.h>

#include "base/alloc.h"
#include "fft/desc.h"
#include "ft/offline.h"
#include "run/end_to_end/weights.h"

/* One check for each form of arrays and each direction. */
enum { CHECKS = STFI_E2E_FORMS * STFI_E2E_DIRECTIONS };

struct stfi_device_e2e {
    stf_device *dev;
    size_t work_at;
    int correct;
    stfi_e2e_exec *exec[CHECKS]; /* NULL: no such form or direction */
    stfi_e2e_weights weights;
};

static int number_of(stfi_e2e_which form, int inverse)
{
    return (int)form * STFI_E2E_DIRECTIONS + inverse;
}

int stfi_device_e2e_is_there(const stf_device *dev)
{
    return dev->backend->e2e != NULL;
}

/* ------------------------------------------------------------------ making */

/* The state while checks are made. The vectors in host memory are held until
 * all checks are made, because each vector is uploaded once, however many
 * checks use it. */
typedef struct maker {
    stfi_device_e2e *e2e;
    stfi_ft_offline check[CHECKS];
    int checks;
} maker;

static stf_status make_check(maker *m, const stf_fft_desc *d, int inverse,
                             double roundings, stfi_e2e_exec **exec_p)
{
    stf_device *dev = m->e2e->dev;
    stfi_ft_offline *check = &m->check[m->checks];
    stfi_e2e_desc of = stfi_e2e_desc_of(d, check);
    stfi_ft_cache *cache;
    stf_status status = stfi_device_checks(dev, &cache);

    if (status == STF_OK)
        status = stfi_ft_offline_open(
            cache, d, inverse ? STF_INVERSE : STF_FORWARD, NULL, check);
    if (status != STF_OK)
        return status;
    m->checks++;
    stfi_ft_offline_allow(check, d, roundings);
    status = stfi_e2e_weights_move(dev, &m->e2e->weights, check);
    return status != STF_OK ? status
                            : dev->backend->e2e->create(dev->ctx, &of, exec_p);
}

static stf_status make_checks(maker *m, const stfi_e2e_forms *forms)
{
    stf_status status = STF_OK;

    for (int i = 0; i < CHECKS && status == STF_OK; i++) {
        const stf_fft_desc *d = forms->desc[i / STFI_E2E_DIRECTIONS];
        int inverse = i % STFI_E2E_DIRECTIONS;
        if (d != NULL && stfi_desc_has_direction(d, inverse))
            status =
                make_check(m, d, inverse, forms->roundings, &m->e2e->exec[i]);
    }
    return status;
}

stf_status stfi_device_e2e_create(stf_device *dev, const stfi_e2e_forms *forms,
                                  size_t work_at, stfi_device_e2e **e2e_p)
{
    maker *m;
    void *memory;
    stf_status status = stfi_alloc(sizeof *m, "a check", &memory);

    if (status != STF_OK)
        return status;
    m = memory;
    status = stfi_alloc(sizeof *m->e2e, "a check", &memory);
    if (status == STF_OK) {
        m->e2e = memory;
        m->e2e->dev = dev;
        m->e2e->work_at = work_at;
        m->e2e->correct = forms->desc[STFI_E2E_MAIN]->ft.mode == STF_FT_CORRECT;
        status = make_checks(m, forms);
    }
    for (int i = 0; i < m->checks; i++)
        stfi_ft_offline_close(&m->check[i]);
    if (status == STF_OK)
        *e2e_p = m->e2e;
    else
        stfi_device_e2e_destroy(m->e2e);
    stfi_dealloc(m);
    return status;
}

void stfi_device_e2e_destroy(stfi_device_e2e *e2e)
{
    if (e2e == NULL)
        return;
    for (int i = 0; i < CHECKS; i++)
        e2e->dev->backend->e2e->destroy(e2e->dev->ctx, e2e->exec[i]);
    stfi_e2e_weights_free(e2e->dev, &e2e->weights);
    stfi_dealloc(e2e);
}

/* --------------------------------------------------------------- execution */

/* Launches passes that leave a signature, and, held back unless something is wrong,
 * the same with sums over all input and output. In place, there is no input to repeat
 * anything with. */
static stf_status launch_signed(const stfi_device_e2e *e2e,
                                const stfi_e2e_exec *check, stfi_exec *exec,
                                stfi_buffers *b, void *work, void *stream)
{
    const stfi_backend *backend = e2e->dev->backend;
    const stfi_e2e_ops *ops = backend->e2e;
    const int repeatable = b->in != b->out;
    stf_status status;

    b->gate = b->signs;
    status = backend->fft->launch(exec, b, stream);
    if (status == STF_OK)
        status = ops->judge(check, b->signs, work, repeatable, stream);
    if (!e2e->correct || !repeatable || status != STF_OK)
        return status;
    status = ops->input(check, b->in, work, 1, stream);
    b->signs = NULL;
    b->again = 1;
    b->gate = ops->gate(check, work, 1);
    if (status == STF_OK)
        status = backend->fft->launch(exec, b, stream);
    return status == STF_OK ? ops->output(check, b->out, work, 1, 1, stream)
                            : status;
}

/* Launches passes between sums over all input and output, and twice more, held back
 * unless something is wrong. */
static stf_status launch_summed(const stfi_device_e2e *e2e,
                                const stfi_e2e_exec *check, stfi_exec *exec,
                                stfi_buffers *b, void *work, void *stream)
{
    const stfi_backend *backend = e2e->dev->backend;
    const stfi_e2e_ops *ops = backend->e2e;
    int repeatable = b->in != b->out;
    int executions = repeatable && e2e->correct ? STFI_E2E_EXECUTIONS : 1;
    stf_status status = ops->input(check, b->in, work, 0, stream);

    for (int i = 0; i < executions && status == STF_OK; i++) {
        b->again = i > 0;
        b->gate = ops->gate(check, work, i);
        status = backend->fft->launch(exec, b, stream);
        if (status == STF_OK)
            status = ops->output(check, b->out, work, i, i == 0, stream);
        if (status == STF_OK && i == 0 && e2e->correct)
            status = ops->again(check, repeatable ? b->in : NULL, b->out, work,
                                stream);
    }
    return status;
}

stf_status stfi_device_e2e_launch(const stfi_device_e2e *e2e,
                                  stfi_e2e_which which, stfi_exec *exec,
                                  const stfi_buffers *buffers, void *stream)
{
    const stfi_backend *backend = e2e->dev->backend;
    const stfi_e2e_ops *ops = backend->e2e;
    stfi_buffers b = *buffers;
    const stfi_e2e_exec *check = e2e->exec[number_of(which, b.inverse)];
    void *work = (char *)b.work + e2e->work_at;
    int repeatable = b.in != b.out;
    stf_status status;

    b.signs = backend->fft->signs_at != NULL
                  ? backend->fft->signs_at(exec, b.work)
                  : NULL;
    status = b.signs != NULL
                 ? launch_signed(e2e, check, exec, &b, work, stream)
                 : launch_summed(e2e, check, exec, &b, work, stream);
    return status != STF_OK
               ? status
               : ops->conclude(check, work, repeatable, b.first_signal, stream);
}

/* ---------------------------------------------------------------- findings */

stf_status stfi_device_e2e_ledger(stfi_device_e2e *e2e, int reset,
                                  stfi_ft_ledger *ledger_p)
{
    stfi_ft_ledger sum, one;
    stf_status status = STF_OK;

    memset(&sum, 0, sizeof sum);
    for (int i = 0; i < CHECKS && status == STF_OK; i++) {
        if (e2e->exec[i] == NULL)
            continue;
        status = e2e->dev->backend->e2e->ledger(e2e->exec[i], reset, &one);
        if (status == STF_OK)
            stfi_ft_ledger_add(&one, &sum);
    }
    if (status == STF_OK)
        *ledger_p = sum;
    return status;
}
