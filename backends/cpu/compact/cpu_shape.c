/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Recognises schedules of compact transforms. */
#include "backends/cpu/compact/cpu_shape.h"

#include "backends/cpu/compact/cpu_kind.h"

static int is_plain_side(const stfi_side *s)
{
    return s->block == 0 && s->rows == 0 && s->chirp == 0
           && s->order == STFI_ORDER_NONE && s->mirror == 0;
}

/* 1 if a pass does what it does to all elements of an axis, once. */
static int is_simple(const stfi_pass *p)
{
    return !p->inverse && !p->backward && !p->gated && is_plain_side(&p->load)
           && is_plain_side(&p->store);
}

static int is_complex_side(const stfi_side *s)
{
    return s->form == STFI_FORM_COMPLEX && s->limit == 0;
}

/* 1 if a pass is a complex transform and no more than that. */
static int is_plain(const stfi_pass *p)
{
    return stfi_cpu_transforms(p) && is_simple(p) && is_complex_side(&p->load)
           && is_complex_side(&p->store);
}

/* 1 if the lanes of one transform, other than the batch, are `count` at the
 * same distance. */
static int has_lanes(const stfi_pass *p, const stfi_side *side, int64_t count,
                     int64_t step)
{
    int l = p->batch_loop == 0;

    if (count == 1)
        return p->nloops == 1;
    return p->nloops == 2 && p->loop_n[l] == count
           && side->loop_stride[l] == step;
}

/* Reads the shape off passes that each transform one axis. */
static int find_axes(const stfi_schedule *s, stfi_cpu_shape *a)
{
    const stfi_pass *first = &s->pass[0];
    int64_t stride = 1;

    for (int i = 0; i < s->npasses; i++) {
        const stfi_pass *p = &s->pass[i];
        if (p->twiddle.order > 0 || p->store.stride != stride
            || p->load.stride != stride || p->store.buf != STFI_BUF_OUT
            || p->load.buf != (i == 0 ? STFI_BUF_IN : STFI_BUF_OUT))
            return 0;
        a->n[a->rank] = stfi_cpu_points(p);
        stride *= a->n[a->rank++];
    }
    a->elements = stride;
    stride /= a->n[0];
    return has_lanes(first, &first->load, stride, a->n[0])
           && has_lanes(first, &first->store, stride, a->n[0]);
}

/* The same of two passes that transform one axis. */
static int find_split(const stfi_schedule *s, stfi_cpu_shape *a)
{
    const stfi_pass *p = &s->pass[0], *q = &s->pass[1];
    const int64_t n = stfi_cpu_points(p), m = stfi_cpu_points(q);

    if (s->npasses != 2 || p->load.buf != STFI_BUF_IN
        || q->store.buf != STFI_BUF_OUT || p->store.buf != STFI_BUF_WORK0
        || p->twiddle.order != n * m || q->twiddle.order != 0)
        return 0;
    a->rank = 1;
    a->n[0] = a->elements = n * m;
    return p->load.stride == m && q->store.stride == n
           && has_lanes(p, &p->load, m, 1) && has_lanes(q, &q->store, n, 1);
}

/* Returns the reals of an element of a side, of complex sides 1. */
static int unit_of(const stfi_side *s)
{
    return s->form == STFI_FORM_PAIRS ? 2 : 1;
}

/* 1 if elements of one side of a convolution over several levels follow each other. */
static int is_spread_side(const stfi_pass *p, const stfi_side *side)
{
    const int64_t step = stfi_cpu_spread_step(p);
    const int unit = unit_of(side);

    return side->order == STFI_ORDER_NONE && side->mirror == 0
           && side->rows == 0 && side->stride == unit * step
           && has_lanes(p, side, step, unit);
}

/* 1 if passes p to q are such a convolution, of rows whose elements follow each other. */
static int is_spread(const stfi_pass *p, const stfi_pass *q)
{
    return stfi_cpu_are_spread(p, q) && is_spread_side(p, &p->load)
           && is_spread_side(q, &q->store);
}

static int find_spread(const stfi_schedule *s, stfi_cpu_shape *a)
{
    const stfi_pass *p = &s->pass[0], *q = &s->pass[s->npasses - 1];

    if (!is_spread(p, q) || p->load.form != STFI_FORM_COMPLEX
        || q->store.form != STFI_FORM_COMPLEX || p->load.buf != STFI_BUF_IN
        || q->store.buf != STFI_BUF_OUT || p->load.limit != p->load.chirp
        || q->store.limit != p->load.chirp)
        return 0;
    a->rank = 1;
    a->n[0] = a->elements = p->load.chirp;
    return 1;
}

