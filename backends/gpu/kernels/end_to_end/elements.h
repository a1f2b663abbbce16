/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weighted sums over the elements of a transform, as one thread makes them.
 *
 * The order of additions depends on nothing but the lengths, so that the
 * same data always have the same sums. A few terms are added in the
 * precision of the data, and such partial sums in double. If the data are
 * doubles themselves, the rounding errors of these sums are added up, too:
 * otherwise the rounding of a large sum would be taken for an error of the
 * transform. */
#ifndef STFK_E2E_ELEMENTS_H
#define STFK_E2E_ELEMENTS_H

#define STFK_ARGS stfk_e2e

#include "common/types.h"
#include "fft/args.h"
#include "end_to_end/end_to_end_args.h"

namespace stfk
{

/* What an element is: complex, real, or one of a half spectrum, whose mirror
 * image is summed up, too. */
enum { E2E_COMPLEX, E2E_REAL, E2E_HALF };
/* What a kernel does: it sums up elements, sums up partial sums, or
 * concludes what happened in an execution. */
enum { E2E_SUM, E2E_FOLD, E2E_CONCLUDE };

constexpr int form = STFK_E2E_FORM;
constexpr int B = STFK_E2E_THREADS;

/* Data between `low` and `high` are summed up as they are, smaller ones
 * times `up`, larger ones times `down`. */
template <class T> struct range;
template <> struct range<float> {
    static constexpr float low = 0x1p-45f, high = 0x1p45f;
    static constexpr float up = 0x1p90f, down = 0x1p-90f;
};
template <> struct range<double> {
    static constexpr double low = 0x1p-300, high = 0x1p300;
    static constexpr double up = 0x1p600, down = 0x1p-600;
};

STFK_DEVICE double magnitude(double v)
{
    return v < 0 ? -v : v;
}
STFK_DEVICE float magnitude(float v)
{
    return v < 0 ? -v : v;
}
STFK_DEVICE bool is_finite(double v)
{
    return v - v == 0;
}

/* A sum while it grows, in two parts: the sum, and the rounding errors of
 * its additions, which are found exactly. Source: Moller's and Knuth's
 * addition. */
struct part {
    double high, low;
};

STFK_DEVICE part operator+(part a, double b)
{
    double sum = a.high + b;

    if (sizeof(real) == 8) {
        double z = sum - a.high;
        a.low += (a.high - (sum - z)) + (b - z);
    }
    return {sum, a.low};
}

STFK_DEVICE part operator+(part a, part b)
{
    part sum = a + b.high;

    return {sum.high, sum.low + b.low};
}

STFK_DEVICE part operator*(part a, double b)
{
    return {a.high * b, a.low * b};
}

struct weighed {
    part re, im;
    double power;
    int unit;
};

STFK_DEVICE weighed nothing()
{
    return {{0, 0}, {0, 0}, 0, 1};
}

/* Converts a sum to a lower unit, as larger data need. */
STFK_DEVICE void lower(weighed &s, int unit)
{
    const double down = (double)range<real>::down;

    while (s.unit > unit) {
        s.re = s.re * down;
        s.im = s.im * down;
        s.power = s.power * down * down;
        s.unit--;
    }
}

STFK_DEVICE weighed operator+(weighed a, weighed b)
{
    lower(a, b.unit);
    lower(b, a.unit);
    return {a.re + b.re, a.im + b.im, a.power + b.power, a.unit};
}

STFK_DEVICE weighed from_memory(const stfk_e2e_sum &m)
{
    return {{m.re, m.low_re}, {m.im, m.low_im}, m.power, (int)m.unit};
}

STFK_DEVICE void to_memory(stfk_e2e_sum *m, const weighed &s)
{
    *m = {s.re.high, s.im.high, s.re.low, s.im.low, s.power, s.unit};
}

/* --------------------------------------------------------------- elements */

/* One of the terms that are added up: an element and its weights. */
struct term {
    cx x, w, mirrored;
    real share;
};

/* Returns weight i. Components of eight significant bits are packed into one
 * word. */
STFK_DEVICE cx weight_at(const void *table, wide i)
{
    if (STFK_E2E_PACKED) {
        unsigned both = load_word((const unsigned *)table + i);
        return {(real)make_float(both << 16),
                (real)make_float(both & 0xffff0000u)};
    }
    vec2<real> w = load_table((const vec2<real> *)table + i);
    return {w.x, w.y};
}

STFK_DEVICE wide quotient(const stfk_e2e &a, wide i, int axis)
{
    return a.wide ? i / a.n[axis]
                  : (wide)((mulhi((unsigned)i, a.div[axis].mul) + (unsigned)i)
                           >> a.div[axis].shift);
}

STFK_DEVICE cx load_value(const stfk_e2e &a, const stored *p)
{
    if (form == E2E_REAL)
        return {(real)load_global(p), 0};
    if (a.vector) {
        vec2<stored> v = load_global((const vec2<stored> *)p);
        return {(real)v.x, (real)v.y};
    }
    return {(real)load_global(p), (real)load_global(p + 1)};
}

/* Finds element i of a transform and its weights. */
STFK_DEVICE term find(const stfk_e2e &a, const stored *base, wide i)
{
    const int rank = STFK_E2E_AXIS ? 1 : a.rank;
    term e = {{0, 0}, {1, 0}, {1, 0}, 1};

    for (int axis = rank - 1; axis >= 0; axis--) {
        wide rest = axis > 0 ? quotient(a, i, axis) : 0;
        wide k = i - (axis > 0 ? rest * a.n[axis] : 0);
        wide back = a.period[axis] - k;
        cx w = weight_at(a.weight[axis], a.reversed ? back : k);
        bool last = axis == rank - 1;

        base += k * a.stride[axis];
        e.w = last ? w : e.w * w;
        if (form == E2E_HALF) {
            cx m = weight_at(a.weight[axis], a.reversed ? k : back);
            e.mirrored = last ? m : e.mirrored * m;
            if (axis == a.half_axis && (k == 0 || 2 * k == a.halved))
                e.share = (real)0.5;
        }
        i = rest;
    }
    e.x = load_value(a, base);
    return e;
}

/* A few terms, which are added up in the precision of the data. */
struct handful {
    enum { TERMS = 4 };
    term e[TERMS];

