/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The functions of checks as a whole over one row (backends/cpu/protect/whole_row.h),
 * and over many short rows (row_lanes.h): each sees every real of the rows, and long
 * ones are summed up well. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <math.h>
#include <stdlib.h>
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

/* Those over one row of two or three reals, which are less than a vector of four, see
 * each of them. Behind the row there is no more memory of it: NaN. */
static void test_part(const char *isa)
{
    static few_row r;
    const stfi_cpu_whole_kernels *k = stfi_cpu_whole_find(isa, STF_F32, 4);
    int right = k != NULL;

    r.precision = STF_F32;
    r.side.plane[0] = r.weights[0];
    r.side.plane[1] = r.weights[1];
    for (int i = 0; right && i < 2 * STFI_CPU_WHOLE_FORMS; i++) {
        stfi_cpu_whole_kernels as_few = *k;
        const int form = i / 2, rest = 2 + i % 2;
        few_make(&r, k->key.lanes, 0, rest);
        r.side.form = (stfi_cpu_whole_form)form;
        memset(r.x + rest * 4, 0xff, 16);
        memcpy(r.y, r.x, sizeof r.y);
        for (int64_t j = 0; j < rest; j++)
            for (int c = 0; c < 2; c++)
                few_fill(&r, r.weights[c],
                         STFI_CPU_WHOLE_UNITS * k->key.lanes + j,
                         1 + (double)(3 * j + c) / 8);
        as_few.enter[form][0] = k->enter_part[form];
        right &= few_works(&r, &as_few, 0, k->judge_part[form]);
    }
    tap_ok(right, "%s: a row of two or three reals: each is seen", isa);
}

/* ---------------------------------------------------------------- short rows */

/* Rows whose output is their input, between NaN, which must not be read, and the
 * weights as cpu_whole.h describes them. */
enum { LANES_MOST = 16, SHORT_REALS = (STFI_CPU_WHOLE_SHORT + 1) * LANES_MOST };
enum { SHORT_ROWS = 2 * LANES_MOST + 1 };

typedef struct short_rows {
    stf_precision precision;
    stfi_cpu_whole_side side;
    int lanes;
    _Alignas(64) unsigned char weights[2][8 * SHORT_REALS + 80 * LANES_MOST],
        ones[16 * LANES_MOST];
    unsigned char x[8 * (SHORT_ROWS + 2) * SHORT_REALS],
        y[8 * (SHORT_ROWS + 2) * SHORT_REALS],
        terms[8 * 3 * (SHORT_ROWS + LANES_MOST)];
} short_rows;

static void put(const short_rows *r, void *at, int64_t i, double x)
{
    stfi_type_write(r->precision, at, i, (long double)x);
}

/* The reals of a piece of a row; 0: there are none. */
static int64_t piece_of(const short_rows *r)
{
    return r->side.reals < r->lanes        ? (r->precision == STF_F32 ? 4 : 2)
           : r->side.reals <= 2 * r->lanes ? r->lanes / 2
                                           : 0;
}

/* Writes the weight of real i of a row to a plane. */
static void put_weight(const short_rows *r, void *at, int64_t i, double x)
{
    const int64_t reals = r->side.reals, lanes = r->lanes;
    const int64_t whole = reals / lanes * lanes, piece = piece_of(r);
    const int64_t first =
        whole > 0 ? whole + lanes : STFI_CPU_WHOLE_UNITS * lanes;
    const int64_t unit = 2 - reals % 2;
    int64_t from;

    if (whole > 0)
        put(r, at, i < whole ? i : i + lanes - reals % lanes, x);
    else if (i / unit < STFI_CPU_WHOLE_UNITS)
        for (int64_t l = i % unit; l < lanes; l += unit)
            put(r, at, i / unit * lanes + l, x);
    if (piece == 0)
        return;
    from = i / piece * piece;
    if (from + piece > reals)
        from = reals > piece ? reals - piece : 0;
    for (int64_t l = i - from; l < lanes; l += piece)
        put(r, at, first + i / piece * lanes + l, x);
}

static void put_ones(short_rows *r)
{
    const int64_t lanes = r->lanes, piece = piece_of(r);

    for (int64_t l = lanes - r->side.reals % lanes; l < lanes; l++)
        put(r, r->ones, l, 1);
    for (int64_t l = 0; piece > 0 && l < lanes; l++)
        if (l % piece >= piece - r->side.reals % piece)
            put(r, r->ones, lanes + l, 1);
}

static void short_make(short_rows *r, int64_t reals, int64_t step)
{
    const int64_t bytes = r->precision == STF_F32 ? 4 : 8;
    uint64_t state = tap_seed();

    r->side.reals = reals;
    r->side.step = step;
    r->side.vectors = reals / r->lanes;
    r->side.rest = reals % r->lanes;
    memset(r->weights, 0, sizeof r->weights);
    memset(r->ones, 0, sizeof r->ones);
    for (int64_t i = 0; i < reals; i++)
        for (int c = 0; c < 2; c++)
            put_weight(r, r->weights[c], i,
                       1 + (double)((7 * i + 3 * c) % 8) / 8);
    put_ones(r);
    memset(r->x, 0xff, sizeof r->x); /* NaN */
    for (int64_t row = 0; row < SHORT_ROWS; row++)
        stfi_random_fill(r->precision,
                         r->x + (size_t)((SHORT_REALS + row * step) * bytes),
                         reals, &state);
    memcpy(r->y, r->x, sizeof r->y);
}

