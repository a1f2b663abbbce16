/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Recognises schedules of compact transforms, and makes their steps. */
#include "backends/cpu/compact/cpu_compact.h"

#include <limits.h>
#include <string.h>

#include "backends/cpu/compact/cpu_grid.h"
#include "backends/cpu/compact/cpu_step.h"
#include "base/alloc.h"
#include "fft/factor.h"

/* The axes of a packed array, the last one first. */
typedef struct shape {
    stfi_cpu_compact_form form;
    int rank;
    int64_t n[STFI_MAX_PASSES];
    int64_t elements;
    const stfi_pass *checked; /* the pass that has a check, or NULL */
    int inside;               /* many rows have vectors inside of each */
} shape;

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
static int find_axes(const stfi_schedule *s, shape *a)
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
static int find_split(const stfi_schedule *s, shape *a)
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

static int find_complex(const stfi_schedule *s, shape *a)
{
    *a = (shape){.form = STFI_CPU_COMPLEX};
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
                       shape *a)
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

/* 1 if rows of the last axis follow each other on both sides of a pass. */
static int has_rows(const stfi_pass *p, const shape *a, int64_t in, int64_t out)
{
    int64_t rows = a->elements / a->n[0];

    return has_lanes(p, &p->load, rows, in)
           && has_lanes(p, &p->store, rows, out);
}

static int find_r2c(const stfi_schedule *s, shape *a)
{
    const stfi_pass *p = &s->pass[0];
    int64_t n = real_row(p, &p->load, &p->store);

    *a = (shape){.form = STFI_CPU_REAL_IN, .rank = 1, .n = {n}, .elements = n};
    if (n < 2 || p->load.buf != STFI_BUF_IN || p->store.buf != STFI_BUF_OUT
        || p->store.form != STFI_FORM_COMPLEX
        || !find_others(s, 1, s->npasses, n / 2 + 1, a))
        return 0;
    return has_rows(p, a, n, n / 2 + 1);
}

/* 1 if the first pass of a C2R reads half spectra that are packed: its lanes
 * are the elements of a row, and what of rows its own axis does not count. */
static int reads_packed(const stfi_pass *p, const shape *a)
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

