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
#include "gemm/gemm_desc.h"
#include "run/check/check_gemm.h"
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
               && stfi_type_read(stfi_type_arithmetic(d->precision)->id, alpha,
                                 0)
                      == 0);
}

/* Checks the pointers, and sets those to NULL that are not needed. */
static stf_status check_call(const stf_gemm_desc *d, stfi_gemm_call *call)
{
    const size_t bytes = stfi_type_get(d->precision)->bytes;
    const size_t bytes_c = stfi_type_get(d->precision_c)->bytes;
    const size_t scalar = stfi_type_arithmetic(d->precision)->bytes;
    stf_status status;
    int unread;

    if ((status = check_pointer(call->alpha, "alpha", scalar, 0)) != STF_OK
        || (status = check_pointer(call->beta, "beta", scalar, 0)) != STF_OK
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
                   || stfi_host_is_device(plan->head.dev)
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

/* ------------------------------------------------------------------ checks */

static stf_status fetch_scalar(stf_device *dev, const stf_gemm_desc *d,
                               const void *at, void *to)
{
    const size_t bytes = stfi_type_arithmetic(d->precision)->bytes;

    if (at == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "alpha or beta is NULL");
    if (d->scalars == STF_ON_DEVICE && !stfi_host_is_device(dev))
        return dev->backend->device->mem_copy(dev->ctx, to, at, bytes,
                                              STFI_TO_HOST, NULL);
    memcpy(to, at, bytes);
    return STF_OK;
}

/* The check does not depend on how a plan would be protected, but for a
 * threshold of the user's own. */
static stf_status complete_checked(const stf_gemm_desc *d,
                                   stf_gemm_desc *full_p)
{
    stf_gemm_desc plain;
    stf_status status;

    if ((status = stfi_gemm_desc_take(d, &plain)) != STF_OK)
        return status;
    plain.ft.mode = STF_FT_OFF;
    status = stfi_gemm_desc_complete(&plain, full_p);
    if (status == STF_OK && !stfi_type_get(plain.precision)->checked)
        status = stfi_error(STF_ERR_UNSUPPORTED,
                            "precision %s cannot be checked; all others can",
                            stfi_type_get(plain.precision)->name);
    return status;
}

stf_status stf_check_gemm(stf_device *dev, const stf_gemm_desc *d,
                          const void *alpha, const void *a, const void *b,
                          const void *beta, const void *c_before, const void *c,
                          stf_ft_report *report_p)
{
    STFI_FP_GUARD;
    stf_gemm_desc full;
    double scalars[2] = {0, 0};
    stfi_gemm_call call = {&scalars[0], a, b, &scalars[1], NULL};
    stfi_gemm_checked x;
    stfi_gemm g;
    stf_status status = check_device(dev);

    if (status != STF_OK)
        return status;
    if (report_p == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "report_p is NULL");
    if ((status = complete_checked(d, &full)) != STF_OK
        || (status = fetch_scalar(dev, &full, alpha, &scalars[0])) != STF_OK
        || (status = fetch_scalar(dev, &full, beta, &scalars[1])) != STF_OK)
        return status;
    full.scalars = STF_ON_HOST;
    g = stfi_gemm_lower(&full);
    call.c = (void *)(uintptr_t)c;
    if (!is_empty(&full) && (status = check_call(&full, &call)) != STF_OK)
        return status;
    if (stfi_type_read(stfi_type_arithmetic(full.precision)->id, &scalars[1], 0)
        == 0)
        c_before = NULL;
    else if (c_before == NULL && !is_empty(&full))
        return stfi_error(STF_ERR_ARGUMENT,
                          "c_before is NULL; with beta other than 0 it is C as "
                          "it was before the product");
    x = (stfi_gemm_checked){call.a, call.b, c_before, c, alpha, beta};
    x.alpha = &scalars[0];
    x.beta = &scalars[1];
    return stfi_check_gemm(dev, &g, &x, report_p);
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
