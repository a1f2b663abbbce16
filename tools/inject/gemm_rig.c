/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A rig for faults in matrix products; see gemm_rig.h. */
#include "tools/inject/gemm_rig.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/status.h"
#include "base/type.h"
#include "gemm/gemm_desc.h"
#include "run/gemm/gemm_plan.h"
#include "support/problem/distribution.h"
#include "support/problem/problem.h"

/* Operands are drawn in runs of so many numbers, each from a seed of its own. */
enum { RUN = 4096, SAMPLES = 64 };

/* -------------------------------------------------------------------- data */

/* Number i of an operand. */
typedef double maker(int64_t i, uint64_t *state);

static double normal(int64_t i, uint64_t *state)
{
    (void)i;
    return stfi_random_normal(state);
}

static double uniform(int64_t i, uint64_t *state)
{
    (void)i;
    return stfi_random_uniform(0, 1, state);
}

static double heavy_tails(int64_t i, uint64_t *state)
{
    const double size = pow(10, stfi_random_uniform(-3, 3, state));

    (void)i;
    return size * stfi_random_normal(state);
}

static double mixed_signs(int64_t i, uint64_t *state)
{
    (void)i;
    return stfi_random_uniform(-1, 1, state);
}

static double sparse(int64_t i, uint64_t *state)
{
    const int there = stfi_random_uniform(0, 1, state) < 0.1;
    const double x = stfi_random_normal(state);

    (void)i;
    return there ? x : 0;
}

/* The largest sums of some kinds are beyond F16, in which C may be: in F16 their
 * numbers are smaller. */
static const struct {
    const char *name;
    maker *make;
    double in_f16;
} kinds[] = {
    {"normal", normal, 1},
    {"uniform", uniform, 1},
    {"heavy-tails", heavy_tails, 0x1p-6},
    {"mixed-signs", mixed_signs, 1},
    {"sparse", sparse, 1},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const char *stfi_gemm_data_name(int kind)
{
    return kind >= 0 && kind < KINDS ? kinds[kind].name : NULL;
}

int stfi_gemm_data_find(const char *name)
{
    int kind = KINDS - 1;

    while (kind >= 0 && strcmp(kinds[kind].name, name) != 0)
        kind--;
    return kind;
}

/* ----------------------------------------------------------------- making */

static const stfi_type *math_of(const stfi_gemm_rig *r)
{
    return stfi_type_arithmetic(r->full.precision);
}

static int has_halves(const stfi_gemm_rig *r)
{
    return math_of(r)->id != r->full.precision;
}

static stf_status make_arrays(stfi_gemm_rig *r)
{
    const stf_gemm_desc *d = &r->full;
    const int64_t each[] = {d->m * d->k, d->k * d->n, d->m * d->n};
    const stf_precision types[] = {d->precision, d->precision, d->precision_c};
    stf_status status = STF_OK;

    for (int i = 0; i < STFI_GEMM_ARRAYS && status == STF_OK; i++) {
        r->count[i] = each[i] * d->batch;
        r->bytes[i] = (size_t)r->count[i] * stfi_type_get(types[i])->bytes;
        if (i != STFI_GEMM_C)
            status = stfi_alloc_raw(r->bytes[i], "a matrix", &r->host[i]);
        if (i != STFI_GEMM_C && status == STF_OK && has_halves(r))
            status = stfi_alloc_raw((size_t)r->count[i] * sizeof(float),
                                    "a matrix", &r->widened[i]);
        if (status == STF_OK)
            status = stf_malloc(r->dev, r->bytes[i], &r->array[i]);
    }
    return status;
}

static stf_status make_plans(stfi_gemm_rig *r)
{
    stf_gemm_desc d = r->full;
    stf_status status = stf_plan_gemm(r->dev, &d, &r->plan);

    if (status != STF_OK || d.ft.mode == STF_FT_DETECT)
        return status;
    d.ft.mode = STF_FT_DETECT;
    return stf_plan_gemm(r->dev, &d, &r->witness);
}

stf_status stfi_gemm_rig_make(stf_device *dev, const stf_gemm_desc *d,
                              stfi_gemm_rig *r_p)
{
    stfi_gemm_rig r = {.dev = dev};
    stfi_gemm_plan *plan;
    stf_status status = stfi_gemm_desc_complete(d, &r.full);

    if (status != STF_OK)
        return status;
    if (r.full.ft.mode == STF_FT_OFF)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--ft is off; faults are for plans that detect or "
                          "correct them");
    r.gemm = stfi_gemm_lower(&r.full);
    stfi_type_write(math_of(&r)->id, &r.alpha, 0, 1);
    stfi_type_write(math_of(&r)->id, &r.beta, 0, 0);
    if ((status = make_plans(&r)) == STF_OK
        && (status = make_arrays(&r)) == STF_OK
        && (status = stfi_gemm_plan_get(r.plan, "inject", &plan)) == STF_OK) {
        dev->backend->gemm->cover(plan->exec, &r.cover);
        *r_p = r;
    } else {
        stfi_gemm_rig_free(&r);
    }
    return status;
}