static int find_complex(const stfi_schedule *s, stfi_cpu_shape *a)
{
    *a = (stfi_cpu_shape){.form = STFI_CPU_COMPLEX};
    if (find_spread(s, a))
        return 1;
    for (int i = 0; i < s->npasses; i++)
        if (!is_plain(&s->pass[i]))
            return 0;
    if (find_axes(s, a))
        return 1;
    a->rank = 0;
    return find_split(s, a);
}

/* Returns 1 if the lanes of a pass have two signals of reals, neighbours along loop l. */
static int pairs_along(const stfi_pass *p, int l)
{
    return (p->op == STFI_OP_R2C_TWO || p->op == STFI_OP_C2R_TWO)
           && l != p->batch_loop && p->load.loop_stride[l] == 2 * p->load.pair
           && p->store.loop_stride[l] == 2 * p->store.pair;
}

/* Returns the pass that computes the same with one signal in a lane, if those of this
 * one have two. */
static stfi_pass with_one_signal(const stfi_pass *p)
{
    stfi_pass one = *p;
    int l = 0;

    while (l < p->nloops && !pairs_along(p, l))
        l++;
    if (l == p->nloops)
        return one;
    one.op = STFI_OP_FFT;
    one.loop_n[l] *= 2;
    one.load.loop_stride[l] = p->load.pair;
    one.store.loop_stride[l] = p->store.pair;
    if (p->op == STFI_OP_R2C_TWO) {
        one.load.form = STFI_FORM_REAL;
        one.store.limit = p->n / 2 + 1;
    } else {
        one.load.form = STFI_FORM_HALF;
        one.load.full = p->n;
        one.store.form = STFI_FORM_REAL;
    }
    return one;
}

/* Returns the reals of the rows that a pass of a real transform has on a side,
 * 0 if they do not follow each other; `other` is the side with the spectra. */
static int64_t real_row(const stfi_pass *p, const stfi_side *reals,
                        const stfi_side *other)
{
    if (!is_simple(p) || p->twiddle.order > 0 || other->stride != 1)
        return 0;
    if (reals->form == STFI_FORM_PAIRS)
        return (p->op == STFI_OP_R2C || p->op == STFI_OP_C2R)
                       && reals->stride == 2 && reals->pair == 1
                       && is_complex_side(other)
                   ? 2 * stfi_cpu_points(p)
                   : 0;
    return stfi_cpu_transforms(p) && reals->form == STFI_FORM_REAL
                   && reals->stride == 1
               ? stfi_cpu_points(p)
               : 0;
}

/* 1 if passes [from, to) transform the other axes of half spectra, whose rows
 * have `half` elements, in place, but for the load of pass `from`. */
static int find_others(const stfi_schedule *s, int from, int to, int64_t half,
                       stfi_cpu_shape *a)
{
    int64_t stride = half;

    for (int i = from; i < to; i++) {
        const stfi_pass *p = &s->pass[i];
        if (!is_plain(p) || p->twiddle.order > 0 || p->store.stride != stride
            || p->load.stride != stride)
            return 0;
        a->n[a->rank++] = p->n;
        a->elements *= p->n;
        stride *= p->n;
    }
    return 1;
}

/* Returns whether rows of the last axis follow each other on the side of half spectra,
 * and on that of reals at any distance: in place, there is room for the spectra. */
static int find_rows(const stfi_pass *p, const stfi_side *reals,
                     const stfi_side *other, stfi_cpu_shape *a)
{
    const int64_t rows = a->elements / a->n[0];

    a->pitch = rows == 1 ? a->n[0] : reals->loop_stride[p->batch_loop == 0];
    return a->pitch >= a->n[0] && has_lanes(p, reals, rows, a->pitch)
           && has_lanes(p, other, rows, a->n[0] / 2 + 1);
}

