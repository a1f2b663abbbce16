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
    return p->conv == STFI_CONV_NONE && !p->inverse && !p->backward && !p->gated
           && is_plain_side(&p->load) && is_plain_side(&p->store);
}

static int is_complex_side(const stfi_side *s)
{
    return s->form == STFI_FORM_COMPLEX && s->limit == 0;
}

/* 1 if a pass is a complex transform and no more than that. */
static int is_plain(const stfi_pass *p)
{
    return p->op == STFI_OP_FFT && is_simple(p) && is_complex_side(&p->load)
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
        a->n[a->rank++] = p->n;
        stride *= p->n;
    }
    a->elements = stride;
    stride /= first->n;
    return has_lanes(first, &first->load, stride, first->n)
           && has_lanes(first, &first->store, stride, first->n);
}

/* The same of two passes that transform one axis. */
static int find_split(const stfi_schedule *s, stfi_cpu_shape *a)
{
    const stfi_pass *p = &s->pass[0], *q = &s->pass[1];

    if (s->npasses != 2 || p->load.buf != STFI_BUF_IN
        || q->store.buf != STFI_BUF_OUT || p->store.buf != STFI_BUF_WORK0
        || p->twiddle.order != p->n * q->n || q->twiddle.order != 0)
        return 0;
    a->rank = 1;
    a->n[0] = a->elements = p->n * q->n;
    return p->load.stride == q->n && q->store.stride == p->n
           && has_lanes(p, &p->load, q->n, 1)
           && has_lanes(q, &q->store, p->n, 1);
}

static int find_complex(const stfi_schedule *s, stfi_cpu_shape *a)
{
    *a = (stfi_cpu_shape){.form = STFI_CPU_COMPLEX};
    for (int i = 0; i < s->npasses; i++)
        if (!is_plain(&s->pass[i]))
            return 0;
    if (find_axes(s, a))
        return 1;
    a->rank = 0;
    return find_split(s, a);
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
                   ? 2 * p->n
                   : 0;
    return p->op == STFI_OP_FFT && reals->form == STFI_FORM_REAL
                   && reals->stride == 1
               ? p->n
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
    const stfi_pass *p = &s->pass[0];
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
    const stfi_pass *p = &s->pass[s->npasses - 1];
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

/* The form of two passes over one axis; REAL passes have one real for each element. */
static int form_of_split(const stfi_pass *p, const stfi_pass *q, int joins,
                         int separates, stfi_cpu_compact_form *form_p)
{
    const int64_t n = p->n * q->n;

    *form_p = separates || p->load.form == STFI_FORM_REAL ? STFI_CPU_REAL_IN
                                                          : STFI_CPU_REAL_OUT;
    if (separates)
        return p->load.form == STFI_FORM_PAIRS && p->load.pair == 1
               && is_complex_side(&q->store);
    if (joins)
        return q->store.form == STFI_FORM_PAIRS && q->store.pair == 1
               && is_complex_side(&p->load);
    return *form_p == STFI_CPU_REAL_IN ? q->store.form == STFI_FORM_COMPLEX
                                             && q->store.limit == n / 2 + 1
                                       : p->load.form == STFI_FORM_HALF
                                             && q->store.form == STFI_FORM_REAL;
}

static int unit_of(const stfi_side *s)
{
    return s->form == STFI_FORM_PAIRS ? 2 : 1;
}

/* The same of one axis of reals that is split, by two passes and, if its length is
 * even, one more that joins or separates two spectra. */
static int find_split_reals(const stfi_schedule *s, stfi_cpu_shape *a)
{
    const stfi_pass *last = &s->pass[s->npasses - 1];
    const int joins = s->pass[0].op == STFI_OP_TANGLE;
    const int separates = last->op == STFI_OP_UNTANGLE;
    const stfi_pass *p = &s->pass[joins], *q = p + 1;

    *a = (stfi_cpu_shape){.rank = 1, .split_reals = 1};
    if (s->npasses != 2 + joins + separates || (joins && separates))
        return 0;
    for (int i = 0; i < s->npasses; i++)
        if (!is_simple(&s->pass[i]))
            return 0;
    a->n[0] = a->elements = p->n * q->n * (joins || separates ? 2 : 1);
    return p->op == STFI_OP_FFT && q->op == STFI_OP_FFT
           && s->pass[0].load.buf == STFI_BUF_IN
           && last->store.buf == STFI_BUF_OUT
           && (!joins || s->pass[0].load.stride == 1)
           && (!separates || last->store.stride == 1)
           && p->store.buf == STFI_BUF_WORK0 && p->twiddle.order == p->n * q->n
           && q->twiddle.order == 0
           && form_of_split(p, q, joins, separates, &a->form)
           && p->load.stride == unit_of(&p->load) * q->n
           && q->store.stride == unit_of(&q->store) * p->n
           && has_lanes(p, &p->load, q->n, unit_of(&p->load))
           && has_lanes(q, &q->store, p->n, unit_of(&q->store));
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

int stfi_cpu_shape_find(const stfi_schedule *s, stfi_cpu_shape *a)
{
    if (s->caps.gpu || s->apart || s->npasses == 0 || !suits_checks(s)
        || stfi_type_arithmetic(s->precision)->id != s->precision
        || !(find_complex(s, a) || find_r2c(s, a) || find_c2r(s, a)
             || find_split_reals(s, a) || find_kind(s, a)))
        return 0;
    set_row(a);
    a->checked = is_checked(s) ? &s->pass[0] : NULL;
    return 1;
}
