/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Public calls on matrix products: arguments are checked here, work is done in
 * run/ and by the backend. */
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fp_env.h"
#include "base/status.h"
#include "base/type.h"
#include "run/gemm/host.h"
#include "run/gemm/kept.h"
#include "run/protect.h"

void stf_gemm_desc_init(stf_gemm_desc *d, size_t size_bytes)
{
    stf_gemm_desc init;

    if (d == NULL || size_bytes == 0)
        return;
    memset(&init, 0, sizeof init);
    init.size_bytes = size_bytes;
    init.precision = STF_F32;
    init.precision_c = STF_F32;
    init.m = init.n = init.k = 1;
    init.batch = 1;
    memset(d, 0, size_bytes);
    memcpy(d, &init, size_bytes < sizeof init ? size_bytes : sizeof init);
}

static stf_status check_device(const stf_device *dev)
{
    return dev != NULL
               ? STF_OK
               : stfi_error(STF_ERR_ARGUMENT, "dev is NULL; open one with "
                                              "stf_device_open()");
}

stf_status stf_plan_gemm(stf_device *dev, const stf_gemm_desc *d,
                         stf_plan **plan_p)
{
    STFI_FP_GUARD;
    stfi_gemm_plan *plan;
    stf_status status = check_device(dev);

    if (status != STF_OK)
        return status;
    if (plan_p == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "plan_p is NULL");
    status = stfi_gemm_plan_create(dev, d, 1, &plan);
    if (status == STF_OK)
        *plan_p = &plan->head;
    return status;
}

/* -------------------------------------------------------------- execution */

static stf_status check_pointer(const void *pointer, const char *name,
                                size_t alignment, int may_be_null)
{
    if (pointer == NULL && !may_be_null)
        return stfi_error(STF_ERR_ARGUMENT, "%s is NULL", name);
    if ((uintptr_t)pointer % alignment != 0)
        return stfi_error(STF_ERR_ARGUMENT, "%s is not aligned to %zu bytes",
                          name, alignment);
    return STF_OK;
}

/* Returns 1 if A and B are not read: BLAS says that they may be anything. */
static int is_scaling(const stf_gemm_desc *d, const void *alpha)
{
    return d->k == 0
           || (d->scalars == STF_ON_HOST
               && stfi_type_read(d->precision_c, alpha, 0) == 0);
}

/* Checks the pointers, and sets those to NULL that are not needed. */
static stf_status check_call(const stf_gemm_desc *d, stfi_gemm_call *call)
{
    const size_t bytes = stfi_type_get(d->precision)->bytes;
    const size_t bytes_c = stfi_type_get(d->precision_c)->bytes;
    stf_status status;
    int unread;

    if ((status = check_pointer(call->alpha, "alpha", bytes_c, 0)) != STF_OK
        || (status = check_pointer(call->beta, "beta", bytes_c, 0)) != STF_OK
        || (status = check_pointer(call->c, "c", bytes_c, 0)) != STF_OK)
        return status;
    unread = is_scaling(d, call->alpha);
    if (unread)
        call->a = call->b = NULL;
    status = check_pointer(call->a, "a", bytes, unread);
    return status != STF_OK ? status
                            : check_pointer(call->b, "b", bytes, unread);
}

static int is_empty(const stf_gemm_desc *d)
{
    return d->m == 0 || d->n == 0;
}

/* Gets the plan, if it is not NULL and one of matrix products. */
static stf_status check_plan(stf_plan *plan, const char *call,
                             stfi_gemm_plan **gemm_p)
{
    return plan != NULL ? stfi_gemm_plan_get(plan, call, gemm_p)
                        : stfi_error(STF_ERR_ARGUMENT, "plan is NULL");
}

static stf_status execute(stf_plan *plan, const char *name,
                          stfi_gemm_call *call, void *workspace, void *stream)
{
    stfi_gemm_plan *gemm;
    stf_status status = check_plan(plan, name, &gemm);

    if (status != STF_OK || is_empty(&gemm->desc))
        return status;
    if ((status = check_call(&gemm->desc, call)) != STF_OK
        || (status = check_pointer(workspace, "workspace", STFI_ALIGN, 1))
               != STF_OK)
        return status;
    if (workspace == NULL)
        workspace = plan->workspace;
    status = stfi_gemm_plan_launch(gemm, call, workspace, stream);
    return stfi_plan_disarm(plan, status);
}