    STFK_MEMBER real peak() const
    {
        real most = 0;
        STFK_UNROLL
        for (int j = 0; j < TERMS; j++) {
            real x = magnitude(e[j].x.x), y = magnitude(e[j].x.y);
            most = x > most ? x : most;
            most = y > most ? y : most;
        }
        return most;
    }
    STFK_MEMBER void add_to(weighed &s) const
    {
        typedef range<real> of;
        real most = peak(), re = 0, im = 0, power = 0, unit;

        lower(s, most < of::low ? 1 : most < of::high ? 0 : -1);
        unit = s.unit > 0 ? of::up : s.unit < 0 ? of::down : (real)1;
        STFK_UNROLL
        for (int j = 0; j < TERMS; j++) {
            real share = form == E2E_HALF ? e[j].share : 1;
            cx w = e[j].w, m = e[j].mirrored;
            cx x = {e[j].x.x * unit, e[j].x.y * unit};
            real square = x.x * x.x;
            if (form != E2E_REAL)
                square += x.y * x.y;
            power += form == E2E_HALF ? 2 * share * square : square;
            x = {x.x * share, x.y * share};
            re += w.x * x.x;
            im += w.y * x.x;
            if (form != E2E_REAL) {
                re -= w.y * x.y;
                im += w.x * x.y;
            }
            if (form == E2E_HALF) {
                re += m.x * x.x;
                re += m.y * x.y;
                im += m.y * x.x;
                im -= m.x * x.y;
            }
        }
        s.re = s.re + (double)re;
        s.im = s.im + (double)im;
        s.power += (double)power;
    }
};

/* Sums up elements from, from + step, ... < end of transform t. */
STFK_DEVICE weighed sum_elements(const stfk_e2e &a, wide t, wide from, wide end,
                                 int step)
{
    const stored *base = (const stored *)a.base + t * a.dist;
    weighed s = nothing();

    for (wide i = from; i < end; i += handful::TERMS * step) {
        handful h;
        STFK_UNROLL
        for (int j = 0; j < handful::TERMS; j++)
            h.e[j] = i + j * step < end ? find(a, base, i + j * step)
                                        : term{{0, 0}, {0, 0}, {0, 0}, 1};
        h.add_to(s);
    }
    return s;
}

STFK_DEVICE weighed sum_partial(const stfk_e2e &a, wide t, wide from, wide end,
                                int step)
{
    const stfk_e2e_sum *partial = a.partial + t * a.elements;
    weighed s = nothing();

    for (wide i = from; i < end; i += step)
        s = s + from_memory(partial[i]);
    return s;
}

} // namespace stfk

#endif
