/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compact transforms (cpu_compact.h) of one precision and instruction set. */
#ifndef STFI_CPU_COMPACT_KERNEL_H
#define STFI_CPU_COMPACT_KERNEL_H

#include "backends/cpu/compact/cpu_compact.h"
#include "backends/cpu/compact/split.h"
#include "backends/cpu/fft/butterfly.h"
#include "backends/cpu/fft/scale.h"
#include "backends/cpu/simd/prefetch.h"

#if STFI_LANES > 1

/* The parts of the elements of scratch. */
typedef struct planes {
    real *re, *im;
} planes;

INLINE void storeu(real *p, V v)
{
    *(VU *)p = v;
}

/* An array of the user's, or the first one of several. */
typedef struct user {
    stored *at;   /* the source is not written */
    int64_t step; /* reals from array to array */
    int inverse;  /* 1: the parts of each element are exchanged */
    factor scale; /* of results; `low` is 0 except in the slowest paths */
} user;

INLINE planes planes_at(planes x, int64_t i)
{
    return (planes){x.re + i, x.im + i};
}

INLINE C split_elements(user u, int64_t i)
{
    return split_at(u.at + 2 * i, u.inverse);
}

/* Stores elements [i, i + W) of the user's array. */
INLINE void give_elements(user u, int64_t i, C v)
{
    v = c_scale(u.inverse ? (C){v.i, v.r} : v, u.scale.high);
    store_complex(u.at + 2 * i, STFI_REAL_ID, v.r, v.i);
}

/* Elements [e, e + W/2) of W arrays. */
INLINE void take_square(const user *u, int64_t e, C *x)
{
    V v[W];

    UNROLL
    for (int l = 0; l < W; l++)
        v[l] = load_stored(u->at + l * u->step + 2 * e, STFI_REAL_ID);
    transpose(v);
    UNROLL
    for (int i = 0; i < W / 2; i++)
        x[i] = u->inverse ? (C){v[2 * i + 1], v[2 * i]}
                          : (C){v[2 * i], v[2 * i + 1]};
}

INLINE void give_square(const user *u, int64_t e, const C *x)
{
    V v[W];

    UNROLL
    for (int i = 0; i < W / 2; i++) {
        C y = c_scale(u->inverse ? (C){x[i].i, x[i].r} : x[i], u->scale.high);
        v[2 * i] = y.r;
        v[2 * i + 1] = y.i;
    }
    transpose(v);
    UNROLL
    for (int l = 0; l < W; l++)
        store_stored(u->at + l * u->step + 2 * e, STFI_REAL_ID, v[l]);
}

#define RADIX 2
#include "backends/cpu/compact/compact_stage.h"
#define RADIX 3
#include "backends/cpu/compact/compact_stage.h"
#define RADIX 4
#include "backends/cpu/compact/compact_stage.h"
#define RADIX 5
#include "backends/cpu/compact/compact_stage.h"
#define RADIX 6
#include "backends/cpu/compact/compact_stage.h"
#define RADIX 7
#include "backends/cpu/compact/compact_stage.h"
#define RADIX 8
#include "backends/cpu/compact/compact_stage.h"
#define RADIX 9
#include "backends/cpu/compact/compact_stage.h"
#define RADIX 10
#include "backends/cpu/compact/compact_stage.h"
#define RADIX 11
#include "backends/cpu/compact/compact_stage.h"
#define RADIX 12
#include "backends/cpu/compact/compact_stage.h"
#define RADIX 13
#include "backends/cpu/compact/compact_stage.h"
#define RADIX 15
#include "backends/cpu/compact/compact_stage.h"
#define RADIX 16
#include "backends/cpu/compact/compact_stage.h"

typedef void (*compact_fn)(const stfi_cpu_step *, planes, planes);
typedef void (*user_fn)(const stfi_cpu_step *, planes, const user *);

static const struct {
    compact_fn columns, rows;
    user_fn take, give;
    void (*groups)(const user *, const user *, int64_t);
} compact_steps[17] = {
#define ROW(r) [r] = {columns_##r, rows_of_##r, take_##r, give_##r, short_##r}
    ROW(2), ROW(3),  ROW(4),  ROW(5),  ROW(6),  ROW(7),  ROW(8),
    ROW(9), ROW(10), ROW(11), ROW(12), ROW(13), ROW(15), ROW(16),
#undef ROW
};

