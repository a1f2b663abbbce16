/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The effort of a plan of matrix products: it is made as the model says, as wisdom
 * says, or as is measured now, which becomes wisdom. */
#include <inttypes.h>

#include "gemm/gemm_desc.h"
#include "run/effort.h"
#include "run/gemm/gemm_measure.h"
#include "wisdom/list.h"

/* ---------------------------------------------------------------------- key */

/* 1 if all matrices are packed. */
static int is_packed(const stf_gemm_desc *full)
{
    stf_gemm_desc packed = *full, completed;

    packed.lda = packed.ldb = packed.ldc = 0;
    packed.dist_a = packed.dist_b = packed.dist_c = 0;
    return stfi_gemm_desc_complete(&packed, &completed) == STF_OK
           && completed.lda == full->lda && completed.ldb == full->ldb
           && completed.ldc == full->ldc && completed.dist_a == full->dist_a
           && completed.dist_b == full->dist_b
           && completed.dist_c == full->dist_c;
}

/* Writes all of a problem that decides which plan is fast, which is the same for a
 * row-major product and that of the transposes. */
static void put_problem(const stf_device *dev, const stf_gemm_desc *full,
                        char words[STFI_WISDOM_TEXT_BYTES])
{
    const stfi_gemm g = stfi_gemm_lower(full);
    const stfi_gemm_matrix *const matrix[] = {&g.a, &g.b, &g.c};
    const int packed = is_packed(full);
    stfi_text w = {words, STFI_WISDOM_TEXT_BYTES, 0};

    stfi_text_put(&w,
                  "gemm:%s-%s:%c%c:%" PRId64 "x%" PRId64 "x%" PRId64 "*%" PRId64
                  ":%s:t%d",
                  stfi_type_get(g.precision)->name,
                  stfi_type_get(g.precision_c)->name, g.a.row == 1 ? 'n' : 't',
                  g.b.row == 1 ? 'n' : 't', g.m, g.n, g.k, g.batch,
                  stfi_effort_compute(g.compute),
                  stfi_device_threads(dev, full->threads));
    stfi_effort_put_ft(&w, &full->ft);
    for (int i = 0; i < 3 && !packed; i++)
        stfi_text_put(&w, ":%c%" PRId64 ",%" PRId64, "abc"[i],
                      matrix[i] -> row == 1 ? matrix[i] -> col
                                            : matrix[i] -> row,
                      matrix[i] -> dist);
}

/* ------------------------------------------------------------------- making */

static int parse(const char *text, void *choice_p)
{
    return stfi_gemm_choice_parse(text, choice_p);
}

/* Says in the plan how it was chosen. */
static void say(stfi_gemm_plan *plan, stfi_recalled recalled,
                const stfi_measured *m)
{
    char choice[STFI_GEMM_CHOICE_TEXT];

    stfi_gemm_choice_print(&plan->gemm.choice, choice);
    stfi_effort_say(plan->desc.effort, choice, recalled, m, plan->how,
                    sizeof plan->how);
}

static stf_status measure(stf_device *dev, const stf_gemm_desc *full,
                          int workspace, const char *words,
                          stfi_recalled recalled, stfi_gemm_plan **plan_p)
{
    char value[STFI_GEMM_CHOICE_TEXT];
    stfi_gemm_choice choice;
    stfi_measured m;
    stf_status status = stfi_gemm_measure(dev, full, &choice, &m);

    if (status != STF_OK)
        return status;
    stfi_gemm_choice_print(&choice, value);
    if (m.reason[0] == '\0')
        stfi_effort_keep(dev, words, full->effort, value);
    status = stfi_gemm_plan_create_as(dev, full, workspace, &choice, plan_p);
    if (status == STF_OK)
        say(*plan_p, recalled, &m);
    return status;
}

/* Products of no elements, and sums of no terms, have nothing to choose. */
static int is_measured(const stf_gemm_desc *full)
{
    return full->effort != STF_EFFORT_ESTIMATE && full->m > 0 && full->n > 0
           && full->k > 0;
}

stf_status stfi_gemm_plan_create(stf_device *dev, const stf_gemm_desc *d,
                                 int workspace, stfi_gemm_plan **plan_p)
{
    char words[STFI_WISDOM_TEXT_BYTES];
    stfi_gemm_choice choice = {.m = 0};
    stfi_recalled recalled;
    stf_gemm_desc full;
    stf_status status = stfi_gemm_desc_complete(d, &full);

    if (status != STF_OK)
        return status;
    if (!is_measured(&full) || dev->backend->gemm == NULL)
        return stfi_gemm_plan_create_as(dev, &full, workspace, &choice, plan_p);
    put_problem(dev, &full, words);
    recalled = stfi_effort_recall(dev, words, full.effort, parse, &choice);
    /* Wisdom may be wrong: then the plan is as if there were none. */
    if (recalled == STFI_KNOWN) {
        if (stfi_gemm_plan_create_as(dev, &full, workspace, &choice, plan_p)
            == STF_OK) {
            say(*plan_p, recalled, NULL);
            return STF_OK;
        }
        recalled = STFI_NOT_USABLE;
    }
    return measure(dev, &full, workspace, words, recalled, plan_p);
}
