/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weighted sums over the elements of a transform, as one thread makes them. */
#ifndef STFK_E2E_ELEMENTS_H
#define STFK_E2E_ELEMENTS_H

#include "end_to_end/weighed.h"

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

/* ------------------------------------------------------------------ packs */

/* A pack is a few neighbours along the last axis, which one thread takes: their
 * addresses and those of their weights come from one, and may be read at once. Four terms
 * are added up in the precision of the data, those of `handful` packs. Several packs are
 * in flight: `rounds` of one transform or, in kernels for long transforms, one of each of
 * `together` transforms, whose weights are read once: those of a long transform take more
 * of the second-level cache's bandwidth than its data. */
constexpr int together = STFK_E2E_TOGETHER;
constexpr int pack = form == E2E_REAL ? 4 : 2;
constexpr int rounds =
    sizeof(real) == 4 || (form == E2E_COMPLEX && STFK_E2E_AXIS) ? 2 : 1;
constexpr int handful = form == E2E_REAL || rounds == 1 ? 1 : 2;

/* Where a pack is, and the weights that all of its elements share, those of the other
 * axes. */
struct place {
    wide at, k; /* the first element's distance from element 0, and its index */
    int left;   /* how many elements the pack has */
    cx w, mirrored;
    real share;
};

struct weights {
    cx w[pack], mirrored[pack];
};

struct values {
    cx x[pack];
};

/* A sum in the precision of the data. */
struct narrow_sum {
    real re, im, power;
};

/* Components of eight significant bits are packed into one word. */
STFK_DEVICE cx unpacked(unsigned both)
{
    return {(real)make_float(both << 16), (real)make_float(both & 0xffff0000u)};
}

STFK_DEVICE cx weight_at(const void *table, wide i)
{
    if (STFK_E2E_PACKED)
        return unpacked(load_word((const unsigned *)table + i));
    vec2<real> w = load_table((const vec2<real> *)table + i);
    return {w.x, w.y};
}

/* Reads two weights that follow each other; i is even. */
STFK_DEVICE void read_two(const void *table, wide i, cx *w)
{
    if (STFK_E2E_PACKED) {
        vec2<float> both =
            load_table((const vec2<float> *)((const float *)table + i));
        w[0] = unpacked(bits_of(both.x));
        w[1] = unpacked(bits_of(both.y));
        return;
    }
    vec2<vec2<real>> two =
        load_table((const vec2<vec2<real>> *)((const vec2<real> *)table + i));
    w[0] = {two.x.x, two.x.y};
    w[1] = {two.y.x, two.y.y};
}

/* Reads the weights of a pack; `full`: of all its elements. */
STFK_DEVICE void read_weights(const void *table, bool reversed, wide period,
                              const place &p, bool full, cx *w)
{
    if (full && !reversed) {
        STFK_UNROLL
        for (int j = 0; j < pack; j += 2)
            read_two(table, p.k + j, w + j);
        return;
    }
    STFK_UNROLL
    for (int j = 0; j < pack; j++)
        w[j] = full || j < p.left
                   ? weight_at(table, reversed ? period - p.k - j : p.k + j)
                   : cx{0, 0};
}

STFK_DEVICE weights weights_of(const stfk_e2e &a, const place &p, bool full)
{
    const int last = STFK_E2E_AXIS ? 0 : a.rank - 1;
    weights all;

    read_weights(a.weight[last], a.reversed, a.period[last], p, full, all.w);
    if (form == E2E_HALF)
        read_weights(a.weight[last], !a.reversed, a.period[last], p, full,
                     all.mirrored);
    return all;
}

STFK_DEVICE wide quotient(const stfk_e2e &a, wide i, int axis)
{
    return a.wide ? i / (axis + 1 < a.rank ? a.n[axis] : a.packs)
                  : (wide)((mulhi((unsigned)i, a.div[axis].mul) + (unsigned)i)
                           >> a.div[axis].shift);
}

/* An element of a half spectrum that is its own mirror image counts half. */
STFK_DEVICE real share_of(const stfk_e2e &a, int axis, wide k)
{
    return form == E2E_HALF && axis == a.half_axis
                   && (k == 0 || 2 * k == a.halved)
               ? (real)0.5
               : (real)1;
}

/* Takes index k of an axis that is not the last into account. */
STFK_DEVICE void shift(const stfk_e2e &a, int axis, wide k, place &p)
{
    const wide back = a.period[axis] - k;

    p.at += k * a.stride[axis];
    p.w = p.w * weight_at(a.weight[axis], a.reversed ? back : k);
    p.share *= share_of(a, axis, k);
    if (form == E2E_HALF)
        p.mirrored =
            p.mirrored * weight_at(a.weight[axis], a.reversed ? k : back);
}

