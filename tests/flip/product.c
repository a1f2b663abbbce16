/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products whose executions suffer flips; see subject.h. They are by columns,
 * and a line is a row of C, as sums are of rows. */
#include <stdlib.h>
#include <string.h>

#include "tests/flip/subject.h"

static void set_scalar(const flip_subject *s, double value, void *scalar)
{
    const float narrow = (float)value;

    if (s->desc.precision == STF_F32)
        memcpy(scalar, &narrow, sizeof narrow);
    else
        memcpy(scalar, &value, sizeof value);
}

const char *flip_product_open(flip_subject *s)
{
    const size_t width = flip_width_of(s);
    stf_gemm_desc *g = &s->gemm;

    if (s->desc.rank != 3 || s->desc.batch != 1)
        return "a product is gemm:precision:place:MxNxK";
    *g = stf_gemm_desc_default();
    g->precision = g->precision_c = s->desc.precision;
    g->m = s->desc.n[0];
    g->n = s->desc.n[1];
    g->k = s->desc.n[2];
    g->threads = 1;
    g->ft = s->desc.ft;
    if (g->ft.end_to_end)
        g->ft.level = STF_FT_OFFLINE;
    g->ft.end_to_end = 0;
    /* In place, C is read. */
    set_scalar(s, s->in_place ? 1.5 : 1, &s->scalars[0]);
    set_scalar(s, s->in_place ? -0.75 : 0, &s->scalars[1]);
    s->b_at = (size_t)(g->m * g->k) * width;
    s->c_at = s->b_at + (size_t)(g->k * g->n) * width;
    s->out = (flip_array){.row = (size_t)g->n,
                          .step = (size_t)g->m,
                          .pitch = 1,
                          .reals = 1,
                          .apart = 1,
                          .signals = (size_t)g->m,
                          .bytes = (size_t)(g->m * g->n) * width};
    s->in.bytes = s->c_at + (s->in_place ? s->out.bytes : 0);
    return stf_plan_gemm(s->device, g, &s->plan) < 0 ? stf_error_message()
                                                     : NULL;
}

/* The product of the same numbers in F80, by a plan without protection. */
const char *flip_product_oracle(flip_subject *s)
{
    const size_t of_a = (size_t)(s->gemm.m * s->gemm.k);
    const size_t of_ab = of_a + (size_t)(s->gemm.k * s->gemm.n);
    const size_t count = (size_t)(s->gemm.m * s->gemm.n);
    const long double alpha = flip_value(s, &s->scalars[0], 0);
    const long double beta = flip_value(s, &s->scalars[1], 0);
    long double *x = malloc(of_ab * sizeof *x);
    stf_gemm_desc d = s->gemm;
    stf_plan *plan = NULL;
    int done;

    if (x == NULL)
        return "no memory";
    for (size_t i = 0; i < of_ab; i++)
        x[i] = flip_value(s, s->pristine, i);
    for (size_t i = 0; i < count; i++)
        s->oracle[i] = s->in_place ? flip_value(s, s->pristine, of_ab + i) : 0;
    d.precision = d.precision_c = STF_F80;
    d.ft = stf_gemm_desc_default().ft;
    done =
        stf_plan_gemm(s->device, &d, &plan) >= 0
        && stf_execute_gemm(plan, &alpha, x, x + of_a, &beta, s->oracle) >= 0;
    stf_plan_destroy(plan);
    free(x);
    return done ? NULL : stf_error_message();
}
