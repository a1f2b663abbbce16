/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The comparison of matrix products with their definition, which `steadfast verify`
 * and `steadfast gemm` make: it lets rounding pass, in every precision, and no
 * element that is further off. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/type.h"
#include "gemm/gemm_desc.h"
#include "support/problem/distribution.h"
#include "support/problem/gemm_problem.h"
#include "tests/tap.h"
#include "tools/verify/gemm_accuracy.h"

enum { MOST = 256 };

typedef long double numbers[MOST];

/* A product; C is as it was. */
typedef struct product {
    stf_gemm_desc full;
    numbers a, b, c, result;
    long double alpha,
        beta; /* their memory, of the precision of the arithmetic */
    stfi_naive_gemm naive;
} product;

static void fill(stf_precision precision, void *array, double size,
                 uint64_t *state)
{
    for (int i = 0; i < MOST; i++)
        stfi_type_write(precision, array, i,
                        size * stfi_random_uniform(0.5, 1, state));
}

/* Makes a product with a result that is right: each element rounded once. */
static void make(product *p, const char *word, stf_order order, double size)
{
    stf_gemm_desc d = stf_gemm_desc_default();
    stf_precision math;
    uint64_t state = tap_seed();

    memset(p, 0, sizeof *p);
    stfi_gemm_parse(word, &d);
    d.order = order;
    stfi_gemm_desc_complete(&d, &p->full);
    math = stfi_type_arithmetic(d.precision)->id;
    fill(d.precision, p->a, size, &state);
    fill(d.precision, p->b, size, &state);
    fill(d.precision_c, p->c, size * size, &state);
    stfi_type_write(math, &p->alpha, 0, 1.5L);
    stfi_type_write(math, &p->beta, 0, -0.5L);
    p->naive =
        (stfi_naive_gemm){&p->full, &p->alpha, p->a, p->b, &p->beta, p->c, 0};
    for (int64_t e = 0; e < d.m * d.n * d.batch; e++) {
        const int64_t member = e / (d.m * d.n), rest = e % (d.m * d.n);
        const int64_t i = rest % d.m, j = rest / d.m;
        stfi_type_write(d.precision_c, p->result,
                        stfi_naive_gemm_place(&p->full, 'c', member, i, j),
                        stfi_naive_gemm_at(&p->naive, member, i, j).value);
    }
}

/* 1 if the result is found wrong when one element is off by a multiple of its
 * bound. */
static int notices(product *p, int64_t member, int64_t i, int64_t j,
                   long double times)
{
    const int64_t at = stfi_naive_gemm_place(&p->full, 'c', member, i, j);
    const stfi_naive_element e = stfi_naive_gemm_at(&p->naive, member, i, j);
    const stf_precision type = p->full.precision_c;
    const long double right = stfi_type_read(type, p->result, at);
    int outside;

    stfi_type_write(type, p->result, at, e.value + times * e.bound);
    outside = stfi_gemm_compare(&p->naive, p->result).outside;
    stfi_type_write(type, p->result, at, right);
    return outside;
}

static void test_precision(const char *word, stf_order order)
{
    static product p;
    const stf_gemm_desc *d = &p.full;
    stfi_gemm_accuracy a;

    make(&p, word, order, 1);
    a = stfi_gemm_compare(&p.naive, p.result);
    tap_ok(!a.outside && a.error <= a.usual && a.usual <= a.bound
               && a.samples == d->m * d->n * d->batch,
           "%s, order %d: what is rounded once is right (%.2e of %.2e)", word,
           (int)order, a.error, a.usual);
    tap_ok(notices(&p, 0, 0, 0, 3)
               && notices(&p, d->batch - 1, d->m - 1, d->n - 1, -3)
               && notices(&p, 0, d->m - 1, 0, 3),
           "%s: an element that is off by three bounds is found", word);
    tap_ok(!notices(&p, 0, 0, 0, 0.3L) && !notices(&p, 0, d->m - 1, 0, -0.3L),
           "%s: within them none is", word);
    tap_ok(notices(&p, 0, 0, 0, (long double)NAN), "%s: NaN is found", word);
}

static void test_range(void)
{
    static product p;
    stfi_gemm_accuracy a;

    make(&p, "gemm:f16:nn:5x4x9", STF_COLUMN_MAJOR, 300);
    a = stfi_gemm_compare(&p.naive, p.result);
    tap_ok(a.samples == 0 && !a.outside,
           "what is too large for C is passed over");
    make(&p, "gemm:f16-f32:nn:5x4x9", STF_COLUMN_MAJOR, 300);
    a = stfi_gemm_compare(&p.naive, p.result);
    tap_ok(a.samples == 20 && !a.outside, "in a C of F32 it is compared");
    make(&p, "gemm:f32:nn:5x4x9", STF_COLUMN_MAJOR, 1e19);
    a = stfi_gemm_compare(&p.naive, p.result);
    tap_ok(a.samples == 0 && !a.outside, "so are sums that may be too large");
    stfi_type_write(STF_F32, &p.alpha, 0, 1e-30L);
    a = stfi_gemm_compare(&p.naive, p.result);
    tap_ok(a.samples == 0 && !a.outside,
           "even if alpha makes them small again");
    make(&p, "gemm:f32:nn:5x4x9", STF_COLUMN_MAJOR, 1e-30);
    a = stfi_gemm_compare(&p.naive, p.result);
    tap_ok(a.samples == 20 && !a.outside, "what underflows may be lost");
    stfi_type_write(STF_F32, p.result, 7, 1e-42L);
    tap_ok(stfi_gemm_compare(&p.naive, p.result).outside,
           "but nothing may take its place");
}

int main(void)
{
    static const char *const words[] = {
        "gemm:f16:nn:5x4x9*2",     "gemm:f16-f32:tn:5x4x20",
        "gemm:bf16:nt:6x3x11",     "gemm:bf16-f32:tt:5x7x9*3",
        "gemm:f32:nt:5x4x9*2",     "gemm:f64:tn:3x5x17",
        "gemm:f32-split:nn:7x6x8", "gemm:f80:tt:5x4x9",
    };

    tap_begin("unit/gemm_accuracy");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        test_precision(words[i], STF_COLUMN_MAJOR);
        test_precision(words[i], STF_ROW_MAJOR);
    }
    test_range();
    return tap_end();
}
