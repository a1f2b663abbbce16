/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The functions of checks as a whole over one row (backends/cpu/protect/whole_row.h):
 * each sees every real of the row. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>

#include "backends/cpu/cpu_pass.h"
#include "backends/cpu/protect/cpu_whole.h"
#include "base/type.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

/* A row whose output is its input, with the weights of both. */
enum { FEW_REALS = 18 * 16 };

typedef struct few_row {
    stf_precision precision;
    stfi_cpu_whole_side side;
    _Alignas(64) unsigned char weights[2][8 * FEW_REALS], ones[8 * 16];
    unsigned char x[8 * FEW_REALS], y[8 * FEW_REALS], terms[512];
} few_row;

static void few_fill(few_row *r, unsigned char *at, int64_t i, double x)
{
    stfi_type_write(r->precision, at, i, (long double)x);
}

/* Makes a row of `few` vectors of `lanes` reals, and of `rest` reals more. */
static void few_make(few_row *r, int lanes, int few, int rest)
{
    const int64_t whole = (int64_t)few * lanes;
    uint64_t state = tap_seed();

    stfi_random_fill(r->precision, r->x, FEW_REALS, &state);
    memcpy(r->y, r->x, sizeof r->y);
    memset(r->weights, 0, sizeof r->weights);
    memset(r->ones, 0, sizeof r->ones);
    for (int64_t i = 0; i < whole + rest; i++)
        for (int c = 0; c < 2; c++)
            few_fill(r, r->weights[c], i < whole ? i : i + lanes - rest,
                     1 + (double)((7 * i + 3 * c) % 8) / 8);
    for (int l = lanes - rest; l < lanes; l++)
        few_fill(r, r->ones, l, 1);
    r->side.reals = r->side.step = whole + rest;
    r->side.vectors = few;
    r->side.rest = rest;
}

/* 1 if a function says that the row is clean, and that it is not if any of its reals
 * is wrong. */
static int few_works(few_row *r, const stfi_cpu_whole_kernels *k, int few,
                     stfi_cpu_whole_judge *judge)
{
    const stfi_cpu_whole_limit limit = {.factor = 1, .most = 1e-10};
    double worst = 1;
    int right;

    k->enter[r->side.form][few](&r->side, r->x, r->terms);
    right = judge(&r->side, r->y, r->terms, &limit, &worst);
    for (int64_t i = 0; i < r->side.reals; i++) {
        few_fill(r, r->y, i, (double)stfi_type_read(r->precision, r->x, i) + 1);
        right &= !judge(&r->side, r->y, r->terms, &limit, &worst);
        few_fill(r, r->y, i, (double)stfi_type_read(r->precision, r->x, i));
    }
    return right;
}

/* Every function over one row sees every real of it, by whatever pieces it reads. */
static void test_few(const char *isa, stf_precision precision)
{
    static few_row r;
    int right = 1, tried = 0;

    r.precision = precision;
    r.side.plane[0] = r.weights[0];
    r.side.plane[1] = r.weights[1];
    r.side.ones = r.ones;
    for (int i = 0; i < STFI_CPU_WHOLE_PIECES * STFI_CPU_WHOLE_FORMS
                            * (STFI_CPU_WHOLE_FEW + 1);
         i++) {
        const stfi_cpu_whole_kernels *k =
            stfi_cpu_whole_find(isa, precision, INT64_MAX);
        const int few = i % (STFI_CPU_WHOLE_FEW + 1);
        const int form = i / (STFI_CPU_WHOLE_FEW + 1) % STFI_CPU_WHOLE_FORMS;
        const int piece = i / (STFI_CPU_WHOLE_FEW + 1) / STFI_CPU_WHOLE_FORMS;
        if (k == NULL || k->judge[piece][form][few] == NULL)
            continue;
        r.side.form = (stfi_cpu_whole_form)form;
        for (int rest = 0; rest < k->key.lanes; rest += 2, tried++) {
            few_make(&r, k->key.lanes, few > 0 ? few : 17, rest);
            right &= few_works(&r, k, few, k->judge[piece][form][few]);
        }
    }
    tap_ok(right,
           "%s: %s, %d functions over few vectors and rests see each real", isa,
           stfi_type_get(precision)->name, tried);
}

int main(void)
{
    const char *isa;

    tap_begin("whole_row");
    for (int i = 0; (isa = stfi_cpu_isa_at(i)) != NULL; i++) {
        test_few(isa, STF_F32);
        test_few(isa, STF_F64);
    }
    return tap_end();
}
