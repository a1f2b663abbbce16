/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Level THREAD: residuals of butterflies. Before a stage, the inputs of each
 * butterfly are weighed with their twiddles; after it, the outputs. Both are at
 * the same places, since butterflies work in place. */
#ifndef STFI_PROTECT_GUARD_H
#define STFI_PROTECT_GUARD_H

#include "backends/cpu/fft/tile.h"
#include "ft/weights/stage.h"

/* What is summed of a butterfly's input before it is computed: row x and
 * |x|^2. Where the sum of |x|^2 is out of range, `norm` is ||x|| times
 * NORM_UNIT, which does not overflow for any finite data. */
typedef struct entry {
    C sum;
    V power, norm;
} entry;

#define NORM_UNIT ((real)0x1p-6)

/* The checks of butterflies in the current tile. A residual is divided by
 * `one` = slope ||x|| + a share of the floor, to give its ratio. */
typedef struct guard {
    int struck;      /* faults hit the tile in this attempt */
    int attempt;     /* 0 for the first */
    entry *entry;    /* one for each butterfly of a stage */
    V worst;         /* largest ratio^2 of clean butterflies */
    int alarmed;     /* 1 if a residual of some lane is too large */
    double ratio[W]; /* largest ratio that is not clean; 0 if there is none */
    stfi_cpu_group group[W];
} guard;

static void guard_start(guard *g, int attempt)
{
    g->attempt = attempt;
    g->alarmed = 0;
    memset(g->ratio, 0, sizeof g->ratio);
    memset(g->group, 0, sizeof g->group);
}

/* A stage of a pass, with blocks * m butterflies of r points. */
typedef struct layer {
    const sum *e, *row;
    const real *twiddle; /* or NULL */
    int r, dif;
    int64_t blocks, m;
    int ro, io;
} layer;

static layer layer_make(const tile *t, int s, int64_t m, int dif, int ro,
                        int io)
{
    const stfi_cpu_pass *cp = t->cp;
    int r = cp->p.radix[s];
    const sum *e = cp->guard[s];

    return (layer){e, e + 2 * r, m > 1 ? cp->stage[s] : NULL,
                   r, dif,       cp->p.n / (m * r),
                   m, ro,        io};
}

/* Sets p[0..1] to weight j of a butterfly times its twiddle (`sign` 1) or the
 * twiddle's conjugate (-1). */
INLINE void weight_of(const sum *v, const real *w, int j, real sign, real *p)
{
    real re = v[2 * j], im = v[2 * j + 1];

    p[0] = re;
    p[1] = im;
    if (w != NULL && j > 0) {
        real wr = w[2 * j - 2], wi = sign * w[2 * j - 1];
        p[0] = re * wr - im * wi;
        p[1] = re * wi + im * wr;
    }
}

/* A sum in four parts, so that its own rounding stays small if all terms are
 * of similar size. */
typedef struct quarters {
    C part[4];
} quarters;

INLINE void quarters_add(quarters *q, int i, C x, const real *p)
{
    q->part[i].r = q->part[i].r + x.r * p[0];
    q->part[i].i = q->part[i].i + x.r * p[1];
    q->part[i].r = q->part[i].r - x.i * p[1];
    q->part[i].i = q->part[i].i + x.i * p[0];
}

INLINE C quarters_sum(const quarters *q)
{
    return c_add(c_add(q->part[0], q->part[1]), c_add(q->part[2], q->part[3]));
}

/* The norms of a butterfly's input, times NORM_UNIT, without overflow. */
static __attribute__((noinline)) V norms_of(const layer *y, const real *base)
{
    V norm = {0};
    norms n;

    norms_clear(&n);
    for (int j = 0; j < y->r; j++)
        for (int c = 0; c < ELEM; c++)
            norms_add(&n, c % W, (long double)base[j * y->m * ELEM + c], 1);
    for (int l = 0; l < W; l++) {
        real value =
            (real)(n.size[l] * sqrtl(n.squares[l]) * (long double)NORM_UNIT);
        memcpy((char *)&norm + (size_t)l * sizeof value, &value, sizeof value);
    }
    return norm;
}

/* Adds input j to the sums of its butterfly and to the largest magnitude. */
INLINE void weigh_value(const layer *y, const real *base, const real *w, int j,
                        quarters *q, entry *in, V *most)
{
    C x = c_load(base + j * y->m * ELEM, y->ro, y->io);
    real p[2];

    weight_of(y->row, y->dif ? NULL : w, j, 1, p);
    quarters_add(q, j & 3, x, p);
    in->power = add_power(in->power, x);
    *most = larger(*most, larger(larger(x.r, -x.r), larger(x.i, -x.i)));
}

static entry weigh_values(const layer *y, const real *base, const real *w)
{
    V zero = {0}, most = zero;
    entry in = {{zero, zero}, zero, zero};
    quarters q = {{in.sum, in.sum, in.sum, in.sum}};
    __typeof__(zero < zero) sized;
    int j = 0;

    for (; j + 4 <= y->r; j += 4) {
        UNROLL
        for (int i = 0; i < 4; i++)
            weigh_value(y, base, w, j + i, &q, &in, &most);
    }
    for (; j < y->r; j++)
        weigh_value(y, base, w, j, &q, &in, &most);
    in.sum = quarters_sum(&q);
    sized = ((in.power > zero + least_power) & (in.power < zero + most_power))
            | ((in.power == zero) & (most == zero));
    if (!ALL(sized))
        in.norm = norms_of(y, base);
    return in;
}