/* 1 if all of the first `rows` rows are clean, and each is found in which a real is
 * wrong. */
static int short_works(short_rows *r, const stfi_cpu_whole_kernels *k,
                       int64_t rows)
{
    const stfi_cpu_whole_limit limit = {.factor = 1, .most = 1e-10};
    const size_t from = (r->precision == STF_F32 ? 4 : 8) * SHORT_REALS;
    unsigned char *x = r->x + from, *y = r->y + from;
    double worst = 1;
    int right = k->enter_rows(&r->side, x, rows, r->terms).rows == rows;

    right &=
        k->judge_rows(&r->side, y, 0, rows, r->terms, &limit, &worst) == rows;
    for (int64_t i = 0; i < rows * r->side.reals; i++) {
        const int64_t row = i / r->side.reals;
        const int64_t at = row * r->side.step + i % r->side.reals;
        const double was = (double)stfi_type_read(r->precision, x, at);
        const int64_t first = row > 0 ? row - i % 2 : 0;
        put(r, y, at, was + 1);
        right &=
            k->judge_rows(&r->side, y, first, rows, r->terms, &limit, &worst)
            == row;
        right &=
            k->judge_rows(&r->side, y, row + 1, rows, r->terms, &limit, &worst)
            == (row + 1 > rows ? row + 1 : rows);
        put(r, y, at, was);
    }
    return right;
}

static void test_short(const char *isa, stf_precision precision)
{
    static short_rows r;
    const stfi_cpu_whole_kernels *k =
        stfi_cpu_whole_find(isa, precision, INT64_MAX);
    int right = 1, tried = 0;

    r.precision = precision;
    r.side.by_lanes = 1;
    r.side.plane[0] = r.weights[0];
    r.side.plane[1] = r.weights[1];
    r.side.ones = r.ones;
    r.lanes = k != NULL ? k->key.lanes : 1;
    for (int64_t n = 2; k != NULL && stfi_cpu_whole_is_short(n, k->key.lanes);
         n++)
        for (int i = 0; i < 4; i++) {
            const int64_t gap = i > 1 ? 3 : 0;
            r.side.form = i % 2 ? STFI_CPU_WHOLE_PAIRED : STFI_CPU_WHOLE_PLANES;
            short_make(&r, n, n + gap);
            for (int64_t rows = 1; rows <= 2 * k->key.lanes + 1;
                 rows += rows < k->key.lanes ? 1 : k->key.lanes / 2, tried++)
                right &= short_works(&r, k, rows);
        }
    tap_ok(right, "%s: %s, %d batches of short rows: each real is seen", isa,
           stfi_type_get(precision)->name, tried);
}

/* The sum of a long row has not more roundings than a transform of 2^20 points,
 * whose rms, relative to the norm, is u times the root of about 16. Weights are the
 * reals behind the row. */
static void test_long_row(const char *isa)
{
    enum { LONG_ROW = 1 << 20, TRIALS = 16 };
    const stfi_cpu_whole_kernels *k =
        stfi_cpu_whole_find(isa, STF_F32, INT64_MAX);
    float *x = malloc(2 * LONG_ROW * sizeof *x), terms[64];
    uint64_t state = tap_seed();
    double squares = 0;

    if (x != NULL)
        stfi_random_fill(STF_F32, x, 2 * LONG_ROW, &state);
    for (int trial = 0; trial < TRIALS && x != NULL && k != NULL; trial++) {
        const float *w = x + LONG_ROW - 100 * trial;
        const stfi_cpu_whole_side side = {
            .reals = LONG_ROW,
            .step = LONG_ROW,
            .vectors = LONG_ROW / k->key.lanes,
            .form = STFI_CPU_WHOLE_PAIRED,
            .plane = {w, w},
        };
        double error = 0, power = 0;
        k->enter[side.form][0](&side, x, terms);
        for (int l = 0; l < k->key.lanes; l++)
            error += terms[l];
        for (int i = 0; i < LONG_ROW; i++) {
            error -= (double)x[i] * w[i];
            power += (double)x[i] * w[i] * x[i] * w[i];
        }
        squares += error * error / power;
    }
    tap_ok(x != NULL && squares / TRIALS < 16 * 0x1p-48,
           "%s: a long row is summed up well", isa);
    tap_diag("relative to the norm %.3g u", sqrt(squares / TRIALS) * 0x1p24);
    free(x);
}

int main(void)
{
    const char *isa;

    tap_begin("whole_row");
    for (int i = 0; (isa = stfi_cpu_isa_at(i)) != NULL; i++) {
        test_few(isa, STF_F32);
        test_few(isa, STF_F64);
        if (stfi_cpu_isa_bytes(isa) > 4)
            test_part(isa);
        else
            tap_skip("plain C has vectors of one number",
                     "%s: a row of two or three reals", isa);
        test_short(isa, STF_F32);
        test_short(isa, STF_F64);
        test_long_row(isa);
    }
    return tap_end();
}