/* ------------------------------------------------------------ transposition */

/* Transposes a square of which `count` columns exist; rows beyond `last` repeat
 * it. */
INLINE void turn_square(const real *x, int64_t s, int64_t last, real *y,
                        int64_t m, int64_t count)
{
    V v[W];

    UNROLL
    for (int l = 0; l < W; l++)
        v[l] = loadu(x + (l < last ? l : last) * s);
    transpose(v);
    UNROLL
    for (int l = 0; l < W; l++)
        if (l < count)
            storeu(y + l * m, v[l]);
}

static void turn_plane(const real *x, real *y, int64_t m, int64_t s)
{
    for (int64_t q = 0; q < s; q += W) {
        int64_t c = q + W <= s || s < W ? q : s - W;
        for (int64_t p = 0; p < m; p += W) {
            int64_t r = p + W <= m || m < W ? p : m - W;
            turn_square(x + r * s + c, s, m - 1 - r, y + c * m + r, m, s - c);
        }
    }
}

/* ---------------------------------------------------------- user's elements */

/* Loads n elements of one array. */
static void take_array(const stored *from, int format, int64_t n,
                       const planes *x)
{
    int64_t e = 0;

    for (; n >= W && e < n; e += W) {
        int64_t at = e + W <= n ? e : n - W;
        C v;
        load_complex(stored_at(from, format, 2 * at), format, &v.r, &v.i);
        storeu(x->re + at, v.r);
        storeu(x->im + at, v.i);
    }
    for (; e < n; e++) {
        x->re[e] = get_stored(stored_at(from, format, 2 * e), format);
        x->im[e] = get_stored(stored_at(from, format, 2 * e + 1), format);
    }
}

static void give_array(const planes *y, factor f, int64_t n, stored *to,
                       int format)
{
    int64_t e = 0;

    for (; n >= W && e < n; e += W) {
        int64_t at = e + W <= n ? e : n - W;
        store_complex(stored_at(to, format, 2 * at), format,
                      v_times(loadu(y->re + at), f),
                      v_times(loadu(y->im + at), f));
    }
    for (; e < n; e++) {
        V re = v_times((V){0} + y->re[e], f),
          im = v_times((V){0} + y->im[e], f);
        put_stored(stored_at(to, format, 2 * e), format, re[0]);
        put_stored(stored_at(to, format, 2 * e + 1), format, im[0]);
    }
}

/* Loads W arrays of n elements, [array][element], as [element][array]. There
 * are `count` of them; the last one is repeated. */
static void take_group(const stored *from, int64_t step, int count, int format,
                       int64_t n, const planes *x)
{
    for (int64_t e = 0; e < n; e += W / 2) {
        int64_t at = e + W / 2 <= n ? e : n - W / 2;
        V v[W];
        UNROLL
        for (int l = 0; l < W; l++)
            v[l] = load_stored(
                stored_at(from, format,
                          (l < count ? l : count - 1) * step + 2 * at),
                format);
        transpose(v);
        UNROLL
        for (int i = 0; i < W / 2; i++) {
            storeu(x->re + (at + i) * W, v[2 * i]);
            storeu(x->im + (at + i) * W, v[2 * i + 1]);
        }
    }
}

static void give_group(const planes *y, factor f, int64_t n, stored *to,
                       int64_t step, int count, int format)
{
    for (int64_t e = 0; e < n; e += W / 2) {
        int64_t at = e + W / 2 <= n ? e : n - W / 2;
        V v[W];
        UNROLL
        for (int i = 0; i < W / 2; i++) {
            v[2 * i] = v_times(loadu(y->re + (at + i) * W), f);
            v[2 * i + 1] = v_times(loadu(y->im + (at + i) * W), f);
        }
        transpose(v);
        UNROLL
        for (int l = 0; l < W; l++)
            if (l < count)
                store_stored(stored_at(to, format, l * step + 2 * at), format,
                             v[l]);
    }
}

#include "backends/cpu/compact/compact_real.h"
#include "backends/cpu/compact/compact_sides.h"

/* ------------------------------------------------------------------ the runs
 */

static planes take_planes(const stfi_cpu_compact *c, real *scratch, int which,
                          int inverse)
{
    real *first = scratch + 2 * which * c->plane;
    real *second = first + c->plane;

    return inverse ? (planes){second, first} : (planes){first, second};
}

