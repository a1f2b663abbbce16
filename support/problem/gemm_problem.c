/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reads and writes words for matrix products; see gemm_problem.h. */
#include "support/problem/gemm_problem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/type.h"

static const char head[] = "gemm:";

int stfi_gemm_word(const char *word)
{
    return strncmp(word, head, sizeof head - 1) == 0;
}

static stf_status malformed(const char *word)
{
    return stfi_error(STF_ERR_ARGUMENT,
                      "\"%s\" is no matrix product; one is such as "
                      "gemm:f32:nt:1000x777x3000*4",
                      word);
}

/* Reads a number of 1 or more before the character `end`, and steps over it. */
static int read_size(const char **at, char end, int64_t *size_p)
{
    char *rest;
    long long n;

    errno = 0;
    n = strtoll(*at, &rest, 10);
    if (rest == *at || errno != 0 || n < 1 || *rest != end)
        return 0;
    *at = end == '\0' ? rest : rest + 1;
    *size_p = n;
    return 1;
}

/* Reads a word before a ':' or '-', and steps over it, but not over what ends
 * it. */
static int read_word(const char **at, const char *word)
{
    const size_t length = strlen(word);
    const int found = strncmp(*at, word, length) == 0
                      && ((*at)[length] == ':' || (*at)[length] == '-');

    *at += found ? length : 0;
    return found;
}

static int read_precision(const char **at, stf_precision *precision_p)
{
    for (int i = 0; i < STFI_TYPES; i++) {
        const stfi_type *type = stfi_type_get((stf_precision)i);
        if (read_word(at, type->name)) {
            *precision_p = type->id;
            return 1;
        }
    }
    return 0;
}

/* Reads the precision, and behind a '-' that of C or "split". */
static int read_numbers(const char **at, stf_gemm_desc *d)
{
    if (!read_precision(at, &d->precision))
        return 0;
    d->precision_c = d->precision;
    if (**at == '-') {
        ++*at;
        if (read_word(at, "split"))
            d->compute = STF_COMPUTE_SPLIT;
        else if (!read_precision(at, &d->precision_c))
            return 0;
    }
    return *(*at)++ == ':';
}

static int read_transpose(const char **at, stf_transpose *transpose_p)
{
    if (**at != 'n' && **at != 't')
        return 0;
    *transpose_p = *(*at)++ == 't' ? STF_TRANS : STF_NOTRANS;
    return 1;
}

stf_status stfi_gemm_parse(const char *word, stf_gemm_desc *d_p)
{
    stf_gemm_desc d = stf_gemm_desc_default();
    const char *at = word + sizeof head - 1;
    const char *batch = strchr(word, '*');

    if (!stfi_gemm_word(word) || !read_numbers(&at, &d)
        || !read_transpose(&at, &d.transa) || !read_transpose(&at, &d.transb)
        || *at++ != ':' || !read_size(&at, 'x', &d.m)
        || !read_size(&at, 'x', &d.n)
        || !read_size(&at, batch != NULL ? '*' : '\0', &d.k)
        || (batch != NULL && !read_size(&at, '\0', &d.batch)))
        return malformed(word);
    *d_p = d;
    return STF_OK;
}

size_t stfi_gemm_print(const stf_gemm_desc *d, char *text, size_t capacity)
{
    const stfi_type *type = stfi_type_get(d->precision);
    const stfi_type *type_c = stfi_type_get(d->precision_c);
    const char *other = type_c != type                    ? type_c->name
                        : d->compute == STF_COMPUTE_SPLIT ? "split"
                                                          : "";
    char batch[32] = "";

    if (d->batch != 1)
        snprintf(batch, sizeof batch, "*%" PRId64, d->batch);
    return (size_t)snprintf(
        text, capacity,
        "gemm:%s%s%s:%c%c:%" PRId64 "x%" PRId64 "x%" PRId64 "%s", type->name,
        other[0] != '\0' ? "-" : "", other, d->transa ? 't' : 'n',
        d->transb ? 't' : 'n', d->m, d->n, d->k, batch);
}
