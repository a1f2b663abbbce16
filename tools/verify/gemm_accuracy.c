/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products and their definition; see gemm_accuracy.h. */
#include "tools/verify/gemm_accuracy.h"

#include <math.h>

#include "base/type.h"
#include "run/gemm/gemm_plan.h"

enum { SAMPLES = 200 };

int stfi_gemm_cuts(stf_plan *plan)
{
    stfi_gemm_cover cover;
    stfi_gemm_plan *gemm;

    if (stfi_gemm_plan_get(plan, "steadfast", &gemm) != STF_OK)
        return 0;
    plan->dev->backend->gemm->cover(gemm->exec, &cover);
    return cover.cut;
}

static int is_beyond(stf_precision precision, long double x)
{
    long double any;

    stfi_type_write(precision, &any, 0, x);
    return !isfinite(stfi_type_read(precision, &any, 0));
}

/* 1 if a partial sum may be too large for what is computed in, or the element for C.
 * No partial sum is larger than what its rounding errors are bounded by, divided by
 * one of them; alpha may make it smaller afterwards. */
static int may_overflow(const stf_gemm_desc *d, const stfi_naive_element *e,
                        long double alpha)
{
    const stfi_type *math = stfi_type_arithmetic(d->precision);
    const long double factor =
        alpha != 0 && fabsl(alpha) < 1 ? fabsl(alpha) : 1;

    return !isfinite(e->value) || !isfinite(e->bound)
           || is_beyond(math->id, e->bound / math->unit_roundoff / factor)
           || is_beyond(d->precision_c, fabsl(e->value) + e->bound);
}

/* Each of the steps may lose half of the least number, of which alpha is a
 * factor. */
static long double underflow(const stf_gemm_desc *d, long double alpha)
{
    const stfi_type *math = stfi_type_arithmetic(d->precision);

    return (long double)(d->k + 2) * math->least * (1 + fabsl(alpha));
}

static double relative(long double squares, long double of)
{
    if (of > 0)
        return (double)sqrtl(squares / of);
    return squares == 0 ? 0 : INFINITY;
}

stfi_gemm_accuracy stfi_gemm_compare(const stfi_naive_gemm *gemm, const void *c)
{
    const stf_gemm_desc *d = gemm->full;
    const int64_t last = d->m * d->n * d->batch - 1;
    const int64_t step = last / SAMPLES + 1;
    const long double alpha =
        stfi_type_read(stfi_type_arithmetic(d->precision)->id, gemm->alpha, 0);
    const long double lost = underflow(d, alpha);
    long double errors = 0, usual = 0, bounds = 0, squares = 0;
    stfi_gemm_accuracy a = {.samples = 0};

    for (int64_t at = 0; at <= last;
         at = at < last && at + step > last ? last : at + step) {
        const int64_t member = at / (d->m * d->n), rest = at % (d->m * d->n);
        const int64_t i = rest % d->m, j = rest / d->m;
        const stfi_naive_element e = stfi_naive_gemm_at(gemm, member, i, j);
        const int64_t place = stfi_naive_gemm_place(d, 'c', member, i, j);
        const long double x =
            fabsl(stfi_type_read(d->precision_c, c, place) - e.value);
        if (may_overflow(d, &e, alpha))
            continue;
        errors += x * x;
        usual += e.usual * e.usual;
        bounds += e.bound * e.bound;
        squares += e.value * e.value;
        a.outside |= !(x <= e.bound + lost);
        a.samples++;
    }
    a.error = relative(errors, squares);
    a.usual = relative(usual, squares);
    a.bound = relative(bounds, squares);
    return a;
}
