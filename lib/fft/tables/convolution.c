/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tables of Rader's and Bluestein's convolutions; see convolution.h. */
#include "fft/tables/convolution.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "fft/tables/complex_table.h"
#include "math/numth.h"
#include "math/roots.h"

/* The chirp is a root of order 2n with the exponent j^2 mod 2n, which is
 * computed exactly from one j to the next: (j + 1)^2 = j^2 + 2j + 1. */
stf_status stfi_table_chirp(int64_t n, stf_precision precision, void *chirp)
{
    uint64_t exponent = 0;
    stfi_roots *roots;
    stf_status status =
        stfi_roots_create(2 * (uint64_t)n, precision, (uint64_t)n, &roots);

    if (status != STF_OK)
        return status;
    for (int64_t j = 0; j < n; j++) {
        long double re, im;
        stfi_roots_get(roots, exponent, &re, &im);
        stfi_complex_put(precision, chirp, j, re, im);
        exponent += 2 * (uint64_t)j + 1;
        if (exponent >= 2 * (uint64_t)n)
            exponent -= 2 * (uint64_t)n;
    }
    stfi_roots_destroy(roots);
    return STF_OK;
}

/* Bluestein's convolution: of `m` elements, for `results` results of n. */
typedef struct bluestein {
    int64_t n, m, results;
} bluestein;

/* Fills in its kernel, which is conj(chirp) at j for each result, at m - j for what
 * is left of m, up to n - 1, and 0 elsewhere. */
static void spread_chirp(const bluestein *b, stf_precision precision,
                         const void *chirp, void *kernel)
{
    memset(kernel, 0, (size_t)b->m * 2 * stfi_type_get(precision)->bytes);
    for (int64_t at = 0; at < b->m; at++) {
        const int64_t j = at < b->results ? at : b->m - at;
        long double re, im;
        if (j >= b->n)
            continue;
        stfi_complex_get(precision, chirp, j, &re, &im);
        stfi_complex_put(precision, kernel, at, re, -im);
    }
}

/* Does the same, and computes the chirp if `known`, the chirp in this
 * precision, is NULL. */
static stf_status fill_bluestein(const bluestein *b, stf_precision precision,
                                 const void *known, void *kernel)
{
    void *made;
    stf_status status;

    if (known != NULL) {
        spread_chirp(b, precision, known, kernel);
        return STF_OK;
    }
    if ((status = stfi_complex_alloc(b->n, precision, &made)) != STF_OK)
        return status;
    status = stfi_table_chirp(b->n, precision, made);
    if (status == STF_OK)
        spread_chirp(b, precision, made, kernel);
    stfi_dealloc(made);
    return status;
}

/* Returns g^-1 modulo the prime, where g is its least primitive root. */
static uint64_t inverse_root(uint64_t prime)
{
    return stfi_powmod(stfi_primitive_root(prime), prime - 2, prime);
}

/* Fills in the kernel of Rader's convolution of prime - 1 elements:
 * w^(g^-q). */
static void fill_rader(int64_t prime, stf_precision precision, void *kernel)
{
    uint64_t p = (uint64_t)prime, inverse = inverse_root(p), k = 1;

    for (int64_t q = 0; q < prime - 1; q++) {
        long double re, im;
        stfi_root_l(k, p, &re, &im);
        stfi_complex_put(precision, kernel, q, re, im);
        k = stfi_mulmod(k, inverse, p);
    }
}

int64_t stfi_table_product_count(const stfi_pass *p)
{
    return p->conv == STFI_CONV_SPREAD ? p->whole : p->n;
}

static stf_status transform(const stfi_dft *dft, int64_t m,
                            stf_precision precision, void *kernel)
{
    if (dft == NULL)
        return stfi_error(STF_ERR_INTERNAL,
                          "a convolution of %lld elements is "
                          "computed as another convolution",
                          (long long)m);
    return dft->run(dft->arg, m, precision, kernel);
}

stf_status stfi_table_product(const stfi_pass *p, stf_precision precision,
                              const void *chirp, const stfi_dft *dft,
                              void *product)
{
    int64_t m = stfi_table_product_count(p);
    const bluestein b = {p->signal, m,
                         p->conv == STFI_CONV_SPREAD ? p->results : p->signal};
    stf_precision wide = precision == STF_F80 ? STF_F80 : STF_F64;
    long double scale = 1.0L / (long double)m;
    void *kernel = NULL;
    stf_status status = stfi_complex_alloc(m, wide, &kernel);

    if (status == STF_OK && p->conv == STFI_CONV_RADER)
        fill_rader(p->signal, wide, kernel);
    else if (status == STF_OK)
        status =
            fill_bluestein(&b, wide, wide == precision ? chirp : NULL, kernel);
    if (status == STF_OK)
        status = transform(dft, m, wide, kernel);
    for (int64_t k = 0; k < m && status == STF_OK; k++) {
        long double re, im;
        stfi_complex_get(wide, kernel, k, &re, &im);
        stfi_complex_put(precision, product, k, re * scale, im * scale);
    }
    stfi_dealloc(kernel);
    return status;
}

void stfi_table_rader(int64_t prime, uint32_t *load_pos, uint32_t *store_pos)
{
    uint64_t p = (uint64_t)prime, g = stfi_primitive_root(p);
    uint64_t inverse = inverse_root(p), in = 1, out = 1;

    load_pos[0] = store_pos[0] = (uint32_t)(p - 1);
    for (uint64_t q = 0; q < p - 1; q++) {
        load_pos[in] = (uint32_t)q;
        store_pos[out] = (uint32_t)q;
        in = stfi_mulmod(in, g, p);
        out = stfi_mulmod(out, inverse, p);
    }
}
