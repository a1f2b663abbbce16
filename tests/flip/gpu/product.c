/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reads, fills and executes matrix products; see product.h. */
#include "tests/flip/gpu/product.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/type.h"
#include "support/problem/gemm_problem.h"
#include "support/problem/problem.h"

enum { ALIGNMENT = 256, WORD_BYTES = 128 };

static const char adding[] = "+c";

static int64_t count_a(const stf_gemm_desc *d)
{
    return d->m * d->k;
}

static int64_t count_b(const stf_gemm_desc *d)
{
    return d->k * d->n;
}

static int64_t count_c(const stf_gemm_desc *d)
{
    return d->m * d->n;
}

/* As separate arrays would be. */
static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

stf_status flip_product_parse(const char *word, flip_product *p_p)
{
    const char *tail = strstr(word, adding);
    const size_t length = tail != NULL ? (size_t)(tail - word) : strlen(word);
    flip_product p = {.adds = tail != NULL};
    const stf_gemm_desc *d = &p.desc;
    char plain[WORD_BYTES];
    size_t width;
    stf_status status;

    snprintf(plain, sizeof plain, "%.*s", (int)length, word);
    status = stfi_gemm_parse(plain, &p.desc);
    if (status == STF_OK && d->batch != 1)
        status = stfi_error(STF_ERR_ARGUMENT, "%s: one product only", word);
    if (status != STF_OK)
        return status;
    width = stfi_type_get(d->precision)->bytes;
    p.b_at = aligned((size_t)count_a(d) * width);
    p.c_at = p.b_at + aligned((size_t)count_b(d) * width);
    p.out_bytes = (size_t)count_c(d) * stfi_type_get(d->precision_c)->bytes;
    p.in_bytes = p.c_at + (p.adds ? p.out_bytes : 0);
    stfi_type_write(stfi_type_arithmetic(d->precision)->id, p.alpha, 0,
                    p.adds ? 1.5L : 1);
    stfi_type_write(stfi_type_arithmetic(d->precision)->id, p.beta, 0,
                    p.adds ? -0.75L : 0);
    *p_p = p;
    return STF_OK;
}

void flip_product_protect(flip_product *p, const stf_ft_desc *ft)
{
    p->desc.ft = *ft;
    if (ft->end_to_end)
        p->desc.ft.level = STF_FT_OFFLINE;
    p->desc.ft.end_to_end = 0;
}

void flip_product_fill(const flip_product *p, char *input, uint64_t *seed)
{
    const stf_gemm_desc *d = &p->desc;

    memset(input, 0, p->in_bytes);
    stfi_random_fill(d->precision, input, count_a(d), seed);
    stfi_random_fill(d->precision, input + p->b_at, count_b(d), seed);
    if (p->adds)
        stfi_random_fill(d->precision_c, input + p->c_at, count_c(d), seed);
}

static void widen(stf_precision precision, const char *data, int64_t count,
                  long double *wide)
{
    for (int64_t i = 0; i < count; i++)
        wide[i] = stfi_type_read(precision, data, i);
}

stf_status flip_product_oracle(const flip_product *p, const char *input,
                               long double *oracle)
{
    const stf_precision scalar = stfi_type_arithmetic(p->desc.precision)->id;
    const long double alpha = stfi_type_read(scalar, p->alpha, 0);
    const long double beta = stfi_type_read(scalar, p->beta, 0);
    stf_gemm_desc d = p->desc;
    const int64_t of_a = count_a(&d), of_b = count_b(&d);
    long double *x = malloc((size_t)(of_a + of_b) * sizeof *x);
    stf_device *cpu = NULL;
    stf_plan *plan = NULL;
    stf_status status;

    if (x == NULL)
        return stfi_error(STF_ERR_MEMORY, "no memory for the oracle");
    widen(d.precision, input, of_a, x);
    widen(d.precision, input + p->b_at, of_b, x + of_a);
    if (p->adds)
        widen(d.precision_c, input + p->c_at, count_c(&d), oracle);
    d.precision = d.precision_c = STF_F80;
    d.compute = stf_gemm_desc_default().compute;
    d.ft = stf_gemm_desc_default().ft;
    d.threads = 1;
    status = stf_device_open("cpu", &cpu);
    if (status >= 0)
        status = stf_plan_gemm(cpu, &d, &plan);
    if (status >= 0)
        status = stf_execute_gemm(plan, &alpha, x, x + of_a, &beta, oracle);
    stf_plan_destroy(plan);
    stf_device_close(cpu);
    free(x);
    return status;
}

stf_status flip_product_run(const flip_product *p, stf_device *dev,
                            stf_plan *plan, const char *input, const void *in,
                            void *out)
{
    const char *a = in;
    stf_status status = STF_OK;

    if (p->adds)
        status = stf_upload(dev, out, input + p->c_at, p->out_bytes);
    return status >= 0
               ? stf_execute_gemm(plan, p->alpha, a, a + p->b_at, p->beta, out)
               : status;
}