/* Finds pack i of a transform; there is none from `end` on. */
STFK_DEVICE place find(const stfk_e2e &a, wide i, wide end)
{
    const int last = STFK_E2E_AXIS ? 0 : a.rank - 1;
    const bool there = i < end;
    i = there ? i : 0;
    const wide row = STFK_E2E_AXIS ? 0 : quotient(a, i, last);
    const wide k = (i - row * a.packs) * pack, left = a.n[last] - k;
    place p = {k * a.stride[last], k, 0, {1, 0}, {1, 0}, 1};

    p.left = !there ? 0 : left < pack ? (int)left : pack;
    i = row;
    for (int axis = last - 1; axis >= 0; axis--) {
        const wide rest = axis > 0 ? quotient(a, i, axis) : 0;
        shift(a, axis, i - (axis > 0 ? rest * a.n[axis] : 0), p);
        i = rest;
    }
    return p;
}

STFK_DEVICE cx load_value(const stfk_e2e &a, const stored *p)
{
    if (form == E2E_REAL)
        return {(real)load_near(p), 0};
    if (a.even) {
        vec2<stored> v = load_near((const vec2<stored> *)p);
        return {(real)v.x, (real)v.y};
    }
    return {(real)load_near(p), (real)load_near(p + 1)};
}

/* How packs are read: at once, of data that are aligned so; element by element, all at
 * known distances from the first; or only those that are there. */
enum { READ_AT_ONCE, READ_ALL, READ_SOME };

STFK_DEVICE int reading_of(const stfk_e2e &a, bool full)
{
    return !full      ? READ_SOME
           : a.vector ? READ_AT_ONCE
           : a.unit   ? READ_ALL
                      : READ_SOME;
}

template <int reading>
STFK_DEVICE values load_values(const stfk_e2e &a, const stored *base, int left)
{
    const wide stride = a.stride[STFK_E2E_AXIS ? 0 : a.rank - 1];
    constexpr int parts = form == E2E_REAL ? 1 : 2;
    values v;

    if constexpr (reading == READ_AT_ONCE) {
        const vec2<vec2<stored>> four =
            load_global((const vec2<vec2<stored>> *)base);
        const real x[4] = {(real)four.x.x, (real)four.x.y, (real)four.y.x,
                           (real)four.y.y};
        STFK_UNROLL
        for (int j = 0; j < pack; j++)
            v.x[j] = form == E2E_REAL ? cx{x[j], 0}
                                      : cx{x[2 * j % 4], x[(2 * j + 1) % 4]};
    } else if constexpr (reading == READ_ALL) {
        const stored *first = one_address(base);
        STFK_UNROLL
        for (int j = 0; j < pack; j++)
            v.x[j] = load_value(a, first + j * parts);
    } else {
        STFK_UNROLL
        for (int j = 0; j < pack; j++)
            v.x[j] = j < left ? load_value(a, base + j * stride) : cx{0, 0};
    }
    return v;
}

STFK_DEVICE real peak_of(const values &v, real most)
{
    STFK_UNROLL
    for (int j = 0; j < pack; j++) {
        real x = magnitude(v.x[j].x), y = magnitude(v.x[j].y);
        most = x > most ? x : most;
        if (form != E2E_REAL)
            most = y > most ? y : most;
    }
    return most;
}

/* Chooses the unit of a sum by the largest value that comes next, and returns it. */
STFK_DEVICE real unit_for(weighed &s, real most)
{
    typedef range<real> of;

    lower(s, most < of::low ? 1 : most < of::high ? 0 : -1);
    return s.unit > 0 ? of::up : s.unit < 0 ? of::down : (real)1;
}

/* Adds a pack of values. */
STFK_DEVICE void add_pack(const stfk_e2e &a, const place &p, const weights &all,
                          const values &v, narrow_sum &s)
{
    cx sum = {0, 0}, mirrored = {0, 0};

    STFK_UNROLL
    for (int j = 0; j < pack; j++) {
        cx x = v.x[j], w = all.w[j];
        real square = x.x * x.x;

        if (form != E2E_REAL)
            square += x.y * x.y;
        if (form == E2E_HALF) {
            real share =
                p.share * share_of(a, STFK_E2E_AXIS ? 0 : a.rank - 1, p.k + j);
            cx m = all.mirrored[j];
            square *= 2 * share;
            x = {x.x * share, x.y * share};
            mirrored.x += m.x * x.x + m.y * x.y;
            mirrored.y += m.y * x.x - m.x * x.y;
        }
        s.power += square;
        sum.x += w.x * x.x;
        sum.y += w.y * x.x;
        if (form != E2E_REAL) {
            sum.x -= w.y * x.y;
            sum.y += w.x * x.y;
        }
    }
    if (!STFK_E2E_AXIS) {
        sum = sum * p.w;
        mirrored = mirrored * p.mirrored;
    }
    s.re += sum.x + mirrored.x;
    s.im += sum.y + mirrored.y;
}

