/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Recognises schedules of real to real transforms (fft/lower_r2r.c), whose kind is
 * what the first and the last side do with their reals. */
#include "backends/cpu/compact/cpu_kind.h"

#include "backends/cpu/compact/cpu_shape.h"

typedef struct end {
    stfi_order order;
    stfi_turn turn;
    int alternate, reversed;
} end;

#define PLAIN STFI_ORDER_PLAIN, STFI_TURN_NONE
#define CAS STFI_ORDER_PLAIN, STFI_TURN_CAS
#define QUARTER STFI_ORDER_PLAIN, STFI_TURN_QUARTER
#define FOLD STFI_ORDER_FOLD, STFI_TURN_NONE
#define FOUR STFI_ORDER_ENDS, STFI_TURN_FOUR
#define EIGHTH STFI_ORDER_EIGHTH, STFI_TURN_NONE
#define EIGHTH_BACK STFI_ORDER_EIGHTH_BACK, STFI_TURN_EIGHTH
#define EVEN STFI_ORDER_EVEN, STFI_TURN_NONE
#define ODD STFI_ORDER_ODD, STFI_TURN_NONE
#define ODD_BACK STFI_ORDER_ODD, STFI_TURN_IMAG

/* hc: the sides that are half a spectrum, bits 1 and 2 of load and store. */
static const struct {
    stf_kind kind;
    int hc;
    end end[2];
} kinds[] = {
    {STF_R2HC, 2, {{PLAIN, 0, 0}, {PLAIN, 0, 0}}},
    {STF_HC2R, 1, {{PLAIN, 0, 0}, {PLAIN, 0, 0}}},
    {STF_DHT, 2, {{PLAIN, 0, 0}, {CAS, 0, 0}}},
    {STF_DCT1, 0, {{EVEN, 0, 0}, {EVEN, 0, 0}}},
    {STF_DCT2, 2, {{FOLD, 0, 0}, {QUARTER, 0, 0}}},
    {STF_DCT3, 1, {{QUARTER, 0, 0}, {FOLD, 0, 0}}},
    {STF_DCT4, 0, {{FOUR, 0, 0}, {FOUR, 0, 0}}},
    {STF_DCT4, 2, {{EIGHTH, 0, 0}, {EIGHTH_BACK, 0, 0}}},
    {STF_DST1, 0, {{ODD, 0, 0}, {ODD_BACK, 0, 0}}},
    {STF_DST2, 2, {{FOLD, 1, 0}, {QUARTER, 0, 1}}},
    {STF_DST3, 1, {{QUARTER, 0, 1}, {FOLD, 1, 0}}},
    {STF_DST4, 0, {{FOUR, 0, 1}, {FOUR, 1, 0}}},
    {STF_DST4, 2, {{EIGHTH, 0, 1}, {EIGHTH_BACK, 1, 0}}},
};

/* A side without an order has its reals in the plain one. */
static int is_end(const end *e, const stfi_side *s)
{
    const stfi_order order =
        s->order == STFI_ORDER_NONE ? STFI_ORDER_PLAIN : s->order;

    return e->order == order && e->turn == s->turn
           && e->alternate == s->alternate && e->reversed == s->reversed;
}

static int find_kind(const stfi_side *const side[2], stf_kind *kind_p)
{
    const int hc =
        (side[0]->form == STFI_FORM_HC) + 2 * (side[1]->form == STFI_FORM_HC);

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].hc == hc && is_end(&kinds[i].end[0], side[0])
            && is_end(&kinds[i].end[1], side[1])) {
            *kind_p = kinds[i].kind;
            return 1;
        }
    return 0;
}

/* 1 if a pass is a transform, or a step before or after it, and no more. */
static int is_simple(const stfi_pass *p)
{
    const stfi_side *const side[2] = {&p->load, &p->store};

    for (int i = 0; i < 2; i++)
        if (side[i]->block != 0 || side[i]->rows != 0 || side[i]->chirp != 0
            || side[i]->mirror != 0)
            return 0;
    return p->conv != STFI_CONV_SPREAD && !p->inverse && !p->gated
           && p->two_loop == 0;
}

/* 1 if a side has its reals next to each other, `step` elements between those of
 * neighbours in a lane. */
static int is_packed(const stfi_side *s, int64_t step)
{
    if (s->order != STFI_ORDER_NONE)
        return s->unit == 1 && s->index.elem == step;
    return s->form == STFI_FORM_PAIRS ? s->stride == 2 * step && s->pair == 1
                                      : s->stride == step;
}

/* 1 if passes p to q transform one axis. */
static int is_axis(const stfi_pass *p, const stfi_pass *q)
{
    const int whole = p == q;
    const int64_t n = stfi_cpu_points(p), m = stfi_cpu_points(q);

    if (stfi_cpu_are_spread(p, q))
        return is_packed(&p->load, stfi_cpu_spread_step(p))
               && is_packed(&q->store, stfi_cpu_spread_step(q));
    if (q - p > 1)
        return 0;
    if (!is_packed(&p->load, whole ? 1 : m)
        || !is_packed(&q->store, whole ? 1 : n))
        return 0;
    return whole ? p->twiddle.order == 0 && p->nloops == 1
                 : stfi_cpu_transforms(p) && stfi_cpu_transforms(q)
                       && p->store.buf == STFI_BUF_WORK0
                       && p->twiddle.order == n * m && q->twiddle.order == 0
                       && p->nloops == 2 && q->nloops == 2;
}

int stfi_cpu_kind_find(const stfi_schedule *s, stfi_cpu_row *row)
{
    const stfi_pass *first = &s->pass[0], *last = &s->pass[s->npasses - 1];
    const int joins = first->op == STFI_OP_TANGLE;
    const int separates = last->op == STFI_OP_UNTANGLE;
    const stfi_pass *p = first + joins, *q = last - separates;

    *row = (stfi_cpu_row){.side = {&first->load, &last->store}};
    if (p > q || (joins && separates) || first->load.buf != STFI_BUF_IN
        || last->store.buf != STFI_BUF_OUT || !find_kind(row->side, &row->kind)
        || !is_axis(p, q) || (joins && !is_packed(&first->load, 1))
        || (separates && !is_packed(&last->store, 1)))
        return 0;
    for (const stfi_pass *i = first; i <= last; i++)
        if (!(stfi_cpu_are_spread(p, q) && i >= p && i <= q) && !is_simple(i))
            return 0;
    row->n = row->side[0]->order != STFI_ORDER_NONE ? row->side[0]->span
                                                    : row->side[1]->span;
    return row->n >= 2;
}