stf_status stf_execute_gemm_on(stf_plan *plan, const void *alpha, const void *a,
                               const void *b, const void *beta, void *c,
                               void *workspace, void *stream)
{
    STFI_FP_GUARD;
    stfi_gemm_call call = {alpha, a, b, beta, c};

    return execute(plan, "stf_execute_gemm_on()", &call, workspace, stream);
}

stf_status stf_execute_gemm(stf_plan *plan, const void *alpha, const void *a,
                            const void *b, const void *beta, void *c)
{
    STFI_FP_GUARD;
    stfi_gemm_call call = {alpha, a, b, beta, c};

    return execute(plan, "stf_execute_gemm()", &call, NULL, NULL);
}

/* Scalars are on the host, too. */
static stf_status check_scalars(const stfi_gemm_plan *plan)
{
    return plan->desc.scalars == STF_ON_HOST
                   || plan->head.dev->backend->e2e == NULL
               ? STF_OK
               : stfi_error(STF_ERR_ARGUMENT,
                            "the plan has scalars in device memory; "
                            "stf_execute_gemm_host() takes one with "
                            "STF_ON_HOST");
}

stf_status stf_execute_gemm_host(stf_plan *plan, const void *alpha,
                                 const void *a, const void *b, const void *beta,
                                 void *c)
{
    STFI_FP_GUARD;
    stfi_gemm_call call = {alpha, a, b, beta, c};
    stfi_gemm_plan *gemm;
    stf_status status = check_plan(plan, "stf_execute_gemm_host()", &gemm);

    if (status != STF_OK || is_empty(&gemm->desc))
        return status;
    if ((status = check_scalars(gemm)) != STF_OK
        || (status = check_call(&gemm->desc, &call)) != STF_OK)
        return status;
    status = stfi_gemm_host_run(gemm, &call);
    return stfi_plan_disarm(plan, status);
}

/* ---------------------------------------------------------- without a plan */

static stf_status run_kept(stf_device *dev, const stf_gemm_desc *d,
                           stfi_gemm_call *call)
{
    stf_status status = check_device(dev);

    if (status == STF_OK && !is_empty(d))
        status = check_call(d, call);
    return status == STF_OK ? stfi_gemm_kept_run(dev, d, call) : status;
}

/* The descriptor of a call without a plan. */
static stf_gemm_desc describe(stf_precision precision, stf_order order,
                              stf_transpose transa, stf_transpose transb,
                              int64_t m, int64_t n, int64_t k)
{
    stf_gemm_desc d = stf_gemm_desc_default();

    d.precision = d.precision_c = precision;
    d.order = order;
    d.transa = transa;
    d.transb = transb;
    d.m = m;
    d.n = n;
    d.k = k;
    return d;
}

#define GEMM_WITHOUT_PLAN(name, real, precision)                               \
    stf_status name(stf_device *dev, stf_order order, stf_transpose transa,    \
                    stf_transpose transb, int64_t m, int64_t n, int64_t k,     \
                    real alpha, const real *a, int64_t lda, const real *b,     \
                    int64_t ldb, real beta, real *c, int64_t ldc)              \
    {                                                                          \
        STFI_FP_GUARD;                                                         \
        stfi_gemm_call call = {&alpha, a, b, &beta, c};                        \
        stf_gemm_desc d = describe(precision, order, transa, transb, m, n, k); \
                                                                               \
        d.lda = lda;                                                           \
        d.ldb = ldb;                                                           \
        d.ldc = ldc;                                                           \
        return run_kept(dev, &d, &call);                                       \
    }

GEMM_WITHOUT_PLAN(stf_sgemm, float, STF_F32)
GEMM_WITHOUT_PLAN(stf_dgemm, double, STF_F64)
