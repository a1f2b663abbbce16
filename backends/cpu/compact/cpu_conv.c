/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The tables of compact convolutions; see cpu_conv.h. */
#include "backends/cpu/compact/cpu_conv.h"

#include "backends/cpu/fft/cpu_tables.h"
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

/* Sets element[place[e]] = e but for element 0, which has no place among the others. */
static void invert(int64_t n, const uint32_t *place, uint32_t *element)
{
    for (int64_t e = 1; e < n; e++)
        element[place[e]] = (uint32_t)e;
}

/* Makes the orders of Rader's method, which both belong to v->load. */
static stf_status make_orders(stfi_cpu_conv *v, const stfi_cpu_pass *cp)
{
    void *mem;
    stf_status status = stfi_alloc_raw(2 * (size_t)v->n * sizeof *v->load,
                                       "the plan's tables", &mem);

    if (status != STF_OK)
        return status;
    v->load = mem;
    v->store = v->load + v->n;
    invert(v->n, cp->load_pos, v->load);
    invert(v->n, cp->store_pos, v->store);
    return STF_OK;
}

/* Turns the tables of a pass into those of vectors inside of an array. */
static stf_status turn(stfi_cpu_conv *v, const stfi_cpu_pass *cp,
                       stf_precision precision, int lanes)
{
    stf_status status = cp->load_pos != NULL ? make_orders(v, cp)
                                             : part(cp->chirp, v->n, lanes,
                                                    precision, &v->chirp);

    return status != STF_OK
               ? status
               : part(cp->product, v->m, lanes, precision, &v->product);
}

/* Returns the pass that has the tables of the same convolution, in one pass or as levels;
 * NULL: none has. */
static const stfi_cpu_pass *find_pass(const stfi_cpu_conv_from *from,
                                      const stfi_pass *like)
{
    for (int i = 0; i < from->count; i++) {
        const stfi_pass *p = &from->pass[i].p;
        const stfi_conv method =
            p->conv == STFI_CONV_SPREAD ? STFI_CONV_BLUESTEIN : p->conv;
        if (method == like->conv && p->signal == like->signal
            && stfi_table_product_count(p) == like->n)
            return &from->pass[i];
    }
    return NULL;
}

/* Takes the tables of a pass, or of one that is made for it. */
static stf_status make_tables(stfi_cpu_conv *v, const stfi_pass *p,
                              stf_precision precision, int lanes,
                              const stfi_cpu_conv_from *from)
{
    const stfi_cpu_pass *known = find_pass(from, p);
    stfi_cpu_pass own;
    stf_status status;

    if (known != NULL)
        return turn(v, known, precision, lanes);
    status = stfi_cpu_pass_create_conv(p, precision, from->dft, &own);
    if (status != STF_OK)
        return status;
    status = turn(v, &own, precision, lanes);
    stfi_cpu_pass_destroy(&own);
    return status;
}

stf_status stfi_cpu_conv_make(int64_t n, stf_precision precision, int lanes,
                              const stfi_cpu_conv_from *from,
                              stfi_cpu_conv **conv_p)
{
    stfi_pass p = {.op = STFI_OP_CONV, .signal = n};
    stfi_cpu_conv *v;
    void *mem;
    stf_status status = stfi_alloc(sizeof *v, "a plan", &mem);

    if (status != STF_OK)
        return status;
    v = mem;
    v->n = n;
    v->m = p.n = stfi_cpu_conv_length(n, &p.conv);
    status = make_tables(v, &p, precision, lanes, from);
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
