/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Single elements of sides that have an order: the reals of real to real
 * transforms, at their places and with the turn of the side. This way is right
 * for all passes; real_rows.h has a faster one for those whose lanes hold the
 * whole axis. */
#ifndef STFI_FFT_PLACED_H
#define STFI_FFT_PLACED_H

#include "backends/cpu/fft/tile.h"

/* Reads real m of lane l. */
static real get_real(const port *p, int l, int64_t m)
{
    stfi_place at = stfi_place_of(p->side, m);

    return at.sign == 0 ? 0
                        : get_component(p, l, at.at * p->es) * (real)at.sign;
}

static void put_real(const port *p, int l, int64_t m, real value)
{
    stfi_place at = stfi_place_of(p->side, m);

    if (at.sign != 0)
        put_component(p, l, at.at * p->es, value * (real)at.sign);
}

/* Multiplies by root i of the turn. */
static void turn_value(const port *p, int64_t i, real *re, real *im)
{
    real wr = p->turn[2 * i], wi = p->turn[2 * i + 1], x = *re, y = *im;

    *re = x * wr - y * wi;
    *im = x * wi + y * wr;
}

/* 1 if elements that are loaded stand for their mirror images, too: stfi_form. */
static int is_doubled(const port *p)
{
    return p->side->limit > 0 && !p->out
           && (p->side->form == STFI_FORM_HALF
               || p->side->form == STFI_FORM_HC);
}

/* Reads element i of a half-complex signal, of which element `full` - i is the
 * conjugate. */
static void read_half_complex(const port *p, int l, int64_t i, real *re,
                              real *im)
{
    int64_t full = p->side->full, near = 2 * i > full ? full - i : i;
    int own = near == 0 || 2 * near == full; /* its own mirror image */

    *re = get_real(p, l, near);
    *im = own ? 0 : get_real(p, l, full - near);
    if (p->side->turn == STFI_TURN_QUARTER && 2 * near == full) {
        *re *= 2 * p->turn[2 * near];
    } else if (p->side->turn == STFI_TURN_QUARTER && !own) {
        turn_value(p, near, re, im);
        *im = -*im;
    }
    if (near != i)
        *im = -*im;
    if (is_doubled(p) && !own) {
        *re += *re;
        *im += *im;
    }
}

static void read_stored(const port *p, int l, int64_t i, real *re, real *im);

/* Reads the element of index i of lane l, as the transform has it. */
static void read_placed(const port *p, int l, int64_t i, real *re, real *im)
{
    if (p->out) {
        read_stored(p, l, i, re, im);
        return;
    }
    if (p->side->form == STFI_FORM_HC) {
        read_half_complex(p, l, i, re, im);
        return;
    }
    if (p->side->form == STFI_FORM_REAL) {
        *re = get_real(p, l, i);
        *im = 0;
        return;
    }
    *re = get_real(p, l, 2 * i);
    *im = get_real(p, l, 2 * i + 1);
    if (p->side->turn == STFI_TURN_FOUR)
        turn_value(p, i, re, im);
}

/* The square root of 2, which the turn EIGHTH multiplies by, and two parts of it, of
 * which the first has eight bits. */
#define ROOT2_L 1.41421356237309504880168872420969807857L
#define ROOT2_FIRST 1.4140625L
#define ROOT2_REST 0.00015106237309504880168872420969807857L
#define ROOT2 ((real)ROOT2_L)

/* Returns what a side multiplies by where it adds and subtracts components. The result
 * that is_one_root() is multiplied by scale_one(). */
static factor turn_factor(const stfi_side *side)
{
    if (side->turn != STFI_TURN_EIGHTH || is_one_root(side))
        return factor_from(1.0);
    return (factor){ROOT2, (real)(ROOT2_L - ROOT2)};
}

/* Returns x times a factor, rounded once. */
static real times_once(real x, factor f)
{
    const real y = _Generic(x, float
                            : fmaf, double
                            : fma, long double
                            : fmal)(x, f.high, x * f.low);

    return y == y && y != 0 ? y : x * f.high;
}

/* Multiplies the results of transforms of one real by the square root of 2 and by the
 * scale at once: the error of each rounding counts in full. A long double holds the
 * product of a double and the first part exactly. */