INLINE void weigh_result(const layer *y, const real *base, const real *w, int j,
                         quarters *q)
{
    real p[2];

    weight_of(y->e, y->dif ? w : NULL, j, -1, p);
    quarters_add(q, j & 3, c_load(base + j * y->m * ELEM, y->ro, y->io), p);
}

static C weigh_results(const layer *y, const real *base, const real *w)
{
    V zero = {0};
    C none = {zero, zero};
    quarters q = {{none, none, none, none}};
    int j = 0;

    for (; j + 4 <= y->r; j += 4) {
        UNROLL
        for (int i = 0; i < 4; i++)
            weigh_result(y, base, w, j + i, &q);
    }
    for (; j < y->r; j++)
        weigh_result(y, base, w, j, &q);
    return quarters_sum(&q);
}

/* ---------------------------------------------------------------- verdicts */

/* The bound for butterflies of one radix (ft/weights/stage.h). The floor covers
 * the rounding of denormal numbers. */
typedef struct bounds {
    sum slope2; /* slope^2 */
    long double slope, floor;
} bounds;

static bounds bounds_of(const stfi_check *c, const layer *y)
{
    int twiddled = y->twiddle != NULL;
    long double depth = log2l((long double)y->r) + twiddled;
    bounds b = {0,
                (long double)c->slope
                    * (long double)stfi_ft_stage_factor(y->r, twiddled),
                (long double)c->floor * y->r * (1 + depth) / STFI_FT_SUSPECT};

    b.slope2 = (sum)(b.slope * b.slope);
    return b;
}

/* Judges one lane's residual of a butterfly that judge() did not find clean. Of
 * a tile's residuals that are too large the largest is kept; Inf and NaN count
 * as the largest, and the first of them is kept. */
static void judge_lane(guard *g, int l, const entry *in, C d, const bounds *b)
{
    long double re = (long double)lane_of(&d.r, l);
    long double im = (long double)lane_of(&d.i, l);
    real power = lane_of(&in->power, l);
    int sized = power > least_power && power < most_power;
    long double norm =
        sized ? sqrtl((long double)power)
              : (long double)lane_of(&in->norm, l) / (long double)NORM_UNIT;
    long double one = b->slope * norm + b->floor;
    double ratio = (double)(hypotl(re, im) / one);

    if (ratio <= (double)STFI_FT_SUSPECT) {
        real square = (real)(ratio * ratio), worst = lane_of(&g->worst, l);
        if (sized && square > worst)
            memcpy((char *)&g->worst + (size_t)l * sizeof square, &square,
                   sizeof square);
        return;
    }
    ratio = isfinite(ratio) ? ratio : INFINITY;
    if (ratio <= g->ratio[l])
        return;
    g->alarmed = 1;
    g->ratio[l] = ratio;
    g->group[l] = (stfi_cpu_group){re, im, one, 1};
}

static __attribute__((noinline)) void
judge_all(guard *g, int count, const entry *in, C d, const bounds *b)
{
    for (int l = 0; l < count; l++)
        judge_lane(g, l, in, d, b);
}

INLINE void judge(guard *g, int count, const entry *in, C out, const bounds *b)
{
    C d = c_sub(out, in->sum);
    V square = d.r * d.r + d.i * d.i, zero = {0};
    V allowed = g->worst * b->slope2 * in->power;
    __typeof__(zero < zero) none = (d.r == zero) & (d.i == zero);
    __typeof__(zero < zero) sized =
        (in->power > zero + least_power) & (in->power < zero + most_power);
    __typeof__(zero < zero) usual = none | (sized & (square <= allowed));

    if (!ALL(usual))
        judge_all(g, count, in, d, b);
}

/* ------------------------------------------------------------------- stages */

static void guard_before(const tile *t, const layer *y)
{
    entry *in = t->guard->entry;

    for (int64_t b = 0; b < y->blocks; b++)
        for (int64_t p = 0; p < y->m; p++)
            *in++ = weigh_values(
                y, t->data + (b * y->r * y->m + p) * ELEM,
                y->twiddle != NULL ? y->twiddle + 2 * (y->r - 1) * p : NULL);
}

static void guard_after(const tile *t, const layer *y)
{
    const entry *in = t->guard->entry;
    const bounds bound = bounds_of(&t->cp->p.check, y);

    for (int64_t b = 0; b < y->blocks; b++)
        for (int64_t p = 0; p < y->m; p++, in++)
            judge(t->guard, t->count, in,
                  weigh_results(y, t->data + (b * y->r * y->m + p) * ELEM,
                                y->twiddle != NULL
                                    ? y->twiddle + 2 * (y->r - 1) * p
                                    : NULL),
                  &bound);
}

/* The number of residuals per lane in a pass. */
static int64_t guard_count(const stfi_pass *p)
{
    int64_t count = 0;

    for (int s = 0; s < p->nstages; s++)
        count += p->n / p->radix[s];
    return stfi_op_is_conv(p->op) ? 2 * count : count;
}

#endif