static int find_c2r(const stfi_schedule *s, shape *a)
{
    const stfi_pass *p = &s->pass[s->npasses - 1];
    int64_t n = real_row(p, &p->store, &p->load);

    *a = (shape){.form = STFI_CPU_REAL_OUT, .rank = 1, .n = {n}, .elements = n};
    if (n < 2 || s->pass[0].load.buf != STFI_BUF_IN
        || p->store.buf != STFI_BUF_OUT
        || (n % 2 != 0 && p->load.form != STFI_FORM_HALF)
        || !find_others(s, 0, s->npasses - 1, n / 2 + 1, a))
        return 0;
    return has_rows(p, a, n / 2 + 1, n)
           && (s->npasses == 1 || reads_packed(&s->pass[0], a));
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

static int find_shape(const stfi_schedule *s, shape *a)
{
    if (s->caps.gpu || s->apart || s->npasses == 0 || !suits_checks(s)
        || stfi_type_arithmetic(s->precision)->id != s->precision
        || !(find_complex(s, a) || find_r2c(s, a) || find_c2r(s, a)))
        return 0;
    a->checked = is_checked(s) ? &s->pass[0] : NULL;
    return 1;
}

/* ------------------------------------------------------------------- steps */

static stfi_cpu_step *add_step(stfi_cpu_compact *c, stfi_cpu_step_kind kind)
{
    stfi_cpu_step *step = &c->step[c->nsteps++];

    step->kind = kind;
    return step;
}

static void add_turn(stfi_cpu_compact *c, int64_t rows, int64_t columns)
{
    stfi_cpu_step *step = add_step(c, STFI_CPU_TURN);

    step->m = rows;
    step->s = columns;
}

/* The radices of an axis; one where it is all there is: short rows are computed
 * in registers, and vectors of one array could not be filled in any case. The
 * weights of a check suit the radices of its pass; those of 4 * 4 are the same
 * as of 16. */
static int find_radices(const stfi_cpu_compact *c, const shape *a, int64_t n,
                        int64_t blocks, int radix[STFI_MAX_STAGES])
{
    int alone = c->group == 1 && c->nsteps == 0 && blocks == 1;

    if ((alone || (a->rank == 1 && a->form == STFI_CPU_COMPLEX)) && n <= INT_MAX
        && stfi_factor_special((int)n)) {
        radix[0] = (int)n;
        return 1;
    }
    if (a->checked == NULL)
        return stfi_factor_stages(n, radix, NULL);
    memcpy(radix, a->checked->radix, sizeof a->checked->radix);
    return a->checked->nstages;
}

/* Adds the butterflies of an axis of n elements, between `inner` elements of
 * faster axes and `blocks` of slower ones. Returns 0 if there are none. */
static int add_axis(stfi_cpu_compact *c, const shape *a, int64_t n,
                    int64_t blocks, int64_t inner)
{
    int radix[STFI_MAX_STAGES];
    int count = find_radices(c, a, n, blocks, radix);
    int64_t s = inner, m = n;

    if (count < 0 || c->nsteps + count + 2 > STFI_CPU_STEPS)
        return 0;
    for (int i = 0; i < count; i++) {
        stfi_cpu_step *step = add_step(c, STFI_CPU_COLUMNS);
        if (!stfi_factor_special(radix[i]))
            return 0;
        m /= radix[i];
        step->radix = radix[i];
        step->blocks = blocks;
        step->m = m;
        step->s = s;
        if (s == 1 && m > 1)
            step->kind = STFI_CPU_ROWS;
        s *= radix[i];
    }
    return 1;
}

/* Adds the steps of all axes. With one array at a time, the last axis of
 * several is brought to the front if it is too short to fill vectors. */
static int add_steps(stfi_cpu_compact *c, const shape *a, int lanes)
{
    int64_t rows = a->elements / a->n[0], inner = c->group;
    int turned = c->group == 1 && a->rank > 1 && a->n[0] < 4 * lanes;

    if (turned) {
        add_turn(c, rows, a->n[0]);
        if (!add_axis(c, a, a->n[0], 1, rows))
            return 0;
        add_turn(c, a->n[0], rows);
    } else if (!add_axis(c, a, a->n[0], rows, inner)) {
        return 0;
    }
    for (int i = 1; i < a->rank; i++) {
        inner *= a->n[i - 1];
        rows /= a->n[i];
        if (!add_axis(c, a, a->n[i], rows, inner))
            return 0;
    }
    return c->nsteps > 0;
}

/* 1 if a row is computed faster in lanes than by its pass. */
static int is_short_row(const shape *a)
{
    if (a->form == STFI_CPU_COMPLEX)
        return a->elements <= INT_MAX && stfi_factor_special((int)a->elements);
    /* Passes of odd lengths read single reals; of even ones, half as many. */
    return a->elements % 2 != 0
           || (a->form == STFI_CPU_REAL_OUT && a->elements <= 8);
}

/* 1 if inputs and outputs exceed the cache, and rows are short or not of a power of
 * two: these are faster by their passes, which prefetch. Bounds: measured. */
static int is_streamed(const stfi_schedule *s, const shape *a)
{
    int64_t bytes = (int64_t)stfi_type_get(s->precision)->bytes;

    return ((a->elements & (a->elements - 1)) != 0 || a->elements < 512)
           && 4 * a->elements * bytes * s->batch >= 2 * s->caps.l2_bytes;
}

/* Finds out whether many rows are faster with vectors inside of each. Returns 0 if
 * the weights of a check do not suit its radices; of a power of two they suit any. */
static int find_inside(const char *isa, const stfi_schedule *s, shape *a)
{
    const stfi_pass *p = a->checked;
    int r[2];

    a->inside = a->rank == 1 && a->form == STFI_CPU_COMPLEX
                && stfi_cpu_one_suits_many(isa, s->precision, a->elements, r);
    return !a->inside || p == NULL || (a->elements & (a->elements - 1)) == 0
           || (p->nstages == 2 && p->radix[0] == r[0] && p->radix[1] == r[1]);
}

/* Chooses the kernels and how many arrays are computed together. Returns 0 if
 * the passes are better: they transpose rows, which is faster for short ones.
 * Bounds: measured. */
static int choose_kernels(stfi_cpu_compact *c, const char *isa,
                          const stfi_schedule *s, const shape *a)
{
    enum {
        /* The most bytes of scratch: arrays in lanes; one row; one array of
         * several axes, if there are few or many; the least of one of many rows. */
        GROUP = 49152,
        ALONE = 65536,
        ARRAYS = 32768,
        MANY_ARRAYS = 16384,
        LONG_ROW = 4096,
        FEW = 32 /* arrays that are faster in a lane of their own */
    };
    int64_t bytes =
        4 * a->elements * (int64_t)stfi_type_get(s->precision)->bytes;
    int is_real = a->form != STFI_CPU_COMPLEX;
    int is_odd = is_real && a->n[0] % 2 != 0, many;

    c->kernels = stfi_cpu_compact_find(isa, s->precision,
                                       (is_real ? 1 : 2) * a->elements);
    c->group = c->kernels != NULL ? c->kernels->key.lanes : 0;
    many = (a->checked != NULL ? s->batch : 2 * s->batch) >= c->group
           || (a->rank > 1 && a->elements <= FEW);
    /* One array has vectors inside of it (cpu_one.h). */
    if (a->inside
        || (s->batch == 1 && a->rank == 1 && !is_real && a->checked == NULL))
        many = 0;
    if (c->kernels != NULL && many
        && bytes * c->group <= (is_odd ? s->caps.l2_bytes / 2 : GROUP)
        && (a->rank > 1 || is_short_row(a)))
        return 1;
    c->group = 1;
    c->kernels = stfi_cpu_compact_find(isa, s->precision, INT64_MAX);
    if (c->kernels == NULL || is_real
        || (a->checked != NULL && s->batch < c->kernels->key.lanes))
        return 0;
    if (a->rank > 1)
        return bytes <= (many ? MANY_ARRAYS : ARRAYS);
    return bytes <= ALONE && (!many || bytes >= LONG_ROW)
           && (a->inside || !is_streamed(s, a));
}

/* Makes the rows with the negative indices of the other axes. */
static stf_status make_mirror(stfi_cpu_compact *c, const shape *a)
{
    int64_t rows = c->n / c->last;
    void *mem;
    stf_status status;

    if (c->form != STFI_CPU_REAL_OUT)
        return STF_OK;
    status =
        stfi_alloc((size_t)rows * sizeof *c->mirror, "the plan's tables", &mem);
    if (status != STF_OK)
        return status;
    c->mirror = mem;
    for (int64_t r = 0; r < rows; r++) {
        int64_t rest = r, stride = 1, at = 0;
        for (int i = 1; i < a->rank; i++) {
            at += (a->n[i] - rest % a->n[i]) % a->n[i] * stride;
            rest /= a->n[i];
            stride *= a->n[i];
        }
        c->mirror[r] = (int32_t)at;
    }
    return STF_OK;
}

static stf_status make_tables(stfi_cpu_compact *c, const shape *a,
                              stf_precision precision)
{
    stf_status status = make_mirror(c, a);

    for (int i = 0; i < c->nsteps && status == STF_OK; i++)
        status = stfi_cpu_step_twiddle(&c->step[i], precision,
                                       c->kernels->key.lanes);
    return status;
}

/* Finds what replaces the steps of a short array, if there is that. */
static stf_status make_one(stfi_cpu_compact *c, const char *isa,
                           const stfi_schedule *s, const shape *a)
{
    if (c->group > 1 || a->rank > 1 || (a->checked != NULL && !a->inside))
        return STF_OK;
    return s->batch == 1 ? stfi_cpu_grid_make(isa, s->precision, c->n, &c->one)
                         : stfi_cpu_one_make(isa, s->precision, c->n, &c->one);
}

/* Makes steps, or what replaces them, of what has a shape and kernels. */
static stf_status make_all(stfi_cpu_compact *c, const char *isa,
                           const stfi_schedule *s, const shape *a,
                           stfi_cpu_compact **compact_p)
{
    void *mem;
    stf_status status = make_one(c, isa, s, a);

    if (status != STF_OK
        || (c->one.run == NULL && !add_steps(c, a, c->kernels->key.lanes)))
        return status;
    status = stfi_alloc_raw(sizeof *c, "a plan", &mem);
    if (status != STF_OK) {
        stfi_cpu_one_free(&c->one);
        return status;
    }
    *(stfi_cpu_compact *)mem = *c;
    status = make_tables(mem, a, s->precision);
    if (status == STF_OK)
        *compact_p = mem;
    else
        stfi_cpu_compact_destroy(mem);
    return status;
}

stf_status stfi_cpu_compact_make(const char *isa, const stfi_schedule *s,
                                 stfi_cpu_compact **compact_p)
{
    stfi_cpu_compact c = {.n = 0};
    shape a;

    *compact_p = NULL;
    if (!find_shape(s, &a) || !find_inside(isa, s, &a)
        || !choose_kernels(&c, isa, s, &a))
        return STF_OK;
    c.form = a.form;
    c.n = a.elements;
    c.last = a.n[0];
    c.src_step = s->batch_stride[0];
    c.dst_step = s->batch_stride[1];
    c.plane = (c.n * c.group + 18 * c.kernels->key.lanes + 15) / 16 * 16;
    return make_all(&c, isa, s, &a, compact_p);
}

void stfi_cpu_compact_destroy(stfi_cpu_compact *c)
{
    if (c == NULL)
        return;
    for (int i = 0; i < STFI_CPU_STEPS; i++)
        stfi_dealloc(c->step[i].twiddle);
    stfi_cpu_one_free(&c->one);
    stfi_dealloc(c->mirror);
    stfi_dealloc(c);
}