void stfi_gemm_rig_free(stfi_gemm_rig *r)
{
    for (int i = 0; i < STFI_GEMM_ARRAYS; i++) {
        stf_free(r->dev, r->array[i]);
        stfi_dealloc(r->host[i]);
        stfi_dealloc(r->widened[i]);
    }
    stf_plan_destroy(r->plan);
    stf_plan_destroy(r->witness);
    *r = (stfi_gemm_rig){.dev = NULL};
}

/* -------------------------------------------------------------------- runs */

static stf_status send(stfi_gemm_rig *r, int array)
{
    return r->dev->backend->device->mem_copy(r->dev->ctx, r->array[array],
                                             r->host[array], r->bytes[array],
                                             STFI_TO_DEVICE, NULL);
}

/* Draws numbers `at` to `end` of an operand. */
static void draw_run(stfi_gemm_rig *r, int operand, int kind, uint64_t state,
                     int64_t at, int64_t end)
{
    const stf_precision type = r->full.precision;
    const double scale = type == STF_F16 ? kinds[kind].in_f16 : 1;
    float *wide = r->widened[operand];

    for (int64_t j = at; j < end; j++) {
        stfi_type_write(type, r->host[operand], j,
                        scale * kinds[kind].make(j, &state));
        if (wide != NULL)
            wide[j] = (float)stfi_type_read(type, r->host[operand], j);
    }
}

stf_status stfi_gemm_rig_draw(stfi_gemm_rig *r, int kind, uint64_t seed)
{
    stf_status status = STF_OK;

    for (int i = 0; i < STFI_GEMM_C && status == STF_OK; i++) {
        const int64_t count = r->count[i];
        const uint64_t first = stfi_random_u64(&seed);
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (count > 8 * RUN)
#endif
        for (int64_t at = 0; at < count; at += RUN) {
            const int64_t end = at + RUN < count ? at + RUN : count;
            draw_run(r, i, kind, first ^ (uint64_t)at * 0x2545f4914f6cdd1du, at,
                     end);
        }
        status = send(r, i);
    }
    return status;
}

static stf_status counted(stf_status status)
{
    return status > STF_OK || status == STF_ERR_UNCORRECTED ? STF_OK : status;
}

stf_status stfi_gemm_rig_run(stfi_gemm_rig *r, stf_plan *plan,
                             const stf_fault *fault, int count, void *c,
                             stf_ft_report *report_p)
{
    stf_status status = stf_plan_ft_reset(plan);

    if (status == STF_OK && count > 0)
        status = stf_plan_inject(plan, fault, count);
    if (status == STF_OK)
        status = counted(stf_execute_gemm(
            plan, &r->alpha, r->array[STFI_GEMM_A], r->array[STFI_GEMM_B],
            &r->beta, r->array[STFI_GEMM_C]));
    if (status == STF_OK)
        status = counted(stf_plan_ft_report(plan, report_p));
    if (status == STF_OK && c != NULL)
        status = r->dev->backend->device->mem_copy(
            r->dev->ctx, c, r->array[STFI_GEMM_C], r->bytes[STFI_GEMM_C],
            STFI_TO_HOST, NULL);
    return status;
}

/* ------------------------------------------------------------------- lines */

stfi_gemm_line stfi_gemm_line_of(const stfi_gemm_rig *r, int64_t member,
                                 int64_t row, int64_t col)
{
    const int by_column = r->cover.by_columns;
    const int64_t at = by_column ? row : col;
    const int64_t tile = by_column ? r->cover.tile_m : r->cover.tile_n;
    const int64_t first = at / tile * tile;
    const int64_t all = (by_column ? r->gemm.m : r->gemm.n) - first;

    return (stfi_gemm_line){
        .member = member,
        .row = by_column ? first : row,
        .col = by_column ? col : first,
        .count = all < tile ? all : tile,
        .by_column = by_column,
    };
}

