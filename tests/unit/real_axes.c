/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* R2C and C2R of several axes on the cpu, whose rows are transformed two at a time: few
 * and many arrays, even and odd numbers of rows, last axes that fill vectors or do not,
 * packed, in place and with gaps between the rows of reals, in each instruction set,
 * against F80; with gaps between the rows of spectra, too, passes compute them. Nothing
 * is written to gaps, behind the array, or to the input. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/cpu_executable.h"
#include "base/type.h"
#include "run/fft/fft_plan.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

enum { REALS = 1 << 17, GAP = 3, FILL = 0x5a };

typedef enum where { PACKED, IN_PLACE, GAPS, ALL_GAPS, WHERES } where;

typedef struct problem {
    stf_kind kind;
    stf_precision precision;
    int rank;
    int64_t n[3], batch;
    where where;
} problem;

static _Alignas(64) long double exact[2][REALS];
static _Alignas(64) unsigned char in[8 * REALS], out[8 * REALS],
    before[8 * REALS];

static int64_t last_of(const problem *p)
{
    return p->n[p->rank - 1];
}

static int64_t rows_of(const problem *p)
{
    int64_t rows = p->batch;

    for (int i = 0; i < p->rank - 1; i++)
        rows *= p->n[i];
    return rows;
}

/* 1 if a side, number 0 or 1, is half a spectrum. */
static int is_half(const problem *p, int side)
{
    return p->kind == (side == 0 ? STF_C2R : STF_R2C);
}

/* The reals of a row, and those from row to row. */
static int64_t row_of(const problem *p, int side)
{
    return is_half(p, side) ? last_of(p) / 2 * 2 + 2 : last_of(p);
}

static int64_t pitch_of(const problem *p, int side)
{
    if (p->where == ALL_GAPS)
        return row_of(p, side) + (is_half(p, side) ? 2 * GAP : GAP);
    if (p->where == PACKED || is_half(p, side))
        return row_of(p, side);
    return p->where == GAPS ? last_of(p) + GAP : last_of(p) / 2 * 2 + 2;
}

static void add_gaps(const problem *p, int side, stf_layout *layout)
{
    int64_t step = pitch_of(p, side) / (is_half(p, side) ? 2 : 1);

    layout->stride[p->rank - 1] = 1;
    for (int i = p->rank - 2; i >= 0; i--) {
        layout->stride[i] = step;
        step *= p->n[i];
    }
    layout->dist = step;
}

static stf_plan *plan_of(stf_device *dev, const problem *p,
                         stf_precision precision)
{
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *plan = NULL;

    d.kind = p->kind;
    d.precision = precision;
    d.rank = p->rank;
    memcpy(d.n, p->n, sizeof p->n);
    d.batch = p->batch;
    d.threads = 1;
    for (int side = 0; side < 2 && precision == p->precision; side++)
        if (p->where == ALL_GAPS || (p->where == GAPS && !is_half(p, side)))
            add_gaps(p, side, side == 0 ? &d.in : &d.out);
    return stf_plan_fft(dev, &d, &plan) == STF_OK ? plan : NULL;
}

static stf_direction direction_of(const problem *p)
{
    return p->kind == STF_R2C ? STF_FORWARD : STF_INVERSE;
}

/* 1 if all bytes that the output does not have are as they were. In place, rows of reals
 * have room of their own. */
static int is_kept(const problem *p)
{
    const size_t bytes = stfi_type_get(p->precision)->bytes;
    const int64_t pitch = pitch_of(p, 1), row = row_of(p, 1);
    const int64_t rows = rows_of(p);

    for (int64_t r = 0; p->where >= GAPS && r < rows; r++)
        for (size_t i = (size_t)(r * pitch + row) * bytes;
             i < (size_t)((r + 1) * pitch) * bytes; i++)
            if (out[i] != FILL)
                return 0;
    for (size_t i = (size_t)(rows * pitch) * bytes; i < sizeof out; i++)
        if (out[i] != FILL)
            return 0;
    return memcmp(in, before, sizeof in) == 0;
}

/* The relative error of an execution, or infinity. */
static double error_of(const problem *p, stf_plan *plan)
{
    unsigned char *from = p->where == IN_PLACE ? out : in;
    double error = 0, power = 0;

    memset(in, FILL, sizeof in);
    memset(out, FILL, sizeof out);
    for (int64_t r = 0; r < rows_of(p); r++)
        for (int64_t i = 0; i < row_of(p, 0); i++)
            stfi_type_write(p->precision, from, r * pitch_of(p, 0) + i,
                            exact[0][r * row_of(p, 0) + i]);
    memcpy(before, in, sizeof in);
    if (stf_execute(plan, direction_of(p), from, out) != STF_OK || !is_kept(p))
        return INFINITY;
    for (int64_t r = 0; r < rows_of(p); r++)
        for (int64_t i = 0; i < row_of(p, 1); i++) {
            const long double y = exact[1][r * row_of(p, 1) + i];
            const long double d =
                stfi_type_read(p->precision, out, r * pitch_of(p, 1) + i) - y;
            error += (double)(d * d);
            power += (double)(y * y);
        }
    return sqrt(error / power);
}