INLINE planes exchanged(planes x, int inverse)
{
    return inverse ? (planes){x.im, x.re} : x;
}

/* Butterflies of an inverse transform have the parts exchanged. */
static void run_step(const stfi_cpu_step *t, planes x, planes y, int inverse)
{
    switch (t->kind) {
    case STFI_CPU_SEPARATE:
        separate_rows(t, exchanged(x, inverse), exchanged(y, inverse));
        break;
    case STFI_CPU_JOIN:
        join_rows(t, exchanged(x, inverse), exchanged(y, inverse));
        break;
    case STFI_CPU_COLUMNS: compact_steps[t->radix].columns(t, x, y); break;
    case STFI_CPU_ROWS: compact_steps[t->radix].rows(t, x, y); break;
    default:
        turn_plane(x.re, y.re, t->m, t->s);
        turn_plane(x.im, y.im, t->m, t->s);
    }
}

/* Runs all steps from the planes number `first` on, whose parts are exchanged or not; the
 * result is in the planes number first + nsteps. */
static void run_steps(const stfi_cpu_compact *c, real *scratch, int first,
                      int exchange, int inverse)
{
    for (int i = first; i < first + c->nsteps; i++)
        run_step(&c->step[i - first], take_planes(c, scratch, i % 2, exchange),
                 take_planes(c, scratch, (i + 1) % 2, exchange), inverse);
}

/* Clears what vectors read behind the elements of a plane: arithmetic on what
 * is left there might be slow. */
static void clear_ends(const stfi_cpu_compact *c, int64_t n, real *scratch)
{
    for (int i = 0; i < 4; i++)
        storeu(scratch + i * c->plane + n, (V){0});
}

#include "backends/cpu/compact/conv.h"

/* 1 if the first step reads the user's array by itself, and the last one writes
 * it. */
static int is_taking(const stfi_cpu_compact *c)
{
    return c->group == 1 && c->form == STFI_CPU_COMPLEX
           && c->step[0].kind == STFI_CPU_ROWS && c->step[0].m >= W;
}

static int is_giving(const stfi_cpu_compact *c)
{
    const stfi_cpu_step *last = &c->step[c->nsteps - 1];

    return c->group == 1 && c->form != STFI_CPU_REAL_OUT
           && last->kind == STFI_CPU_COLUMNS && last->s >= W;
}

/* Transforms one array by steps alone. */
static void run_alone(const stfi_cpu_compact *c, real *scratch,
                      const user *from, const user *to)
{
    const int taking = is_taking(c);
    const int giving = is_giving(c) && to->scale.low == 0;
    const int inverse = from->inverse;
    planes x = take_planes(c, scratch, 0, inverse);
    planes y = take_planes(c, scratch, 1, inverse);

    clear_ends(c, c->n, scratch);
    if (!taking)
        take_alone(c, from, x);
    x = exchanged(x, inverse);
    y = exchanged(y, inverse);
    for (int i = 0; i < c->nsteps; i++) {
        const stfi_cpu_step *t = &c->step[i];
        const planes src = i % 2 ? y : x, dst = i % 2 ? x : y;
        if (i == 0 && taking)
            compact_steps[t->radix].take(t, dst, from);
        else if (i == c->nsteps - 1 && giving)
            compact_steps[t->radix].give(t, src, to);
        else
            run_step(t, src, dst, inverse);
    }
    y = take_planes(c, scratch, c->nsteps % 2, inverse);
    if (!giving)
        give_alone(c, y, to);
}

/* Transforms one complex array, as a convolution or not. */
static void run_one(const stfi_cpu_compact *c, real *scratch, const user *from,
                    const user *to)
{
    if (c->conv != NULL)
        run_conv(c, scratch, from, to);
    else
        run_alone(c, scratch, from, to);
}

/* Transforms one array of reals, or of half a spectrum. */
static void run_reals(const stfi_cpu_compact *c, real *scratch,
                      const user *from, const user *to, double scale)
{
    const stfi_cpu_reals *r = c->reals;
    real *mid = scratch + 4 * c->plane;
    user a = *from, b = *to;

    a.inverse = b.inverse = from->inverse ^ r->turned;
    if (r->steps.before != NULL) {
        r->steps.before(r, from->at, mid, 1);
        a.at = mid;
    }
    if (r->steps.after != NULL)
        b.at = mid;
    if (r->scales)
        b.scale = factor_from(1);
    run_one(c, scratch, &a, &b);
    if (r->steps.after != NULL)
        r->steps.after(r, mid, to->at, scale);
}