static int find_r2c(const stfi_schedule *s, stfi_cpu_shape *a)
{
    const stfi_pass one = with_one_signal(&s->pass[0]), *p = &one;
    int64_t n = real_row(p, &p->load, &p->store);

    *a = (stfi_cpu_shape){
        .form = STFI_CPU_REAL_IN, .rank = 1, .n = {n}, .elements = n};
    if (n < 2 || p->load.buf != STFI_BUF_IN || p->store.buf != STFI_BUF_OUT
        || p->store.form != STFI_FORM_COMPLEX
        || !find_others(s, 1, s->npasses, n / 2 + 1, a))
        return 0;
    return find_rows(p, &p->load, &p->store, a);
}

/* 1 if the first pass of a C2R reads half spectra that are packed: its lanes
 * are the elements of a row, and what of rows its own axis does not count. */
static int reads_packed(const stfi_pass *p, const stfi_cpu_shape *a)
{
    int64_t half = a->n[0] / 2 + 1, others = a->elements / a->n[0] / p->n;
    int l = p->batch_loop == 0;

    if (p->nloops != 2 + (others > 1) || p->batch_loop != p->nloops - 1)
        return 0;
    return p->loop_n[l] == half && p->load.loop_stride[l] == 1
           && (others == 1
               || (p->loop_n[1] == others
                   && p->load.loop_stride[1] == half * p->n));
}

static int find_c2r(const stfi_schedule *s, stfi_cpu_shape *a)
{
    const stfi_pass one = with_one_signal(&s->pass[s->npasses - 1]), *p = &one;
    int64_t n = real_row(p, &p->store, &p->load);

    *a = (stfi_cpu_shape){
        .form = STFI_CPU_REAL_OUT, .rank = 1, .n = {n}, .elements = n};
    if (n < 2 || s->pass[0].load.buf != STFI_BUF_IN
        || p->store.buf != STFI_BUF_OUT
        || (n % 2 != 0 && p->load.form != STFI_FORM_HALF)
        || !find_others(s, 0, s->npasses - 1, n / 2 + 1, a))
        return 0;
    return find_rows(p, &p->store, &p->load, a)
           && (s->npasses == 1 || reads_packed(&s->pass[0], a));
}

/* The form of passes p to q over one axis of n elements; REAL passes have one real for
 * each element. */
static int form_of_split(const stfi_pass *p, const stfi_pass *q, int64_t n,
                         int joins, int separates,
                         stfi_cpu_compact_form *form_p)
{
    *form_p = separates || p->load.form == STFI_FORM_REAL ? STFI_CPU_REAL_IN
                                                          : STFI_CPU_REAL_OUT;
    if (separates)
        return p->load.form == STFI_FORM_PAIRS && p->load.pair == 1
               && q->store.form == STFI_FORM_COMPLEX;
    if (joins)
        return q->store.form == STFI_FORM_PAIRS && q->store.pair == 1
               && p->load.form == STFI_FORM_COMPLEX;
    return *form_p == STFI_CPU_REAL_IN ? q->store.form == STFI_FORM_COMPLEX
                                             && q->store.limit == n / 2 + 1
                                       : p->load.form == STFI_FORM_HALF
                                             && q->store.form == STFI_FORM_REAL;
}

/* 1 if pass p transforms one axis, whose rows of reals follow each other. */
static int is_whole(const stfi_pass *p)
{
    return stfi_cpu_transforms(p) && p->twiddle.order == 0 && p->nloops == 1
           && p->load.stride == unit_of(&p->load)
           && p->store.stride == unit_of(&p->store);
}

/* 1 if passes p and q do that. */
static int are_levels(const stfi_pass *p, const stfi_pass *q)
{
    const int64_t n = stfi_cpu_points(p), m = stfi_cpu_points(q);

    return stfi_cpu_transforms(p) && stfi_cpu_transforms(q)
           && p->store.buf == STFI_BUF_WORK0 && p->twiddle.order == n * m
           && q->twiddle.order == 0 && p->load.stride == unit_of(&p->load) * m
           && q->store.stride == unit_of(&q->store) * n
           && has_lanes(p, &p->load, m, unit_of(&p->load))
           && has_lanes(q, &q->store, n, unit_of(&q->store));
}

/* Returns the elements of the axis that passes p to q transform, 0 if they do more. */
static int64_t axis_of(const stfi_pass *p, const stfi_pass *q)
{
    const int64_t n = stfi_cpu_points(p);

    if (is_spread(p, q))
        return p->load.chirp;
    for (const stfi_pass *i = p; i <= q; i++)
        if (!is_simple(i))
            return 0;
    if (p == q)
        return is_whole(p) ? n : 0;
    return q == p + 1 && are_levels(p, q) ? n * stfi_cpu_points(q) : 0;
}

