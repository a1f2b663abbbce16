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

static int read_precision(const char **at, stf_precision *precision_p)
{
    for (int i = 0; i < STFI_TYPES; i++) {
        const stfi_type *type = stfi_type_get((stf_precision)i);
        size_t length = strlen(type->name);
        if (strncmp(*at, type->name, length) == 0 && (*at)[length] == ':') {
            *at += length + 1;
            *precision_p = type->id;
            return 1;
        }
    }
    return 0;
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

    if (!stfi_gemm_word(word) || !read_precision(&at, &d.precision)
        || !read_transpose(&at, &d.transa) || !read_transpose(&at, &d.transb)
        || *at++ != ':' || !read_size(&at, 'x', &d.m)
        || !read_size(&at, 'x', &d.n)
        || !read_size(&at, batch != NULL ? '*' : '\0', &d.k)
        || (batch != NULL && !read_size(&at, '\0', &d.batch)))
        return malformed(word);
    d.precision_c = d.precision;
    *d_p = d;
    return STF_OK;
}

size_t stfi_gemm_print(const stf_gemm_desc *d, char *text, size_t capacity)
{
    char batch[32] = "";

    if (d->batch != 1)
        snprintf(batch, sizeof batch, "*%" PRId64, d->batch);
    return (size_t)snprintf(
        text, capacity, "gemm:%s:%c%c:%" PRId64 "x%" PRId64 "x%" PRId64 "%s",
        stfi_type_get(d->precision)->name, d->transa ? 't' : 'n',
        d->transb ? 't' : 'n', d->m, d->n, d->k, batch);
}