static void scale_one(const tile *t, real *results)
{
    const long double scale = t->cp->p.scaled ? (long double)t->run->scale : 1;
    const long double first = scale * ROOT2_FIRST, rest = scale * ROOT2_REST;
    factor f = {(real)(first + rest), 0};

    if (isfinite(f.high))
        f.low = (real)(first - (long double)f.high + rest);
    for (int l = 0; l < W; l++)
        results[l] = times_once(results[l], f);
}

/* Turns element i on its way out. */
static void turn_out(const port *p, int64_t i, real *re, real *im)
{
    real x = *re, y = *im;

    switch (p->side->turn) {
    case STFI_TURN_CAS:
    case STFI_TURN_EIGHTH:
        *re = (x - y) * turn_factor(p->side).high;
        *im = (x + y) * turn_factor(p->side).high;
        return;
    case STFI_TURN_QUARTER:
    case STFI_TURN_FOUR:
        turn_value(p, i, re, im);
        *re = 2 * *re;
        *im = -2 * *im;
        return;
    case STFI_TURN_IMAG: *re = -y; return;
    default: return;
    }
}

/* Undoes turn_out() of element i; `own` is 1 if it is its own mirror image,
 * which is real. */
static void turn_back(const port *p, int64_t i, int own, real *re, real *im)
{
    real x = *re, y = *im;
    real half = p->side->turn == STFI_TURN_EIGHTH ? ROOT2 / 4 : (real)0.5;

    switch (p->side->turn) {
    case STFI_TURN_CAS:
    case STFI_TURN_EIGHTH:
        *re = own ? 2 * x * half : (x + y) * half;
        *im = own ? 0 : (y - x) * half;
        return;
    case STFI_TURN_QUARTER:
    case STFI_TURN_FOUR:
        if (own) {
            *re = x / (2 * p->turn[2 * i]);
            return;
        }
        turn_value(p, i, &x, &y);
        *re = x * half;
        *im = -y * half;
        return;
    case STFI_TURN_IMAG: *im = -x; return;
    default: return;
    }
}

/* Stores the element of index i of lane l. */
static void store_placed(const port *p, int l, int64_t i, real re, real im)
{
    int64_t full = p->side->full;
    int own = p->side->form == STFI_FORM_HC && (i == 0 || 2 * i == full);

    im = own ? 0 : im;
    turn_out(p, i, &re, &im);
    if (p->side->form == STFI_FORM_PAIRS) {
        put_real(p, l, 2 * i, re);
        put_real(p, l, 2 * i + 1, im);
        return;
    }
    put_real(p, l, i, re);
    if (p->side->form == STFI_FORM_HC && !own)
        put_real(p, l, full - i, im);
}

/* Reads the parts of element i as store_placed() has stored them. What it does
 * not store is 0. */
static void read_parts(const port *p, int l, int64_t i, real *re, real *im)
{
    int64_t full = p->side->full;
    int own = p->side->form == STFI_FORM_HC && (i == 0 || 2 * i == full);

    *im = 0;
    if (p->side->form == STFI_FORM_PAIRS) {
        *re = get_real(p, l, 2 * i);
        *im = get_real(p, l, 2 * i + 1);
        return;
    }
    *re = get_real(p, l, i);
    if (p->side->form == STFI_FORM_HC && !own)
        *im = get_real(p, l, full - i);
}

/* Reads element i of what was stored, before its turn. */
static void read_stored(const port *p, int l, int64_t i, real *re, real *im)
{
    int own =
        p->side->form == STFI_FORM_HC && (i == 0 || 2 * i == p->side->full);

    read_parts(p, l, i, re, im);
    turn_back(p, i, own, re, im);
}

/* Read and store element i of a lane, of a side with an order or of complex
 * elements. */
static void read_any(const port *p, int l, int64_t i, real *re, real *im)
{
    if (p->side->order != STFI_ORDER_NONE) {
        read_placed(p, l, i, re, im);
        return;
    }
    *re = get_component(p, l, i * p->es);
    *im = get_component(p, l, i * p->es + 1);
}

static void store_any(const port *p, int l, int64_t i, real re, real im)
{
    if (p->side->order != STFI_ORDER_NONE) {
        store_placed(p, l, i, re, im);
        return;
    }
    put_component(p, l, i * p->es, re);
    put_component(p, l, i * p->es + 1, im);
}

#endif