/* The same of one axis of reals that takes several passes: those of its transform and,
 * if its length is even, one more that joins or separates two spectra. */
static int find_split_reals(const stfi_schedule *s, stfi_cpu_shape *a)
{
    const stfi_pass *last = &s->pass[s->npasses - 1];
    const int joins = s->pass[0].op == STFI_OP_TANGLE;
    const int separates = last->op == STFI_OP_UNTANGLE;
    const stfi_pass *p = &s->pass[joins], *q = last - separates;
    int64_t n;

    *a = (stfi_cpu_shape){.rank = 1, .split_reals = 1};
    if (s->npasses < 2 || p > q || (joins && separates)
        || (joins && !(is_simple(p - 1) && p[-1].load.stride == 1))
        || (separates && !(is_simple(last) && last->store.stride == 1)))
        return 0;
    n = axis_of(p, q);
    a->n[0] = a->elements = n * (joins || separates ? 2 : 1);
    return n > 0 && s->pass[0].load.buf == STFI_BUF_IN
           && last->store.buf == STFI_BUF_OUT
           && form_of_split(p, q, n, joins, separates, &a->form);
}

/* The same of a real to real kind, whose passes have nothing in common with those of
 * half spectra but the transform. */
static int find_kind(const stfi_schedule *s, stfi_cpu_shape *a)
{
    *a =
        (stfi_cpu_shape){.form = STFI_CPU_REAL_IN, .rank = 1, .split_reals = 1};
    if (!stfi_cpu_kind_find(s, &a->row))
        return 0;
    a->n[0] = a->elements = a->row.n;
    return 1;
}

static void set_row(stfi_cpu_shape *a)
{
    if (a->row.n == 0 && a->form != STFI_CPU_COMPLEX)
        a->row = (stfi_cpu_row){
            .kind = a->form == STFI_CPU_REAL_IN ? STF_R2C : STF_C2R,
            .n = a->elements,
        };
}

static int is_checked(const stfi_schedule *s)
{
    return s->pass[0].check.kind != STFI_CHECK_NONE;
}

/* 1 if no pass has a check, or if the only one has residuals of its lanes, which
 * are sums over memory (protect/bracket.h). */
static int suits_checks(const stfi_schedule *s)
{
    const stfi_check *c = &s->pass[0].check;

    if (s->npasses == 1 && c->kind != STFI_CHECK_NONE)
        return c->kind == STFI_CHECK_LANE && c->level != STF_FT_THREAD
               && c->transactions <= 1
               && s->pass[0].load.form == STFI_FORM_COMPLEX
               && s->pass[0].store.form == STFI_FORM_COMPLEX;
    for (int i = 0; i < s->npasses; i++)
        if (s->pass[i].check.kind != STFI_CHECK_NONE)
            return 0;
    return 1;
}

/* Finds out whether passes compute a convolution, and in how many lanes over the batch.
 * Those of several levels, or of half spectra, take longer than one array at a time in
 * any case. Bound: measured. */
static void find_convolution(const stfi_schedule *s, stfi_cpu_shape *a)
{
    enum { SHORT_HALF = 100 };

    for (int i = 0; i < s->npasses && !a->convolved; i++) {
        const stfi_pass *p = &s->pass[i];
        const int slow =
            p->conv == STFI_CONV_SPREAD
            || (p->load.form == STFI_FORM_HALF && a->elements >= SHORT_HALF);
        a->convolved = p->conv != STFI_CONV_NONE;
        a->conv_lanes = slow ? 0 : stfi_pass_signal_lanes(p) * s->batch;
    }
}

int stfi_cpu_shape_find(const stfi_schedule *s, stfi_cpu_shape *a)
{
    if (s->caps.gpu || s->apart || s->npasses == 0 || !suits_checks(s)
        || stfi_type_arithmetic(s->precision)->id != s->precision
        || !(find_complex(s, a) || find_r2c(s, a) || find_c2r(s, a)
             || find_split_reals(s, a) || find_kind(s, a)))
        return 0;
    find_convolution(s, a);
    if (a->convolved && (a->rank > 1 || is_checked(s)))
        return 0;
    set_row(a);
    a->checked = is_checked(s) ? &s->pass[0] : NULL;
    return 1;
}