/* Transforms `count` arrays, at most W. */
static void run_group(const stfi_cpu_compact *c, real *scratch,
                      const user *from, const user *to, int count)
{
    const int inverse = from->inverse;

    take_all(c, from, count, take_planes(c, scratch, 0, inverse));
    run_steps(c, scratch, 0, 0, inverse);
    give_all(c, take_planes(c, scratch, c->nsteps % 2, inverse), to, count);
}

/* Brings the lines of arrays that are computed together nearer while others are
 * computed, so many arrays ahead, if there are `left` of them: butterflies read and
 * write a few elements of many lines in turn, which hardware does not foresee. */
static void prefetch_ahead(const stfi_cpu_compact *c, const user *u,
                           int64_t ahead, int64_t left, int write)
{
    if (left < ahead + c->group)
        return;
    for (int l = 0; l < c->group; l++)
        prefetch_lines(u->at + (ahead + l) * u->step, 2 * c->n, write);
}

/* 1 if that helps: the arrays are in no near cache, and those that are computed
 * together do not take all of it. Bounds: measured. */
static int is_far(const stfi_cpu_compact *c, const stfi_cpu_compact_run *run)
{
    enum { ARRAY = 16384, ALL = 1 << 20, ALL_OF_GROUPS = 1 << 23 };
    const int64_t bytes = 2 * c->n * (int64_t)sizeof(stored);

    return c->group * bytes <= ARRAY
           && 2 * bytes * (run->end + run->behind - run->begin)
                  >= (c->group == 1 ? ALL : ALL_OF_GROUPS);
}

static void run_rows(const stfi_cpu_compact *c, const stfi_cpu_compact_run *run)
{
    const int64_t step[2] = {c->src_step, c->dst_step};

    c->rows(stored_at(run->src, 0, run->begin * step[0]),
            stored_at(run->dst, 0, run->begin * step[1]), step,
            run->end - run->begin, run->scale, run->inverse);
}

/* An inverse transform exchanges the parts where it loads and stores. */
static void run_compact(const stfi_cpu_compact *c,
                        const stfi_cpu_compact_run *run)
{
    user from = {.step = c->src_step, .inverse = run->inverse};
    user to = {.step = c->dst_step,
               .inverse = run->inverse,
               .scale = factor_from(run->scale)};
    const int far = is_far(c, run);
    const int64_t ahead = run->ahead > 0 ? run->ahead : c->group;
    int64_t i = run->begin;

    if (c->rows != NULL) {
        run_rows(c, run);
        return;
    }
    if (c->group > 1 && c->nsteps == 1 && to.scale.low == 0
        && c->form == STFI_CPU_COMPLEX) {
        int64_t groups = (run->end - i) / W;
        from.at = stored_at(run->src, 0, i * from.step);
        to.at = stored_at(run->dst, 0, i * to.step);
        compact_steps[c->step[0].radix].groups(&from, &to, groups);
        i += groups * W;
    }
    for (; i < run->end; i += c->group) {
        int64_t left = run->end - i;
        from.at = stored_at(run->src, 0, i * from.step);
        to.at = stored_at(run->dst, 0, i * to.step);
        if (far) {
            prefetch_ahead(c, &from, ahead, left + run->behind, 0);
            prefetch_ahead(c, &to, c->group, left + run->behind, 1);
        }
        if (c->one.run != NULL)
            c->one.run(from.at, to.at, c->one.table, run->scale, run->inverse);
        else if (c->reals != NULL)
            run_reals(c, run->scratch, &from, &to, run->scale);
        else if (c->group == 1)
            run_one(c, run->scratch, &from, &to);
        else
            run_group(c, run->scratch, &from, &to, left < W ? (int)left : W);
    }
}
#endif

#define COMPACT STFI_ISA_NAME(stfi_cpu_compact_)

extern const stfi_cpu_compact_kernels COMPACT;
const stfi_cpu_compact_kernels COMPACT = {
    {STFI_ISA_TEXT, STFI_REAL_ID, STFI_LANES},
#if STFI_LANES > 1
    run_compact,
#else
    NULL,
#endif
    NULL,
    NULL,
};

#endif