int64_t stfi_gemm_line_place(const stfi_gemm_rig *r, const stfi_gemm_line *line,
                             int64_t e)
{
    const int64_t row = line->row + (line->by_column ? e : 0);
    const int64_t col = line->col + (line->by_column ? 0 : e);

    return row * r->gemm.c.row + col * r->gemm.c.col
           + line->member * r->gemm.c.dist;
}

/* What an element of C is made of. */
typedef struct exact {
    long double sum, squares_a, squares_b;
} exact;

static const void *numbers_of(const stfi_gemm_rig *r, int operand)
{
    return r->widened[operand] != NULL ? r->widened[operand] : r->host[operand];
}

/* Doubles hold products of floats, and their sums to far more digits than what
 * they are compared with. */
#define MULTIPLY(name, stored, wider)                                      \
    static exact name(const stfi_gemm_rig *r, int64_t member, int64_t row, \
                      int64_t col)                                         \
    {                                                                      \
        const stfi_gemm *g = &r->gemm;                                     \
        const stored *a = (const stored *)numbers_of(                      \
                              r, g->swapped ? STFI_GEMM_B : STFI_GEMM_A)   \
                          + row * g->a.row + member * g->a.dist;           \
        const stored *b = (const stored *)numbers_of(                      \
                              r, g->swapped ? STFI_GEMM_A : STFI_GEMM_B)   \
                          + col * g->b.col + member * g->b.dist;           \
        wider sum = 0, squares_a = 0, squares_b = 0;                       \
                                                                           \
        for (int64_t p = 0; p < g->k; p++) {                               \
            const wider x = a[p * g->a.col], y = b[p * g->b.row];          \
            sum += x * y;                                                  \
            squares_a += x * x;                                            \
            squares_b += y * y;                                            \
        }                                                                  \
        return (exact){sum, squares_a, squares_b};                         \
    }

MULTIPLY(multiply_f32, float, double)
MULTIPLY(multiply_f64, double, long double)

/* Sums over the elements of a line that are looked at. */
typedef struct measured {
    long double errors, squares_a, squares_b, worst;
} measured;

/* What random data keep to (support/oracle/naive_gemm.h has the contract). */
static long double bound_of(const stfi_gemm_rig *r, const exact *x)
{
    const stfi_type *math = math_of(r);
    const stfi_type *type_c = stfi_type_get(r->full.precision_c);
    const long double k = (long double)r->full.k;
    const long double cuts = r->cover.cut > 0 ? k / r->cover.cut + 1 : 0;
    const long double sum = 2 * (long double)math->unit_roundoff
                            * (sqrtl(k) + cuts) * sqrtl(x->squares_a)
                            * sqrtl(x->squares_b);

    return type_c == math ? sum
                          : sum + type_c->least / 2
                                + type_c->unit_roundoff * (fabsl(x->sum) + sum);
}

static void add_element(const stfi_gemm_rig *r, const stfi_gemm_line *line,
                        int64_t e, const void *c, const void *result,
                        measured *m)
{
    const stf_precision type_c = r->full.precision_c;
    const int64_t at = stfi_gemm_line_place(r, line, e);
    const int64_t row = line->row + (line->by_column ? e : 0);
    const int64_t col = line->col + (line->by_column ? 0 : e);
    const exact x = math_of(r)->id == STF_F32
                        ? multiply_f32(r, line->member, row, col)
                        : multiply_f64(r, line->member, row, col);
    const long double error = stfi_type_read(type_c, c, at) - x.sum;
    const long double left = fabsl(stfi_type_read(type_c, result, at) - x.sum);
    const long double ratio = left == 0 ? 0 : left / bound_of(r, &x);

    m->errors += error * error;
    m->squares_a += x.squares_a;
    m->squares_b += x.squares_b;
    m->worst = !(ratio <= m->worst) ? ratio : m->worst;
}

void stfi_gemm_line_measure(const stfi_gemm_rig *r, const stfi_gemm_line *line,
                            int64_t e, const void *c, const void *result,
                            double *rounding_p, double *error_p)
{
    const long double u = math_of(r)->unit_roundoff;
    const int64_t step = line->count / SAMPLES + 1;
    measured m = {0};
    long double share, least;
    int64_t seen = 0;

    for (int64_t i = e % step; i < line->count; i += step, seen++)
        add_element(r, line, i, c, result, &m);
    share = (long double)line->count / (long double)seen;
    least = 0.1L * u * sqrtl(m.squares_a / (long double)seen)
            * sqrtl(m.squares_b / (long double)seen)
            * sqrtl((long double)line->count);
    *rounding_p = (double)fmaxl(sqrtl(m.errors * share), least);
    *error_p = (double)m.worst;
}
