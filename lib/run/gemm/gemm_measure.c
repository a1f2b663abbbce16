/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Contests of plans of matrix products: matrices of random numbers, candidates of the
 * backend, and when two plans are the same; see contest.h. */
#include "run/gemm/gemm_measure.h"

#include <string.h>

enum { A, B, C, ARRAYS };

/* C = AB: beta is 0, so that numbers do not grow from launch to launch. */
typedef struct subject {
    stf_device *dev;
    const stf_gemm_desc *full;
    void *memory[ARRAYS];
    void *scalars;         /* on the device, if they are to be there */
    long double number[2]; /* alpha and beta, as long as the longest type */
    stfi_gemm_arrays arrays;
} subject;

/* ------------------------------------------------------------------- arrays */

/* Makes a matrix of rows x cols elements for each member of the batch. */
static stf_status make_array(subject *s, const stfi_gemm *g, int which,
                             const stfi_gemm_matrix *x, int64_t rows,
                             int64_t cols, void **array_p)
{
    const stfi_type *type =
        stfi_type_get(which == C ? g->precision_c : g->precision);
    int64_t before;
    size_t bytes =
        (size_t)stfi_gemm_extent(g, x, rows, cols, &before) * type->bytes;
    stf_status status =
        stfi_plan_contest_array(s->dev, type, 0, bytes, &s->memory[which]);

    if (status == STF_OK)
        *array_p = (char *)s->memory[which] + (size_t)before * type->bytes;
    return status;
}

static stf_status make_scalars(subject *s, const stfi_gemm *g)
{
    const stfi_type *type = stfi_type_arithmetic(g->precision);
    const stfi_device_ops *device = s->dev->backend->device;
    const char *at = (const char *)s->number;
    stf_status status = STF_OK;

    stfi_type_write(type->id, s->number, 0, 1);
    stfi_type_write(type->id, s->number, 1, 0);
    if (g->on_device && !stfi_host_is_device(s->dev)) {
        status = device->mem_alloc(s->dev->ctx, 2 * type->bytes, &s->scalars);
        if (status == STF_OK)
            status = device->mem_copy(s->dev->ctx, s->scalars, s->number,
                                      2 * type->bytes, STFI_TO_DEVICE, NULL);
        at = s->scalars;
    }
    s->arrays.alpha = at;
    s->arrays.beta = at + (status == STF_OK ? type->bytes : 0);
    return status;
}

static stf_status prepare(void *arg, const stf_plan *model)
{
    subject *s = arg;
    const stfi_gemm *g = &stfi_gemm_plan_of(model)->gemm;
    void *a = NULL, *b = NULL;
    stf_status status = make_array(s, g, A, &g->a, g->m, g->k, &a);

    if (status == STF_OK)
        status = make_array(s, g, B, &g->b, g->k, g->n, &b);
    if (status == STF_OK)
        status = make_array(s, g, C, &g->c, g->m, g->n, &s->arrays.c);
    s->arrays.a = a;
    s->arrays.b = b;
    return status == STF_OK ? make_scalars(s, g) : status;
}

/* -------------------------------------------------------------------- plans */

static stf_status make(void *arg, const void *choice, stf_plan **plan_p)
{
    const subject *s = arg;
    stfi_gemm_plan *plan;
    stf_status status =
        stfi_gemm_plan_create_as(s->dev, s->full, 0, choice, &plan);

    if (status == STF_OK)
        *plan_p = &plan->head;
    return status;
}

/* The plan's product has the choice that it was made of. */
static int list(void *arg, const stf_plan *plan, const void *base, int each,
                void *choices)
{
    const subject *s = arg;

    (void)base;
    return s->dev->backend->gemm->candidates(stfi_gemm_plan_of(plan)->exec,
                                             each, choices);
}

/* The text has all that a backend decides. */
static int are_equal(const stf_plan *one, const stf_plan *two)
{
    char a[1024], b[sizeof a];

    one->class->describe(one, a, sizeof a);
    two->class->describe(two, b, sizeof b);
    return strcmp(a, b) == 0;
}

static stf_status launch(void *arg, const stf_plan *plan, void *workspace,
                         void *stream)
{
    subject *s = arg;

    s->arrays.work = workspace;
    return s->dev->backend->gemm->launch(stfi_gemm_plan_of(plan)->exec,
                                         &s->arrays, stream);
}

stf_status stfi_gemm_measure(stf_device *dev, const stf_gemm_desc *full,
                             stfi_gemm_choice *choice_p, stfi_measured *m_p)
{
    subject s = {.dev = dev, .full = full};
    const stfi_device_ops *device = dev->backend->device;
    const stfi_plan_contest rules = {
        .dev = dev,
        .effort = full->effort,
        .effort_seconds = full->effort_seconds,
        .progress = full->progress,
        .progress_data = full->progress_data,
        .choice_bytes = sizeof *choice_p,
        .most = STFI_GEMM_CANDIDATES,
        .subject = &s,
        .make = make,
        .prepare = prepare,
        .list = list,
        .are_equal = are_equal,
        .launch = launch,
    };
    stf_status status = stfi_plan_contest_run(&rules, choice_p, m_p);

    for (int i = 0; i < ARRAYS; i++)
        device->mem_free(dev->ctx, s.memory[i]);
    device->mem_free(dev->ctx, s.scalars);
    return status;
}
