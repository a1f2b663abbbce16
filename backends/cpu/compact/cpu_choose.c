/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Which kernels compact transforms have; see cpu_choose.h. */
#include "backends/cpu/compact/cpu_choose.h"

#include <limits.h>

#include "backends/cpu/compact/cpu_grid.h"
#include "fft/factor.h"

static int is_power_of_two(int64_t n)
{
    return (n & (n - 1)) == 0;
}

/* 1 if rows are long and not far: in F64 they are faster one by one than in lanes.
 * Bounds: measured. */
static int are_faster_alone(const stfi_schedule *s, const stfi_cpu_shape *a)
{
    enum { LONG = 20480, NEAR = 8 };
    const int64_t bytes =
        4 * a->elements * (int64_t)stfi_type_get(s->precision)->bytes;

    return s->precision == STF_F64 && bytes > LONG
           && bytes * s->batch <= NEAR * s->caps.l2_bytes;
}

/* 1 if rows are computed faster in lanes than by their pass or one by one: whose step
 * is one, or whose lines do not compete for the same places of a cache. Pieces of
 * checked rows are too few for lanes; one by one, they have the same bits. */
static int are_lanes_faster(const stfi_schedule *s, const stfi_cpu_shape *a)
{
    if (a->form == STFI_CPU_COMPLEX)
        return !a->alone
               && ((a->checked == NULL && !is_power_of_two(a->elements)
                    && !are_faster_alone(s, a))
                   || (a->elements <= INT_MAX
                       && stfi_factor_special((int)a->elements)));
    /* Passes of odd lengths read single reals; of even ones, half as many. */
    return a->elements % 2 != 0 || a->elements <= 8;
}

/* 1 if inputs and outputs exceed the cache, and rows are short, or pairs of reals whose
 * number is no power of two: these are faster by their passes, which prefetch. Bounds:
 * measured. */
static int is_streamed(const stfi_schedule *s, const stfi_cpu_shape *a)
{
    int64_t bytes = (int64_t)stfi_type_get(s->precision)->bytes;

    return (a->elements < 512 || (a->paired && !is_power_of_two(a->elements)))
           && 4 * a->elements * bytes * s->batch >= 2 * s->caps.l2_bytes;
}

/* The weights of a check have to suit the radices of these kernels; those of a power of
 * two suit any. */
void stfi_cpu_find_inside(const char *isa, const stfi_schedule *s,
                          stfi_cpu_shape *a)
{
    const stfi_pass *p = a->checked;
    int r[2];

    if (a->rank > 1 && a->form == STFI_CPU_COMPLEX) {
        a->inside = stfi_cpu_array_suits(isa, s->precision, a->rank, a->n);
        return;
    }
    a->inside =
        a->form == STFI_CPU_COMPLEX
        && (stfi_cpu_one_suits_many(isa, s->precision, a->elements, r)
            || stfi_cpu_grid_suits_many(isa, s->precision, a->elements, r))
        && (p == NULL || is_power_of_two(a->elements)
            || (p->nstages == 2 && p->radix[0] == r[0] && p->radix[1] == r[1]));
}

/* The most lanes of vectors that one array fills. */
static int64_t most_lanes(const stfi_cpu_shape *a)
{
    return a->form == STFI_CPU_COMPLEX ? INT64_MAX
           : stfi_cpu_has_rows(a) ? stfi_cpu_row_pairs(a->elements / a->n[0])
                                  : 0;
}

/* 1 if passes would use few of their lanes for a convolution. One array of a few points
 * takes a third of the time of a tile. Bounds: measured. */
static int are_lanes_idle(const stfi_cpu_shape *a, int lanes)
{
    enum { SHORT = 128 };

    return (a->elements < SHORT && a->conv_lanes > 1 ? 6 : 2) * a->conv_lanes
           <= lanes;
}

/* The same of a length with a convolution. Bound: measured. */
static int choose_conv(stfi_cpu_compact *c, const char *isa,
                       const stfi_schedule *s, const stfi_cpu_shape *a)
{
    enum { MOST = 1 << 20 }; /* bytes of scratch */
    stfi_conv method;
    const int64_t m = stfi_cpu_conv_length(a->elements, &method);

    c->group = 1;
    c->kernels = stfi_cpu_compact_find(isa, s->precision, a->elements);
    return c->kernels != NULL && are_lanes_idle(a, c->kernels->key.lanes)
           && 4 * m * (int64_t)stfi_type_get(s->precision)->bytes <= MOST;
}

/* Passes transpose rows, which is faster for short ones. Bounds: measured. */
int stfi_cpu_compact_choose(stfi_cpu_compact *c, const char *isa,
                            const stfi_schedule *s, const stfi_cpu_shape *a)
{
    enum {
        ALONE = 1 << 20, /* the most bytes of scratch of one array; */
        LONG_ROW = 4096, /* the least, of one of many rows */
        FEW = 32         /* arrays that are faster in a lane of their own */
    };
    int64_t bytes =
        4 * a->elements * (int64_t)stfi_type_get(s->precision)->bytes;
    int is_real = a->form != STFI_CPU_COMPLEX;
    int many;

    if (a->convolved)
        return choose_conv(c, isa, s, a);
    c->kernels = stfi_cpu_compact_find(isa, s->precision,
                                       is_real ? INT64_MAX : 2 * a->elements);
    c->group = c->kernels != NULL ? c->kernels->key.lanes : 0;
    many = (a->checked != NULL ? s->batch : 2 * s->batch) >= c->group
           || (a->rank > 1 && a->elements <= FEW);
    /* One array has vectors inside of it (cpu_one.h). */
    if (a->inside
        || (s->batch == 1 && a->rank == 1 && !is_real && a->checked == NULL))
        many = 0;
    if (c->kernels != NULL && many && bytes * c->group <= s->caps.l2_bytes / 2
        && (a->rank > 1 || are_lanes_faster(s, a)))
        return 1;
    c->group = 1;
    c->kernels = stfi_cpu_compact_find(isa, s->precision,
                                       many ? INT64_MAX : most_lanes(a));
    if (c->kernels == NULL || most_lanes(a) < c->kernels->key.lanes
        || (a->checked != NULL && s->batch < c->kernels->key.lanes))
        return 0;
    if (a->rank > 1)
        return bytes <= ALONE;
    return bytes <= ALONE && (!many || bytes >= LONG_ROW)
           && (a->inside || !is_streamed(s, a));
}
