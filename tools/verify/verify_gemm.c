/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Verifies matrix products; see verify_gemm.h. The oracle computes some elements
 * from the definition; digests are of all. */
#include "tools/verify/verify_gemm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/type.h"
#include "gemm/gemm_desc.h"
#include "support/oracle/naive_gemm.h"
#include "support/problem/distribution.h"
#include "support/problem/gemm_problem.h"

static const struct {
    const char *product;
    int quick;
} rows[] = {
#define STFI_VERIFY_GEMM(product, quick) {product, quick},
#include "tools/verify/verify_gemm.def"
#undef STFI_VERIFY_GEMM
};

static const stf_precision precisions[] = {STF_F32, STF_F64, STF_F80};

enum {
    ROWS = sizeof rows / sizeof *rows,
    PRECISIONS = sizeof precisions / sizeof *precisions,
    SAMPLES = 200,
    A = 0,
    B,
    C,
    BEFORE,
    ARRAYS
};

/* A product, with its arrays on the host. */
typedef struct product {
    stf_gemm_desc full;
    void *array[ARRAYS];
    int64_t count[ARRAYS];
    union {
        float f32;
        double f64;
        long double f80;
    } alpha, beta;
} product;

/* What is known of its result, relative to the norm of C. */
typedef struct judgement {
    double error, bound;
    int64_t samples;
    int outside; /* 1: an element is beyond the contract for any data */
} judgement;

static stf_status make_arrays(product *p, uint64_t seed)
{
    const stf_gemm_desc *d = &p->full;
    const int64_t each[] = {d->m * d->k, d->k * d->n, d->m * d->n, d->m * d->n};
    const size_t bytes = stfi_type_get(d->precision)->bytes;
    stf_status status = STF_OK;

    for (int i = 0; i < ARRAYS && status == STF_OK; i++) {
        p->count[i] = each[i] * d->batch;
        status =
            stfi_alloc((size_t)p->count[i] * bytes, "a matrix", &p->array[i]);
        for (int64_t e = 0; e < p->count[i] && status == STF_OK && i != C; e++)
            stfi_type_write(d->precision, p->array[i], e,
                            stfi_random_uniform(-1, 1, &seed));
    }
    if (status == STF_OK)
        memcpy(p->array[C], p->array[BEFORE], (size_t)p->count[C] * bytes);
    stfi_type_write(d->precision, &p->alpha, 0, 1.5);
    stfi_type_write(d->precision, &p->beta, 0, -0.5);
    return status;
}

/* Compares elements of C, the first and the last among them. */
static judgement compare(const product *p)
{
    const stf_gemm_desc *d = &p->full;
    const stfi_naive_gemm naive = {
        d, &p->alpha, p->array[A], p->array[B], &p->beta, p->array[BEFORE], 0};
    const int64_t last = p->count[C] - 1;
    const int64_t step = last / SAMPLES + 1;
    long double errors = 0, bounds = 0, squares = 0;
    judgement j = {.samples = 0};

    for (int64_t at = 0; at <= last;
         at = at < last && at + step > last ? last : at + step) {
        const int64_t member = at / (d->m * d->n), rest = at % (d->m * d->n);
        const stfi_naive_element e =
            stfi_naive_gemm_at(&naive, member, rest % d->m, rest / d->m);
        const long double x =
            fabsl(stfi_type_read(d->precision, p->array[C], at) - e.value);
        errors += x * x;
        bounds += e.usual * e.usual;
        squares += e.value * e.value;
        j.outside |= !(x <= e.bound);
        j.samples++;
    }
    j.error = (double)sqrtl(errors / squares);
    j.bound = (double)sqrtl(bounds / squares);
    return j;
}

static stf_status execute(stfi_verify_session *s, product *p, const char *label,
                          int *quiet_p)
{
    stf_plan *plan = NULL;
    stf_status status = stf_plan_gemm(s->dev, &p->full, &plan);

    if (status == STF_OK)
        status = stf_execute_gemm_host(plan, &p->alpha, p->array[A],
                                       p->array[B], &p->beta, p->array[C]);
    if (status >= STF_OK)
        status = stfi_verify_checks(s, plan, label, quiet_p);
    stf_plan_destroy(plan);
    return status;
}

/* Records the digest of a product, and compares it with that of a file. */
static stf_status use_digest(stfi_verify_session *s, const product *p,
                             const char *label, uint64_t seed,
                             const judgement *found)
{
    const stf_precision precision = p->full.precision;
    stf_status status = STF_OK;
    stfi_digest digest;

    stfi_digest_of_array(precision, p->array[C], p->count[C], label, seed,
                         &digest);
    digest.error = found->error;
    if (stfi_verify_wants_values(s, label))
        status = stfi_values_of_array(precision, p->array[C], p->count[C],
                                      &digest.values);
    if (status == STF_OK)
        stfi_verify_digest(s, &digest, precision, found->bound);
    stfi_values_free(&digest.values);
    return status;
}

/* Executes a product, records its digest, and compares the result. */
static stf_status judge(stfi_verify_session *s, product *p, const char *label,
                        uint64_t seed)
{
    char detail[160];
    judgement found;
    int quiet = 1;
    stf_status status = execute(s, p, label, &quiet);

    if (status < STF_OK || !quiet)
        return status;
    found = compare(p);
    status = use_digest(s, p, label, seed, &found);
    if (status != STF_OK || s->against_file)
        return status;
    snprintf(detail, sizeof detail,
             "error %.3e, bound %.3e (%d elements by the definition%s)",
             found.error, found.bound, (int)found.samples,
             found.outside ? ", of which some are beyond the contract" : "");
    stfi_verify_result(s, found.error <= found.bound && !found.outside, label,
                       detail);
    return STF_OK;
}

void stfi_verify_gemm_word(stfi_verify_session *s, const char *word)
{
    const stfi_digest *known =
        s->against_file ? stfi_digests_find(&s->known, word) : NULL;
    const uint64_t seed =
        known != NULL ? known->seed : stfi_verify_seed(s, word);
    product p = {.array = {NULL}};
    stf_gemm_desc d;
    stf_status status = stfi_gemm_parse(word, &d);

    d.ft = s->ft;
    d.threads = (int32_t)stfi_args_integer(s->args, STFI_OPT_THREADS, 0);
    if (status == STF_OK)
        status = stfi_gemm_desc_complete(&d, &p.full);
    if (status == STF_OK)
        status = make_arrays(&p, seed);
    if (status == STF_OK)
        status = judge(s, &p, word, seed);
    if (status < STF_OK)
        stfi_verify_status(s, word, status);
    for (int i = 0; i < ARRAYS; i++)
        stfi_dealloc(p.array[i]);
}

void stfi_verify_gemm(stfi_verify_session *s)
{
    const int quick = stfi_args_given(s->args, STFI_OPT_QUICK);

    for (int t = 0; t < PRECISIONS; t++) {
        const stfi_type *type = stfi_type_get(precisions[t]);
        if (stfi_args_integer(s->args, STFI_OPT_PRECISION, type->id)
            != (int64_t)type->id)
            continue;
        if (!stfi_args_given(s->args, STFI_OPT_QUIET))
            printf("# %s, matrix products\n", type->name);
        for (int i = 0; i < ROWS; i++) {
            char word[STFI_LABEL_BYTES];
            if (quick && !rows[i].quick)
                continue;
            snprintf(word, sizeof word, "gemm:%s:%s", type->name,
                     rows[i].product);
            stfi_verify_gemm_word(s, word);
        }
    }
}
