/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Verifies matrix products; see verify_gemm.h. The oracle computes some elements
 * from the definition; digests are of all. */
#include "tools/verify/verify_gemm.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/type.h"
#include "gemm/gemm_desc.h"
#include "support/problem/distribution.h"
#include "tools/command/product_options.h"
#include "tools/verify/gemm_accuracy.h"

static const struct {
    const char *product;
    int quick;
} rows[] = {
#define STFI_VERIFY_GEMM(product, quick) {product, quick},
#include "tools/verify/verify_gemm.def"
#undef STFI_VERIFY_GEMM
};

/* The precisions of A and B, and behind a '-' that of C if it is another one. */
static const struct {
    const char *name;
    stf_precision precision;
} precisions[] = {
    {"f16", STF_F16},       {"f16-f32", STF_F16}, {"bf16", STF_BF16},
    {"bf16-f32", STF_BF16}, {"f32", STF_F32},     {"f64", STF_F64},
    {"f80", STF_F80},
};

enum {
    ROWS = sizeof rows / sizeof *rows,
    PRECISIONS = sizeof precisions / sizeof *precisions,
    LEAST_CUT = 8,
    A = 0,
    B,
    C,
    BEFORE,
    ARRAYS
};

/* A product, with its arrays on the host. Scalars are of the precision that is
 * computed in. */
typedef struct product {
    stf_gemm_desc full;
    int cuts; /* of the plan that computed it; see naive_gemm.h */
    void *array[ARRAYS];
    int64_t count[ARRAYS];
    union {
        float f32;
        double f64;
        long double f80;
    } alpha, beta;
} product;

static stf_status make_arrays(product *p, uint64_t seed)
{
    const stf_gemm_desc *d = &p->full;
    const int64_t each[] = {d->m * d->k, d->k * d->n, d->m * d->n, d->m * d->n};
    const stf_precision math = stfi_type_arithmetic(d->precision)->id;
    size_t bytes = 0;
    stf_status status = STF_OK;

    for (int i = 0; i < ARRAYS && status == STF_OK; i++) {
        const stf_precision type = i < C ? d->precision : d->precision_c;
        p->count[i] = each[i] * d->batch;
        bytes = (size_t)p->count[i] * stfi_type_get(type)->bytes;
        status = stfi_alloc(bytes, "a matrix", &p->array[i]);
        for (int64_t e = 0; e < p->count[i] && status == STF_OK && i != C; e++)
            stfi_type_write(type, p->array[i], e,
                            stfi_random_uniform(-1, 1, &seed));
    }
    if (status == STF_OK)
        memcpy(p->array[C], p->array[BEFORE], bytes);
    stfi_type_write(math, &p->alpha, 0, 1.5);
    stfi_type_write(math, &p->beta, 0, -0.5);
    return status;
}

static stf_status execute(stfi_verify_session *s, product *p, const char *label,
                          int *quiet_p)
{
    stf_plan *plan = NULL;
    stf_status status = stf_plan_gemm(s->dev, &p->full, &plan);

    if (status == STF_OK)
        status = stf_execute_gemm_host(plan, &p->alpha, p->array[A],
                                       p->array[B], &p->beta, p->array[C]);
    if (status >= STF_OK) {
        p->cuts = stfi_gemm_cuts(plan);
        status = stfi_verify_checks(s, plan, label, quiet_p);
    }
    stf_plan_destroy(plan);
    return status;
}

/* Records the digest of a product, and compares it with that of a file. */
static stf_status use_digest(stfi_verify_session *s, const product *p,
                             const char *label, uint64_t seed, double error,
                             double bound)
{
    const stf_precision precision = p->full.precision_c;
    stf_status status = STF_OK;
    stfi_digest digest;

    stfi_digest_of_array(precision, p->array[C], p->count[C], label, seed,
                         &digest);
    digest.error = error;
    if (stfi_verify_wants_values(s, label))
        status = stfi_values_of_array(precision, p->array[C], p->count[C],
                                      &digest.values);
    if (status == STF_OK)
        stfi_verify_digest(s, &digest, precision, bound);
    stfi_values_free(&digest.values);
    return status;
}

/* What any machine may have for an error. Where matrix units cut off sums of halves,
 * it is after eight steps or more [Fasi2021]. */
static double bound_of_all(const product *p, const stfi_naive_gemm *naive,
                           const stfi_gemm_accuracy *found)
{
    const stf_precision precision = p->full.precision;
    stfi_naive_gemm other = *naive;

    if (stfi_type_arithmetic(precision)->id == precision)
        return found->usual;
    other.cuts = LEAST_CUT;
    return stfi_gemm_compare(&other, p->array[C]).usual;
}

/* Executes a product, records its digest, and compares the result. */
static stf_status judge(stfi_verify_session *s, product *p, const char *label,
                        uint64_t seed)
{
    stfi_naive_gemm naive = {.full = &p->full,
                             .alpha = &p->alpha,
                             .a = p->array[A],
                             .b = p->array[B],
                             .beta = &p->beta,
                             .c = p->array[BEFORE]};
    char detail[160];
    stfi_gemm_accuracy found;
    int quiet = 1;
    stf_status status = execute(s, p, label, &quiet);

    if (status < STF_OK || !quiet)
        return status;
    naive.cuts = p->cuts;
    found = stfi_gemm_compare(&naive, p->array[C]);
    if (s->against_file || s->record.stream != NULL)
        status = use_digest(s, p, label, seed, found.error,
                            bound_of_all(p, &naive, &found));
    if (status != STF_OK || s->against_file)
        return status;
    snprintf(detail, sizeof detail,
             "error %.3e, bound %.3e (%d elements by the definition%s)",
             found.error, found.usual, (int)found.samples,
             found.outside ? ", of which some are beyond the contract" : "");
    stfi_verify_result(
        s, found.samples > 0 && found.error <= found.usual && !found.outside,
        label, detail);
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
    stf_status status = stfi_args_product(s->args, word, &d);

    d.ft = s->ft;
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
        const int64_t precision = precisions[t].precision;
        if (stfi_args_integer(s->args, STFI_OPT_PRECISION, precision)
            != precision)
            continue;
        if (!stfi_args_given(s->args, STFI_OPT_QUIET))
            printf("# %s, matrix products\n", precisions[t].name);
        for (int i = 0; i < ROWS; i++) {
            char word[STFI_LABEL_BYTES];
            if (quick && !rows[i].quick)
                continue;
            snprintf(word, sizeof word, "gemm:%s:%s", precisions[t].name,
                     rows[i].product);
            stfi_verify_gemm_word(s, word);
        }
    }
}