/* The error in units of the round-off and the root of the stages. */
static double run(stf_device *dev, const problem *p, int *compact_p,
                  uint64_t *state)
{
    const double unit = p->precision == STF_F32 ? 0x1p-24 : 0x1p-53;
    const double points = (double)(rows_of(p) * last_of(p) / p->batch);
    stf_plan *plan = plan_of(dev, p, p->precision);
    stf_plan *better = plan_of(dev, p, STF_F80);
    double error = INFINITY;

    if (plan != NULL && better != NULL) {
        stfi_random_fill(p->precision, in, REALS, state);
        for (int64_t i = 0; i < REALS; i++)
            exact[0][i] = stfi_type_read(p->precision, in, i);
        if (stf_execute(better, direction_of(p), exact[0], exact[1]) == STF_OK)
            error = error_of(p, plan) / unit / sqrt(1 + log2(points));
        *compact_p += stfi_fft_plan_of(plan)->exec->compact != NULL;
    }
    stf_plan_destroy(plan);
    stf_plan_destroy(better);
    return error;
}

static const struct {
    int rank;
    int64_t n[3];
} shapes[] = {
    {2, {2, 2}},    {2, {3, 2}},     {2, {5, 3}},     {2, {4, 5}},
    {2, {9, 6}},    {2, {15, 8}},    {2, {16, 16}},   {2, {33, 10}},
    {2, {7, 64}},   {2, {21, 45}},   {2, {64, 3}},    {2, {65, 2}},
    {3, {2, 3, 3}}, {3, {7, 16, 3}}, {3, {5, 5, 7}},  {3, {9, 10, 12}},
    {3, {4, 1, 6}}, {3, {13, 5, 9}}, {2, {40, 36}},   {3, {6, 11, 4}},
    {2, {5, 12}},   {2, {13, 10}},   {3, {4, 4, 4}},  {3, {2, 15, 3}},
    {2, {6, 225}},  {2, {2, 1001}},  {3, {3, 7, 63}},
};

static void test_kind(stf_device *dev, const char *isa, stf_kind kind,
                      stf_precision precision)
{
    static const int64_t batches[] = {1, 3, 8, 19};
    static const char *const names[] = {"packed", "in place", "with gaps",
                                        "with gaps on both sides"};
    uint64_t state = tap_seed();

    for (where w = PACKED; w < WHERES; w++) {
        double worst = 0;
        int compact = 0, count = 0;
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
                problem p = {kind, precision,  shapes[i].rank,
                             {0},  batches[b], w};
                memcpy(p.n, shapes[i].n, sizeof p.n);
                worst = fmax(worst, run(dev, &p, &compact, &state));
                count++;
            }
        tap_ok(worst < 2, "%s, %s: %s of several axes %s: %.2g", isa,
               stfi_type_get(precision)->name, stfi_kind_get(kind)->name,
               names[w], worst);
        if (w == ALL_GAPS)
            tap_ok(compact == 0, "passes compute them");
        else if (stfi_cpu_isa_bytes(isa) > 4)
            tap_ok(4 * compact > 3 * count, "%d of %d are compact", compact,
                   count);
    }
}

/* 1 if a single array is computed by one function. */
static int is_one(stf_device *dev, stf_kind kind, stf_precision precision,
                  int rank, const int64_t *n)
{
    problem p = {kind, precision, rank, {0}, 1, PACKED};
    const stfi_exec *x;
    stf_plan *plan;
    int is;

    memcpy(p.n, n, sizeof p.n);
    plan = plan_of(dev, &p, precision);
    x = plan != NULL ? stfi_fft_plan_of(plan)->exec : NULL;
    is = x != NULL && x->compact != NULL && x->compact->one.run != NULL;
    stf_plan_destroy(plan);
    return is;
}

static void test_few(stf_device *dev, const char *isa, stf_kind kind,
                     stf_precision precision)
{
    int few = 0, ones = 0;

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int64_t *n = shapes[i].n;
        const int64_t last = n[shapes[i].rank - 1];
        const int64_t most = n[0] > n[1] || shapes[i].rank < 3 ? n[0] : n[1];
        int64_t points = last / 2 + 1;
        for (int r = 0; r < shapes[i].rank - 1; r++)
            points *= n[r];
        if (last > 16 || most > 15 || points > 225)
            continue;
        few++;
        ones += is_one(dev, kind, precision, shapes[i].rank, n);
    }
    tap_ok(ones == few, "%s, %s: %d of %d arrays of few reals of %s are one",
           isa, stfi_type_get(precision)->name, ones, few,
           stfi_kind_get(kind)->name);
}

/* One array of few rows of reals has a function of its own. */
static void test_single(stf_device *dev, const char *isa, stf_kind kind)
{
    const problem p = {kind, STF_F64, 3, {2, 3, 5}, 1, PACKED};
    stf_plan *plan = plan_of(dev, &p, STF_F64);
    const stfi_exec *x = plan != NULL ? stfi_fft_plan_of(plan)->exec : NULL;

    tap_ok(x != NULL && x->compact != NULL && x->compact->one.run != NULL,
           "%s, %s: 2x3x5 alone is computed row by row", isa,
           stfi_kind_get(kind)->name);
    stf_plan_destroy(plan);
}

int main(void)
{
    stf_device *dev;
    const char *isa;

    tap_begin("unit/real_axes");
    for (int i = 0; (isa = stfi_cpu_isa_at(i)) != NULL; i++) {
        setenv("STEADFAST_ISA", isa, 1);
        if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "%s", isa))
            continue;
        for (int k = 0; k < 4; k++) {
            const stf_kind kind = k % 2 ? STF_C2R : STF_R2C;
            const stf_precision precision = k / 2 ? STF_F64 : STF_F32;
            test_kind(dev, isa, kind, precision);
            /* Vectors of two numbers and more. */
            if (stfi_cpu_isa_bytes(isa) >= 32)
                test_few(dev, isa, kind, precision);
        }
        for (int k = 0; k < 2 && stfi_cpu_isa_bytes(isa) == 32; k++)
            test_single(dev, isa, k ? STF_C2R : STF_R2C);
        stf_device_close(dev);
    }
    return tap_end();
}
