/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Options and matrix products; see product_options.h. */
#include "tools/command/product_options.h"

#include "base/status.h"
#include "support/problem/gemm_problem.h"
#include "tools/command/problems.h"

static const struct {
    stfi_opt option;
    const char *name;
} rows[] = {
    {STFI_OPT_N, "n"},
    {STFI_OPT_BATCH, "batch"},
    {STFI_OPT_KIND, "kind"},
    {STFI_OPT_PRECISION, "precision"},
    {STFI_OPT_COMPUTE, "compute"},
    {STFI_OPT_UNIT_RADIX, "unit-radix"},
    {STFI_OPT_IN_PLACE, "in-place"},
    {STFI_OPT_INVERSE, "inverse"},
    {STFI_OPT_ELEMENTS, "elements"},
    {STFI_OPT_BYTES, "bytes"},
    {STFI_OPT_COMPARE, "compare"},
    {STFI_OPT_ROC, "roc"},
    {STFI_OPT_MEASURE, "measure"},
};

stf_status stfi_product_options_check(const stfi_args *args)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (stfi_args_given(args, rows[i].option))
            return stfi_error(STF_ERR_ARGUMENT,
                              "--%s is for transforms; a word such as "
                              "gemm:f32:nt:1000x777x3000*4 says all of a "
                              "matrix product",
                              rows[i].name);
    return STF_OK;
}

stf_status stfi_args_product(const stfi_args *args, const char *word,
                             stf_gemm_desc *d_p)
{
    stf_status status = stfi_gemm_parse(word, d_p);

    if (status != STF_OK)
        return status;
    stfi_args_effort(args, &d_p->effort, &d_p->effort_seconds);
    d_p->threads = (int32_t)stfi_args_integer(args, STFI_OPT_THREADS, 0);
    return STF_OK;
}
