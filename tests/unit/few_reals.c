/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of 2 to 16 reals of the cpu and their half spectra, and many of 2 to 9 complex
 * points, each in a lane: batches that fill vectors and do not, packed, in place and with
 * gaps between rows, at addresses of one real more, with scales that a real of the type
 * holds and not, in each instruction set, against F80. Nothing is written to gaps, behind
 * the rows, or to the input; equal rows have equal bits wherever they are in a batch, and
 * in protected plans. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/cpu_executable.h"
#include "base/type.h"
#include "run/fft/fft_plan.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

enum { LEAST = 2, LONGEST = 16, POINTS = 9, MANY = 64, BATCH = 70 };
enum { GAP = 3, FILL = 0x5a };
enum { ROW = 2 * LONGEST, REALS = (BATCH + 1) * (ROW + 2 * GAP) };

typedef enum where { PACKED, IN_PLACE, GAPS } where;

typedef struct problem {
    stf_kind kind;
    stf_precision precision;
    int64_t n, batch;
    where where;
    double scale;
    stf_ft_mode mode;
} problem;

typedef struct array {
    _Alignas(64) unsigned char bytes[8 * REALS];
} array;

static long double exact[2][REALS];
static array in, before, out[2];

/* 1 if a side, number 0 or 1, has complex numbers. */
static int is_complex(const problem *p, int side)
{
    return p->kind != (side == 0 ? STF_R2C : STF_C2R);
}

/* The reals of a row, and those from row to row. */
static int64_t row_of(const problem *p, int side)
{
    return p->kind == STF_C2C    ? 2 * p->n
           : is_complex(p, side) ? p->n / 2 * 2 + 2
                                 : p->n;
}

static int64_t step_of(const problem *p, int side)
{
    return p->where == GAPS ? row_of(p, side) + GAP * (1 + is_complex(p, side))
           : p->where == IN_PLACE ? row_of(p, p->kind == STF_R2C)
                                  : row_of(p, side);
}

static int64_t dist_of(const problem *p, int side)
{
    return step_of(p, side) / (1 + is_complex(p, side));
}

static stf_plan *plan_of(stf_device *dev, const problem *p,
                         stf_precision precision)
{
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *plan = NULL;

    d.kind = p->kind;
    d.precision = precision;
    d.n[0] = p->n;
    d.batch = p->batch;
    d.threads = 1;
    d.scale_forward = d.scale_inverse = p->scale;
    d.ft.mode = p->mode;
    if (precision == p->precision && p->where == GAPS) {
        d.in.stride[0] = d.out.stride[0] = 1;
        d.in.dist = dist_of(p, 0);
        d.out.dist = dist_of(p, 1);
    }
    return stf_plan_fft(dev, &d, &plan) == STF_OK ? plan : NULL;
}

static stf_direction direction_of(const problem *p)
{
    return p->kind == STF_R2C || (p->kind == STF_C2C && p->batch % 4 == 0)
               ? STF_FORWARD
               : STF_INVERSE;
}

/* Where the arrays begin: not where vectors do. */
static unsigned char *start_of(const problem *p, array *a)
{
    return a->bytes + stfi_type_get(p->precision)->bytes;
}

/* Transforms to `to`. Returns 0 if the input was written. */
static int execute(const problem *p, stf_plan *plan, array *to)
{
    array *from = p->where == IN_PLACE ? to : &in;

    memset(&in, FILL, sizeof in);
    memset(to, FILL, sizeof *to);
    for (int64_t r = 0; r < p->batch; r++)
        for (int64_t i = 0; i < row_of(p, 0); i++)
            stfi_type_write(p->precision, start_of(p, from),
                            r * step_of(p, 0) + i,
                            exact[0][r * row_of(p, 0) + i]);
    before = in;
    return stf_execute(plan, direction_of(p), start_of(p, from),
                       start_of(p, to))
               == STF_OK
           && memcmp(&in, &before, sizeof in) == 0;
}

/* 1 if all bytes that no row has are as they were; in place, rows have room. */
static int is_kept(const problem *p, const array *to)
{
    const int64_t bytes = (int64_t)stfi_type_get(p->precision)->bytes;
    const int64_t step = step_of(p, 1) * bytes;
    const int64_t row = p->where == IN_PLACE ? step : row_of(p, 1) * bytes;

    for (int64_t i = 0; i < (int64_t)sizeof *to; i++) {
        const int64_t at = i - bytes;
        const int is_row = at >= 0 && at < p->batch * step && at % step < row;
        if (!is_row && to->bytes[i] != FILL)
            return 0;
    }
    return 1;
}

/* 1 if the last row, which is the first one again, has its bits. */
static int has_equal_ends(const problem *p, array *to)
{
    const size_t bytes = stfi_type_get(p->precision)->bytes;
    const unsigned char *first = start_of(p, to);

    return memcmp(first,
                  first + (size_t)((p->batch - 1) * step_of(p, 1)) * bytes,
                  (size_t)row_of(p, 1) * bytes)
           == 0;
}

/* 1 if all rows have the same bits in both outputs. What lies between them in place is
 * nobody's. */
static int has_same_rows(const problem *p, array *x, array *y)
{
    const size_t bytes = stfi_type_get(p->precision)->bytes;
    int same = 1;

    for (int64_t r = 0; r < p->batch; r++) {
        const size_t at = (size_t)(r * step_of(p, 1)) * bytes;
        same &= memcmp(start_of(p, x) + at, start_of(p, y) + at,
                       (size_t)row_of(p, 1) * bytes)
                == 0;
    }
    return same;
}

