/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Recognises schedules of compact transforms, and makes their steps; see
 * cpu_compact.h. */
#include "backends/cpu/compact/cpu_compact.h"

#include "base/alloc.h"
#include "fft/factor.h"
#include "fft/tables/complex_table.h"
#include "math/roots.h"

/* The axes of a packed array, the last one first. */
typedef struct shape {
    int rank;
    int64_t n[STFI_MAX_PASSES];
    int64_t elements;
    int64_t src_step, dst_step;
} shape;

static int is_plain_side(const stfi_side *s)
{
    return s->form == STFI_FORM_COMPLEX && s->block == 0 && s->limit == 0
           && s->rows == 0 && s->chirp == 0 && s->order == STFI_ORDER_NONE
           && s->mirror == 0;
}

/* 1 if a pass is a complex transform and no more than that. */
static int is_plain(const stfi_pass *p)
{
    return p->op == STFI_OP_FFT && p->conv == STFI_CONV_NONE && !p->inverse
           && !p->backward && p->check.kind == STFI_CHECK_NONE
           && is_plain_side(&p->load) && is_plain_side(&p->store);
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

static int find_shape(const stfi_schedule *s, shape *a)
{
    *a = (shape){.rank = 0};
    if (s->caps.gpu || s->npasses == 0
        || stfi_type_arithmetic(s->precision)->id != s->precision)
        return 0;
    for (int i = 0; i < s->npasses; i++)
        if (!is_plain(&s->pass[i]))
            return 0;
    if (!find_axes(s, a)) {
        *a = (shape){.rank = 0};
        if (!find_split(s, a))
            return 0;
    }
    a->src_step = s->batch_stride[0];
    a->dst_step = s->batch_stride[1];
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

/* Adds the butterflies of an axis of n elements, between `inner` elements of
 * faster axes and `blocks` of slower ones. Returns 0 if there are none. */
static int add_axis(stfi_cpu_compact *c, int64_t n, int64_t blocks,
                    int64_t inner)
{
    int radix[STFI_MAX_STAGES];
    int count = stfi_factor_stages(n, radix, NULL);
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
        if (s == 1 && (m > 1 || blocks > 1))
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
        if (!add_axis(c, a->n[0], 1, rows))
            return 0;
        add_turn(c, a->n[0], rows);
    } else if (!add_axis(c, a->n[0], rows, inner)) {
        return 0;
    }
    for (int i = 1; i < a->rank; i++) {
        inner *= a->n[i - 1];
        rows /= a->n[i];
        if (!add_axis(c, a->n[i], rows, inner))
            return 0;
    }
    return 1;
}

static stf_status make_twiddle(stfi_cpu_step *t, stf_precision precision,
                               int lanes)
{
    int64_t r = t->radix, row = stfi_cpu_row_of(t->m, lanes);
    int rows = t->kind == STFI_CPU_ROWS;
    const stfi_type *type = stfi_type_get(precision);
    stf_status status;

    if (t->kind == STFI_CPU_TURN || t->m == 1)
        return STF_OK;
    status = stfi_complex_alloc((r - 1) * (rows ? row : t->m), precision,
                                &t->twiddle);
    for (int64_t p = 0; p < (rows ? row : t->m) && status == STF_OK; p++)
        for (int64_t j = 1; j < r; j++) {
            uint64_t order = (uint64_t)(t->m * r);
            long double re, im;
            stfi_root_l((uint64_t)(p * j) % order, order, &re, &im);
            if (!rows) {
                stfi_complex_put(precision, t->twiddle, p * (r - 1) + j - 1, re,
                                 im);
                continue;
            }
            stfi_type_write(type->id, t->twiddle, 2 * (j - 1) * row + p, re);
            stfi_type_write(type->id, t->twiddle, (2 * (j - 1) + 1) * row + p,
                            im);
        }
    return status;
}

/* Chooses the kernels and how many arrays are computed together. Returns 0 if
 * the passes are better: they transpose rows, which is faster for short ones.
 * Bounds: measured. */
static int choose_kernels(stfi_cpu_compact *c, const char *isa,
                          const stfi_schedule *s, const shape *a)
{
    enum { CACHE = 24576, ALONE = 65536, LONG_ROW = 512 };
    int64_t bytes =
        4 * a->elements * (int64_t)stfi_type_get(s->precision)->bytes;
    int many;

    c->kernels = stfi_cpu_compact_find(isa, s->precision, 2 * a->elements);
    c->group = c->kernels != NULL ? c->kernels->lanes : 0;
    many = 2 * s->batch >= c->group;
    if (c->kernels != NULL && many && bytes * c->group <= CACHE
        && (a->rank > 1 || s->pass[0].nstages == 1))
        return 1;
    c->group = 1;
    c->kernels = stfi_cpu_compact_find(isa, s->precision, INT64_MAX);
    return c->kernels != NULL && bytes <= ALONE
           && (!many || a->rank > 1 || a->elements >= LONG_ROW);
}

static stf_status make_tables(stfi_cpu_compact *c, stf_precision precision)
{
    stf_status status = STF_OK;

    for (int i = 0; i < c->nsteps && status == STF_OK; i++)
        status = make_twiddle(&c->step[i], precision, c->kernels->lanes);
    return status;
}

stf_status stfi_cpu_compact_make(const char *isa, const stfi_schedule *s,
                                 stfi_cpu_compact **compact_p)
{
    stfi_cpu_compact c = {.n = 0};
    shape a;
    void *mem;
    stf_status status;

    *compact_p = NULL;
    if (!find_shape(s, &a) || !choose_kernels(&c, isa, s, &a)
        || !add_steps(&c, &a, c.kernels->lanes))
        return STF_OK;
    c.n = a.elements;
    c.src_step = a.src_step;
    c.dst_step = a.dst_step;
    c.plane = (c.n * c.group + 18 * c.kernels->lanes + 15) / 16 * 16;
    status = stfi_alloc_raw(sizeof c, "a plan", &mem);
    if (status != STF_OK)
        return status;
    *(stfi_cpu_compact *)mem = c;
    status = make_tables(mem, s->precision);
    if (status == STF_OK)
        *compact_p = mem;
    else
        stfi_cpu_compact_destroy(mem);
    return status;
}

void stfi_cpu_compact_destroy(stfi_cpu_compact *c)
{
    if (c == NULL)
        return;
    for (int i = 0; i < STFI_CPU_STEPS; i++)
        stfi_dealloc(c->step[i].twiddle);
    stfi_dealloc(c);
}

size_t stfi_cpu_compact_bytes(const stfi_cpu_compact *c,
                              stf_precision precision)
{
    return 4 * (size_t)c->plane * stfi_type_get(precision)->bytes;
}