STFK_DEVICE void scale(values &v, real unit)
{
    STFK_UNROLL
    for (int j = 0; j < pack; j++)
        v.x[j] = {v.x[j].x * unit, v.x[j].y * unit};
}

/* Adds what was summed up of data as they are, and returns true, unless their squares
 * say that they were too large, or perhaps too small, for that. */
STFK_DEVICE bool widen(weighed &s, const narrow_sum &n)
{
    typedef range<real> of;
    const bool first = s.unit == 1 && s.power == 0;

    if (!(n.power < of::high * of::high
          && (s.unit == 0 || (first && n.power >= of::low * of::low))))
        return false;
    s.re = s.re + (double)n.re;
    s.im = s.im + (double)n.im;
    s.power += (double)n.power;
    s.unit = 0;
    return true;
}

/* Adds `count` packs in a unit that they need. */
template <int count>
STFK_DEVICE void widen_scaled(const stfk_e2e &a, const place *p,
                              const weights *all, values *v, weighed &s)
{
    narrow_sum n = {0, 0, 0};
    real most = 0;

    STFK_UNROLL
    for (int j = 0; j < count; j++)
        most = peak_of(v[j], most);
    const real unit = unit_for(s, most);
    STFK_UNROLL
    for (int j = 0; j < count; j++) {
        scale(v[j], unit);
        add_pack(a, p[j], all[j], v[j], n);
    }
    s.re = s.re + (double)n.re;
    s.im = s.im + (double)n.im;
    s.power += (double)n.power;
}

/* Packs of one transform, and what they have. */
struct some_packs {
    place p[rounds];
    weights w[rounds];
    values v[rounds];
};

template <int reading>
STFK_DEVICE void read(const stfk_e2e &a, const stored *base, some_packs &s)
{
    STFK_UNROLL
    for (int j = 0; j < rounds; j++) {
        s.v[j] = load_values<reading>(a, base + s.p[j].at, s.p[j].left);
        s.w[j] = weights_of(a, s.p[j], reading != READ_SOME);
    }
}

/* Sums up packs from, from + step, ... < end of the transform at `base`. */
STFK_DEVICE weighed sum_packs(const stfk_e2e &a, const stored *base, wide from,
                              wide end, int step)
{
    weighed s = nothing();

    for (wide i = from; i < end; i += rounds * step) {
        some_packs now;
        bool full = true;

        STFK_UNROLL
        for (int j = 0; j < rounds; j++) {
            now.p[j] = find(a, i + j * step, end);
            full = full && now.p[j].left == pack;
        }
        const int reading = reading_of(a, full);
        if (reading == READ_AT_ONCE)
            read<READ_AT_ONCE>(a, base, now);
        else if (reading == READ_ALL)
            read<READ_ALL>(a, base, now);
        else
            read<READ_SOME>(a, base, now);
        STFK_UNROLL
        for (int j = 0; j < rounds; j += handful) {
            narrow_sum sum = {0, 0, 0};
            STFK_UNROLL
            for (int k = j; k < j + handful; k++)
                add_pack(a, now.p[k], now.w[k], now.v[k], sum);
            if (!widen(s, sum))
                widen_scaled<handful>(a, now.p + j, now.w + j, now.v + j, s);
        }
    }
    return s;
}

template <int reading>
STFK_DEVICE void read_together(const stfk_e2e &a, const stored *at, int count,
                               int left, values *v)
{
    STFK_UNROLL
    for (int t = 0; t < together; t++)
        v[t] = load_values<reading>(
            a, at + (t < count ? t : count - 1) * a.dist, left);
}

/* The same for `count` transforms at once, which are a.dist apart. Behind the last of
 * them, it is read again. */
STFK_DEVICE void sum_together(const stfk_e2e &a, const stored *base, int count,
                              wide from, wide end, int step, weighed *s)
{
    for (wide i = from; i < end; i += step) {
        const place p = find(a, i, end);
        const int reading = reading_of(a, p.left == pack);
        values v[together];

        if (reading == READ_AT_ONCE)
            read_together<READ_AT_ONCE>(a, base + p.at, count, p.left, v);
        else if (reading == READ_ALL)
            read_together<READ_ALL>(a, base + p.at, count, p.left, v);
        else
            read_together<READ_SOME>(a, base + p.at, count, p.left, v);
        const weights w = weights_of(a, p, reading != READ_SOME);
        STFK_UNROLL
        for (int t = 0; t < together; t++) {
            narrow_sum sum = {0, 0, 0};
            add_pack(a, p, w, v[t], sum);
            if (!widen(s[t], sum))
                widen_scaled<1>(a, &p, &w, &v[t], s[t]);
        }
    }
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