/* The error in units of the round-off and the root of the stages. */
static double error_of(const problem *p, array *to)
{
    const double unit = p->precision == STF_F32 ? 0x1p-24 : 0x1p-53;
    double error = 0, power = 0;

    for (int64_t r = 0; r < p->batch; r++)
        for (int64_t i = 0; i < row_of(p, 1); i++) {
            const long double y = exact[1][r * row_of(p, 1) + i];
            const long double d = stfi_type_read(p->precision, start_of(p, to),
                                                 r * step_of(p, 1) + i)
                                  - y;
            error += (double)(d * d);
            power += (double)(y * y);
        }
    return sqrt(error / power) / unit / sqrt(1 + log2((double)p->n));
}

/* Fills the input and makes the exact output. */
static int make_exact(stf_device *dev, const problem *p, uint64_t *state)
{
    const int64_t row = row_of(p, 0);
    problem whole = *p;
    stf_plan *plan;
    int done;

    stfi_random_fill(p->precision, &in, REALS, state);
    for (int64_t i = 0; i < p->batch * row; i++)
        exact[0][i] = stfi_type_read(p->precision, &in,
                                     i / row == p->batch - 1 ? i % row : i);
    whole.where = PACKED;
    plan = plan_of(dev, &whole, STF_F80);
    done = plan != NULL
           && stf_execute(plan, direction_of(p), exact[0], exact[1]) == STF_OK;
    stf_plan_destroy(plan);
    return done;
}

/* 1 if rows ought to be computed by the kernels that this is about. */
static int suits_few(const problem *p)
{
    return p->kind != STF_C2C || (p->n <= POINTS && p->batch >= MANY);
}

/* 1 if they are. */
static int is_few(stf_plan *plan)
{
    const stfi_exec *x = stfi_fft_plan_of(plan)->exec;

    return x->compact != NULL && x->compact->nsteps == 0
           && x->compact->one.run == NULL && x->compact->reals == NULL;
}

/* 1 if some of each row are in a vector: complex rows of several points. */
static int has_rows(const problem *p, stf_plan *plan)
{
    const stfi_exec *x = stfi_fft_plan_of(plan)->exec;

    return p->kind == STF_C2C && p->n > 4 && x->compact != NULL
           && x->compact->rows != NULL;
}

/* 1 if the protected plan of a problem has those kernels between its sums, whatever the
 * length of rows and vectors. */
static int is_always_whole(const problem *p)
{
    return p->batch >= 16 && p->where != GAPS;
}

static int is_whole(stf_plan *plan)
{
    return stfi_cpu_whole_is_made(&stfi_fft_plan_of(plan)->exec->whole);
}

/* Returns the error, or infinity. */
static double run(stf_device *dev, const problem *p, int few, uint64_t *state)
{
    problem protected = *p;
    stf_plan *plan[2];
    double error = INFINITY;

    protected.mode = STF_FT_CORRECT;
    plan[0] = plan_of(dev, p, p->precision);
    plan[1] = plan_of(dev, &protected, p->precision);
    if (plan[0] != NULL && plan[1] != NULL && make_exact(dev, p, state)
        && (has_rows(p, plan[0]) || is_few(plan[0]) == (few && suits_few(p)))
        && is_whole(plan[1]) >= (few && is_always_whole(p))
        && execute(p, plan[0], &out[0]) && is_kept(p, &out[0])
        && has_equal_ends(p, &out[0]) && execute(p, plan[1], &out[1])
        && (!is_whole(plan[1]) || has_same_rows(p, &out[0], &out[1])))
        error = error_of(p, &out[0]);
    stf_plan_destroy(plan[0]);
    stf_plan_destroy(plan[1]);
    return error;
}

static void test_kind(stf_device *dev, const char *isa, stf_kind kind,
                      stf_precision precision)
{
    static const int64_t batches[] = {2, 3, 5, 8, 13, 16, 37, MANY, BATCH};
    static const char *const names[] = {"packed", "in place", "with gaps"};
    /* Plain C has vectors of one number. */
    const int few = stfi_cpu_isa_bytes(isa) > 8;
    uint64_t state = tap_seed();

    for (where w = PACKED; w <= GAPS; w++) {
        double worst = 0;
        int64_t at = 0;
        for (int64_t n = LEAST; n <= LONGEST; n++)
            for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
                const problem p = {kind,      precision,
                                   n,         batches[b],
                                   w,         (n + (int64_t)b) % 2 ? 1 : 0.3,
                                   STF_FT_OFF};
                const double error = run(dev, &p, few, &state);
                at = error > worst ? 100 * n + batches[b] : at;
                worst = fmax(worst, error);
            }
        tap_ok(worst < 2, "%s, %s: %s of few %s: %.2g (%d)", isa,
               stfi_type_get(precision)->name, stfi_kind_get(kind)->name,
               names[w], worst, (int)at);
    }
}

int main(void)
{
    static const stf_kind kinds[] = {STF_R2C, STF_C2R, STF_C2C};
    stf_device *dev;
    const char *isa;

    tap_begin("unit/few_reals");
    for (int i = 0; (isa = stfi_cpu_isa_at(i)) != NULL; i++) {
        setenv("STEADFAST_ISA", isa, 1);
        if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "%s", isa))
            continue;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            test_kind(dev, isa, kinds[k], STF_F32);
            test_kind(dev, isa, kinds[k], STF_F64);
        }
        stf_device_close(dev);
    }
    return tap_end();
}
