/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Copies of host arrays on a device; see host.h. C is copied to the device with
 * what lies between its columns, and back. */
#include "run/gemm/host.h"

#include <stdint.h>

#include "base/type.h"

enum { A, B, C, ARRAYS };

/* An array of a batch: from its lowest element on. */
typedef struct array {
    const void *host; /* element 0 of member 0; NULL: not read */
    size_t element;   /* bytes of one */
    int64_t before;   /* elements that lie before it */
    size_t bytes;
    void *device;
} array;

/* `x` has rows x cols elements in each member. */
static array array_of(const stfi_gemm_plan *plan, stf_precision precision,
                      const void *host, const stfi_gemm_matrix *x, int64_t rows,
                      int64_t cols)
{
    array a = {.host = host, .element = stfi_type_get(precision)->bytes};
    const int64_t count =
        stfi_gemm_extent(&plan->gemm, x, rows, cols, &a.before);

    a.bytes = (size_t)count * a.element;
    return a;
}

static char *begin_of(const array *a)
{
    return (char *)(uintptr_t)a->host - (size_t)a->before * a->element;
}

static void *on_device(const array *a)
{
    return a->device == NULL
               ? NULL
               : (char *)a->device + (size_t)a->before * a->element;
}

static stf_status copy_in(const stfi_gemm_plan *plan, array *a)
{
    stf_device *dev = plan->head.dev;
    const stfi_device_ops *memory = dev->backend->device;
    stf_status status;

    if (a->host == NULL || a->bytes == 0)
        return STF_OK;
    status = memory->mem_alloc(dev->ctx, a->bytes, &a->device);
    return status != STF_OK ? status
                            : memory->mem_copy(dev->ctx, a->device, begin_of(a),
                                               a->bytes, STFI_TO_DEVICE, NULL);
}

static stf_status copy_out(const stfi_gemm_plan *plan, const array *a)
{
    stf_device *dev = plan->head.dev;

    return dev->backend->device->mem_copy(dev->ctx, begin_of(a), a->device,
                                          a->bytes, STFI_TO_HOST, NULL);
}

static stf_status run(const stfi_gemm_plan *plan, const stfi_gemm_call *call,
                      array x[ARRAYS])
{
    const stfi_gemm_call there = {
        .alpha = call->alpha,
        .beta = call->beta,
        .a = on_device(&x[A]),
        .b = on_device(&x[B]),
        .c = on_device(&x[C]),
    };
    stf_status status =
        stfi_gemm_plan_launch(plan, &there, plan->head.workspace, NULL);

    return status == STF_OK ? copy_out(plan, &x[C]) : status;
}

stf_status stfi_gemm_host_run(stfi_gemm_plan *plan, const stfi_gemm_call *call)
{
    const stfi_gemm *g = &plan->gemm;
    stf_device *dev = plan->head.dev;
    array x[ARRAYS] = {
        [A] = array_of(plan, g->precision, call->a, g->swapped ? &g->b : &g->a,
                       g->swapped ? g->k : g->m, g->swapped ? g->n : g->k),
        [B] = array_of(plan, g->precision, call->b, g->swapped ? &g->a : &g->b,
                       g->swapped ? g->m : g->k, g->swapped ? g->k : g->n),
        [C] = array_of(plan, g->precision_c, call->c, &g->c, g->m, g->n),
    };
    stf_status status = STF_OK;

    if (stfi_host_is_device(dev))
        return stfi_gemm_plan_launch(plan, call, plan->head.workspace, NULL);
    for (int i = 0; i < ARRAYS && status == STF_OK; i++)
        status = copy_in(plan, &x[i]);
    if (status == STF_OK)
        status = run(plan, call, x);
    for (int i = 0; i < ARRAYS; i++)
        dev->backend->device->mem_free(dev->ctx, x[i].device);
    return status;
}
