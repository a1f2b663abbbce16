/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Makes the weights of reals at their places; see cpu_places.h. */
#include "backends/cpu/protect/cpu_places.h"

#include "base/alloc.h"
#include "fft/place.h"
#include "fft/tables/complex_table.h"
#include "math/roots.h"

typedef struct number {
    long double re, im;
} number;

static const number none = {0, 0}, i_unit = {0, 1};

static number times(number a, number b)
{
    return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static number scaled(number a, long double by)
{
    return (number){a.re * by, a.im * by};
}

static number plus(number a, number b)
{
    return (number){a.re + b.re, a.im + b.im};
}

static number conjugate(number a)
{
    return (number){a.re, -a.im};
}

/* A side whose weights are made. */
typedef struct maker {
    const stfi_pass *p;
    const stfi_side *side;
    stf_precision precision;
    int loaded;
    int swap; /* the transform has the parts of its elements exchanged */
} maker;

static number weight_at(const maker *k, int64_t i)
{
    number w;

    stfi_complex_get(k->precision, k->loaded ? k->p->check.row : k->p->check.e,
                     i, &w.re, &w.im);
    return w;
}

/* The root of element i in the side's turn: see stfi_turn. */
static number turn_root(const maker *k, int64_t i)
{
    uint64_t span = (uint64_t)k->side->span, at = (uint64_t)i;
    number w;

    if (k->side->turn == STFI_TURN_QUARTER)
        stfi_root_l(at, 4 * span, &w.re, &w.im);
    else
        stfi_root_l(k->loaded ? 4 * at + 1 : 4 * at, 8 * span, &w.re, &w.im);
    return w;
}

/* 1 if element i of a half spectrum is its own mirror image. */
static int is_own(const stfi_side *side, int64_t i)
{
    return side->form == STFI_FORM_HC && (i == 0 || 2 * i == side->full);
}

/* The weight of component c of an element with weight w. */
static number component(const maker *k, number w, int c)
{
    return c == k->swap ? w : times(w, i_unit);
}

/* The weight of component c of element i of a half spectrum as it is in memory,
 * which stands for its mirror image too: with v = x + iy in memory and X = v or
 * conj(w v), the sum is a X + b conj(X). */
static number load_spectrum(const maker *k, int64_t i, int c)
{
    int64_t n = k->side->full;
    /* The weight of element i is row[-i]. */
    int back = stfi_op_get(k->p->op)->loads_spectra;
    number near = weight_at(k, back ? n - i : i), a, b, w;
    number far = weight_at(k, back ? i : n - i);

    if (is_own(k->side, i)) {
        a = component(k, weight_at(k, i), 0);
        return c == 1 ? none
               : i > 0 && k->side->turn == STFI_TURN_QUARTER
                   ? scaled(a, 2 * turn_root(k, i).re)
                   : a;
    }
    a = k->swap ? times(far, i_unit) : near;
    b = k->swap ? times(near, i_unit) : far;
    if (k->side->turn == STFI_TURN_QUARTER) {
        number other = a;
        w = turn_root(k, i);
        a = times(b, w);
        b = times(other, conjugate(w));
    }
    return c == 0 ? plus(a, b) : times(plus(a, scaled(b, -1)), i_unit);
}

void stfi_cpu_places_weight(const stfi_pass *p, stf_precision precision,
                            int64_t m, long double *re_p, long double *im_p)
{
    maker k = {p, &p->load, precision, 1, 0};
    int c = 2 * m > p->load.full;
    number w = load_spectrum(&k, c ? p->load.full - m : m, c);

    *re_p = w.re;
    *im_p = w.im;
}

static number load_weight(const maker *k, int64_t i, int c)
{
    number w;

    if (k->p->op == STFI_OP_R2C)
        return weight_at(k, 2 * i + c);
    if (k->side->form == STFI_FORM_HC)
        return load_spectrum(k, i, c);
    w = weight_at(k, i);
    if (k->side->turn == STFI_TURN_FOUR)
        w = times(w, turn_root(k, i));
    return component(k, w, c);
}

/* The weight of component c of element i as it was stored: the weight of the
 * element, and the reverse of its turn. */
static number store_weight(const maker *k, int64_t i, int c)
{
    const long double half_root = 0.70710678118654752440084436210484903928L;
    int own = is_own(k->side, i);
    number w = weight_at(k, k->p->op == STFI_OP_C2R ? 2 * i + c : i);

    switch (k->side->turn) {
    case STFI_TURN_QUARTER:
    case STFI_TURN_FOUR:
        if (own)
            return scaled(w, 0.5L / turn_root(k, i).re);
        w = scaled(times(w, conjugate(turn_root(k, i))), 0.5L);
        return c == 0 ? w : times(w, (number){0, -1});
    case STFI_TURN_EIGHTH: w = scaled(w, half_root); break;
    case STFI_TURN_CAS: break;
    case STFI_TURN_IMAG: return times(w, (number){0, -1});
    default: return k->p->op == STFI_OP_C2R ? w : component(k, w, c);
    }
    if (!own)
        w = times(w, (number){0.5L, -0.5L});
    return component(k, w, c);
}

void stfi_cpu_places_result_weight(const stfi_pass *p, stf_precision precision,
                                   int64_t i, long double *re_p,
                                   long double *im_p)
{
    maker k = {p, &p->store, precision, 0, 0};
    number w = store_weight(&k, i, 0);

    *re_p = w.re;
    *im_p = w.im;
}

/* Adds the weight of logical real m, component c of element i, to its place. */
static void add_real(const maker *k, void *table, int64_t m, int64_t i, int c)
{
    stfi_place at = stfi_place_of(k->side, m);
    number w, sum;

    if (at.sign == 0)
        return;
    w = k->loaded ? load_weight(k, i, c) : store_weight(k, i, c);
    stfi_complex_get(k->precision, table, at.at, &sum.re, &sum.im);
    sum = plus(sum, scaled(w, at.sign));
    stfi_complex_put(k->precision, table, at.at, sum.re, sum.im);
}

static int is_mirrored(const stfi_side *side)
{
    return side->order == STFI_ORDER_EVEN || side->order == STFI_ORDER_ODD;
}

static void fill(const maker *k, void *table)
{
    const stfi_side *side = k->side;
    int64_t n = k->p->n;

    for (int64_t r = 0; r < side->span; r++)
        stfi_complex_put(k->precision, table, r, 0, 0);
    if (side->form == STFI_FORM_PAIRS)
        for (int64_t m = 0; m < 2 * n; m++)
            add_real(k, table, m, m / 2, (int)(m % 2));
    else if (side->form == STFI_FORM_REAL)
        for (int64_t m = 0; m < n + is_mirrored(side); m++)
            add_real(k, table, m, m, 0);
    else
        for (int64_t i = 0; 2 * i <= side->full; i++) {
            add_real(k, table, i, i, 0);
            if (!is_own(side, i))
                add_real(k, table, side->full - i, i, 1);
        }
}

static stf_status make_side(const maker *k, void **table_p)
{
    stf_status status =
        stfi_complex_alloc(k->side->span, k->precision, table_p);

    if (status == STF_OK)
        fill(k, *table_p);
    return status;
}

/* Makes the weights of results that are not stored: the mirror images beyond the
 * limit, or the parts that a store of reals drops. */
static stf_status make_rest(stfi_cpu_pass *cp, const maker *k)
{
    const stfi_side *side = k->side;
    int imag = side->turn == STFI_TURN_IMAG;
    stf_status status;

    if (side->form == STFI_FORM_REAL)
        cp->rest_count = cp->p.n + is_mirrored(side);
    else if (side->limit > 0)
        cp->rest_count = cp->p.n - (cp->rest_first = side->limit);
    if (cp->rest_count == 0)
        return STF_OK;
    status = stfi_complex_alloc(2 * cp->rest_count, k->precision, &cp->rest);
    for (int64_t i = 0; i < cp->rest_count && status == STF_OK; i++)
        for (int c = 0; c < 2; c++) {
            int stored = side->form == STFI_FORM_REAL && c == imag;
            number w = weight_at(k, cp->rest_first + i);
            w = stored ? none : component(k, w, c);
            stfi_complex_put(k->precision, cp->rest, 2 * i + c, w.re, w.im);
        }
    return status;
}

stf_status stfi_cpu_places_make(stfi_cpu_pass *cp, stf_precision precision)
{
    const stfi_pass *p = &cp->p;
    int swap = p->op == STFI_OP_FFT && p->backward != p->inverse;
    maker load = {p, &p->load, precision, 1, swap};
    maker store = {p, &p->store, precision, 0, swap};
    stf_status status = STF_OK;

    if (p->check.kind != STFI_CHECK_LANE || p->check.level == STF_FT_THREAD)
        return STF_OK;
    if (cp->load_map != NULL)
        status = make_side(&load, &cp->load_weights);
    if (cp->store_map != NULL && status == STF_OK)
        status = make_side(&store, &cp->store_weights);
    if (cp->store_map != NULL && status == STF_OK)
        status = make_rest(cp, &store);
    return status;
}
