/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The tables of compact convolutions; see cpu_conv.h. */
#include "backends/cpu/compact/cpu_conv.h"

#include "base/alloc.h"
#include "base/type.h"
#include "fft/factor.h"
#include "fft/tables/complex_table.h"

/* The largest prime factor that steps have. */
enum { LARGEST = 13 };

int64_t stfi_cpu_conv_length(int64_t n, stfi_conv *method_p)
{
    int64_t m;

    stfi_factor_tile(n, method_p, &m);
    if (*method_p == STFI_CONV_BLUESTEIN
        || (*method_p == STFI_CONV_RADER && stfi_factor_rader(n, LARGEST)))
        return m;
    *method_p = STFI_CONV_BLUESTEIN;
    return stfi_factor_smooth(2 * n - 1);
}

/* Turns `count` complex numbers into two planes. */
static stf_status part(const void *numbers, int64_t count, int lanes,
                       stf_precision precision, void **planes_p)
{
    const int64_t plane = count + lanes;
    const stfi_type *type = stfi_type_get(precision);
    stf_status status = stfi_alloc(2 * (size_t)plane * type->bytes,
                                   "the plan's tables", planes_p);

    for (int64_t i = 0; i < count && status == STF_OK; i++) {
        long double re, im;
        stfi_complex_get(precision, numbers, i, &re, &im);
        stfi_type_write(type->id, *planes_p, i, re);
        stfi_type_write(type->id, *planes_p, plane + i, im);
    }
    return status;
}

static stf_status make_chirp(stfi_cpu_conv *v, stf_precision precision,
                             int lanes)
{
    void *chirp;
    stf_status status = stfi_complex_alloc(v->n, precision, &chirp);

    if (status != STF_OK)
        return status;
    status = stfi_table_chirp(v->n, precision, chirp);
    if (status == STF_OK)
        status = part(chirp, v->n, lanes, precision, &v->chirp);
    stfi_dealloc(chirp);
    return status;
}

static stf_status make_product(stfi_cpu_conv *v, stfi_conv method,
                               stf_precision precision, int lanes,
                               const stfi_dft *dft)
{
    const stfi_pass p = {.conv = method, .signal = v->n, .n = v->m};
    void *product;
    stf_status status = stfi_complex_alloc(v->m, precision, &product);

    if (status != STF_OK)
        return status;
    status = stfi_table_product(&p, precision, NULL, dft, product);
    if (status == STF_OK)
        status = part(product, v->m, lanes, precision, &v->product);
    stfi_dealloc(product);
    return status;
}

/* Sets element[place[e]] = e but for element 0, which has no place among the others. */
static void invert(int64_t n, const uint32_t *place, uint32_t *element)
{
    for (int64_t e = 1; e < n; e++)
        element[place[e]] = (uint32_t)e;
}

/* Makes the orders of Rader's method, which both belong to v->load. */
static stf_status make_orders(stfi_cpu_conv *v)
{
    const size_t bytes = 2 * (size_t)v->n * sizeof *v->load;
    void *place, *element;
    stf_status status = stfi_alloc_raw(bytes, "the plan's tables", &element);

    if (status != STF_OK)
        return status;
    v->load = element;
    v->store = v->load + v->n;
    status = stfi_alloc_raw(bytes, "a plan's tables", &place);
    if (status != STF_OK)
        return status;
    stfi_table_rader(v->n, place, (uint32_t *)place + v->n);
    invert(v->n, place, v->load);
    invert(v->n, (uint32_t *)place + v->n, v->store);
    stfi_dealloc(place);
    return STF_OK;
}

stf_status stfi_cpu_conv_make(int64_t n, stf_precision precision, int lanes,
                              const stfi_dft *dft, stfi_cpu_conv **conv_p)
{
    stfi_conv method;
    stfi_cpu_conv *v;
    void *mem;
    stf_status status = stfi_alloc(sizeof *v, "a plan", &mem);

    if (status != STF_OK)
        return status;
    v = mem;
    v->n = n;
    v->m = stfi_cpu_conv_length(n, &method);
    status = method == STFI_CONV_RADER ? make_orders(v)
                                       : make_chirp(v, precision, lanes);
    if (status == STF_OK)
        status = make_product(v, method, precision, lanes, dft);
    if (status == STF_OK)
        *conv_p = v;
    else
        stfi_cpu_conv_free(v);
    return status;
}

void stfi_cpu_conv_free(stfi_cpu_conv *v)
{
    if (v == NULL)
        return;
    stfi_dealloc(v->load);
    stfi_dealloc(v->chirp);
    stfi_dealloc(v->product);
    stfi_dealloc(v);
}
