/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks from input to output: weighted sums over whole transforms, first of
 * the input, then of the output, and what their difference says. What is
 * summed: lib/ft/offline.h; verdicts and findings: lib/ft/threshold.h,
 * lib/ft/outcome.h. The host waits for nothing: whether a transform is
 * computed again is a word in device memory that later launches look at.
 *
 * Sums are made in an order that depends on nothing but the lengths, so that
 * the same data have the same sums. A few terms are added in the precision of
 * the data, these in double; where data are doubles, too, what is rounded off
 * then is added up beside the sum, or the rounding of a large sum would be
 * taken for that of the transform. */
#ifndef STFK_E2E_H
#define STFK_E2E_H

#define STFK_ARGS stfk_e2e

#include "common/complex.h"
#include "fft/args.h"
#include "end_to_end/end_to_end_args.h"

namespace stfk
{

typedef STFK_REAL real;
typedef complex<real> cx;
typedef long long wide;

/* What an element is: complex, real, or one of a half spectrum, of which the
 * mirror image counts too. */
enum { E2E_COMPLEX, E2E_REAL, E2E_HALF };
/* What a kernel does: it sums up elements, or partial sums, or says what came
 * of an execution. */
enum { E2E_SUM, E2E_FOLD, E2E_CONCLUDE };

constexpr int form = STFK_E2E_FORM;
constexpr int B = STFK_E2E_THREADS;

/* Data between `low` and `high` are summed as they are; smaller ones times
 * `up`, larger ones times `down`. */
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

/* A sum while it grows, in two parts: Moller's and Knuth's exact addition. */
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

/* In a unit that larger data need. */
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

/* One of the terms that are added together: the element, and its weights. */
struct term {
    cx x, w, mirrored;
    real share;
};

/* Numbers of eight bits lie in one word. */
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

STFK_DEVICE cx load_value(const stfk_e2e &a, const real *p)
{
    if (form == E2E_REAL)
        return {load_global(p), 0};
    if (a.vector) {
        vec2<real> v = load_global((const vec2<real> *)p);
        return {v.x, v.y};
    }
    return {load_global(p), load_global(p + 1)};
}

/* Element i of a transform. */
STFK_DEVICE term find(const stfk_e2e &a, const real *base, wide i)
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

/* A few terms, in the precision of the data. */
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

/* Elements from, from + step, ... of a transform. */
STFK_DEVICE weighed sum_elements(const stfk_e2e &a, wide t, wide from, wide end,
                                 int step)
{
    const real *base = (const real *)a.base + t * a.dist;
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

/* ------------------------------------------------------------ whole blocks */

/* Which transform of its block a thread works on, and which part of it. */
struct worker {
    int transform, part;
};

STFK_DEVICE worker who(const stfk_e2e &a)
{
    const int i = (int)thread_index(), transforms = B / a.parts;

    return a.across ? worker{i % transforms, i / transforms}
                    : worker{i / a.parts, i % a.parts};
}

STFK_DEVICE part exchanged(part a, int mask)
{
    return {shuffle_xor(a.high, mask),
            sizeof(real) == 8 ? shuffle_xor(a.low, mask) : 0};
}

STFK_DEVICE weighed exchanged(weighed s, int mask)
{
    return s
           + weighed{exchanged(s.re, mask), exchanged(s.im, mask),
                     shuffle_xor(s.power, mask), shuffle_xor(s.unit, mask)};
}

/* What all parts come to; known to part 0, to which it returns 1. */
STFK_DEVICE bool gather(const stfk_e2e &a, worker w, weighed &s)
{
    const int groups = a.parts / a.near;
    stfk_e2e_sum *slot = (stfk_e2e_sum *)shared_memory() + w.transform * groups;

    for (int m = 1; m < a.near; m *= 2)
        s = exchanged(s, m * (a.across ? B / a.parts : 1));
    if (groups == 1)
        return w.part == 0;
    if (w.part % a.near == 0)
        to_memory(slot + w.part / a.near, s);
    block_sync();
    if (w.part != 0)
        return false;
    for (int g = 1; g < groups; g++)
        s = s + from_memory(slot[g]);
    return true;
}

/* ---------------------------------------------------------------- verdicts */

/* v * 2^n */
STFK_DEVICE double scaled(double v, int n)
{
    for (; n < -1000 && v != 0; n += 1000)
        v *= 0x1p-1000;
    for (; n > 1000; n -= 1000)
        v *= 0x1p1000;
    return v == 0 ? v : v * from_bits((count_t)(n + 1023) << 52);
}

STFK_DEVICE part scaled(part a, int n)
{
    return {scaled(a.high, n), scaled(a.low, n)};
}

STFK_DEVICE double difference(const stfk_e2e &a, part out, part in)
{
    return fma(-a.scale, in.high, out.high) + fma(-a.scale, in.low, out.low);
}

/* A residual, the norm and the floor of its bound, in one unit. */
struct residual {
    double re, im, norm, floor;
};

STFK_DEVICE residual subtract(const stfk_e2e &a, const weighed &in,
                              const weighed &out)
{
    int in_unit = in.unit * a.step, out_unit = out.unit * a.step + a.exponent;
    int unit = in_unit < out_unit ? in_unit : out_unit;
    residual d;

    d.re = difference(a, scaled(out.re, unit - out_unit),
                      scaled(in.re, unit - in_unit));
    d.im = difference(a, scaled(out.im, unit - out_unit),
                      scaled(in.im, unit - in_unit));
    d.norm = scaled(square_root(in.power), unit - in_unit);
    d.floor = scaled(a.floor, a.floor_shift + unit);
    return d;
}

STFK_DEVICE double length_of(const residual &d)
{
    double x = magnitude(d.re), y = magnitude(d.im);
    double most = x > y ? x : y, least = x > y ? y : x;
    double q = most > 0 ? least / most : 0;

    return is_finite(d.re) && is_finite(d.im) ? most * square_root(1 + q * q)
                                              : 1 / 0.0;
}

/* Comparisons are negated: NaN exceeds any bound. */
STFK_DEVICE int judge(const stfk_e2e &a, const residual &d, double *ratio)
{
    const double one = a.slope * d.norm, size = length_of(d);
    const double tau = STFK_FAULTY_AT * one + d.floor;

    *ratio = size == 0 ? 0 : size / tau;
    if (!is_finite(d.norm)) {
        *ratio = 0 / 0.0;
        return STFI_FT_UNVERIFIABLE;
    }
    if (!(size <= tau))
        return STFI_FT_FAULTY;
    return !(size <= STFK_SUSPECT_AT * one + d.floor) ? STFI_FT_SUSPICIOUS
                                                      : STFI_FT_CLEAN;
}

/* Takes the residual of another execution into account. */
STFK_DEVICE void remember(stfk_history &h, const residual &d, int verdict,
                          double ratio)
{
    if (verdict != STFI_FT_CLEAN && !h.state.alarmed)
        h.ratio = ratio;
    stfi_ft_observe(&h.state, verdict,
                    STFI_FT_IS_SAME(d.re, h.re) && STFI_FT_IS_SAME(d.im, h.im));
    h.re = d.re;
    h.im = d.im;
}

/* The largest residual, of those that are finite. */
STFK_DEVICE void note_ratio(const stfk_e2e &a, double ratio)
{
    const float most = 0x1.fffffep127f;
    float r = ratio < (double)most ? (float)ratio : most;

    if (is_finite(ratio) && r > make_float(a.ledger->worst))
        atomic_max(&a.ledger->worst, bits_of(r));
}

STFK_DEVICE void look(const stfk_e2e &a, wide t, const weighed &out)
{
    residual d = subtract(a, from_memory(a.account[t]), out);
    stfk_history h = {0, 0, 0, {0, 0, 0, 0, 0}, {0, 0, 0}};
    double ratio;
    int verdict = judge(a, d, &ratio);

    if (a.execution > 0)
        h = a.history[t];
    remember(h, d, verdict, ratio);
    a.history[t] = h;
    note_ratio(a, ratio);
    if (verdict == STFI_FT_CLEAN)
        return;
    atomic_add(&a.retry_flags->alarms, 1);
    if (!stfi_ft_is_settled(&h.state))
        atomic_add(&a.retry_flags->unsettled[a.execution], 1);
}

STFK_DEVICE void deliver(const stfk_e2e &a, wide t, wide chunk,
                         const weighed &s)
{
    if (a.chunks > 1)
        to_memory(&a.partial[t * a.chunks + chunk], s);
    else if (!a.output)
        to_memory(&a.account[t], s);
    else
        look(a, t, s);
}

/* ---------------------------------------------------------------- findings */

STFK_DEVICE stfi_ft_remedy remedy_of(const stfk_e2e &a)
{
    return !a.correct     ? STFI_FT_REPORT_ONLY
           : a.repeatable ? STFI_FT_REPEAT
                          : STFI_FT_NO_INPUT;
}

STFK_DEVICE void note(const stfk_e2e &a, wide t)
{
    const stfk_history h = a.history[t];
    const stfi_ft_outcome found =
        stfi_ft_conclude(&h.state, remedy_of(a), !(h.ratio <= 1),
                         is_finite(h.re) && is_finite(h.im));
    stfk_e2e_ledger *ledger = a.ledger;
    count_t i;

    if (found == STFI_FT_CHECKED)
        return;
    if (found != STFI_FT_DETECTED)
        atomic_add(&ledger->count[found], 1);
    if (!stfi_ft_is_fault(found))
        return;
    atomic_add(&ledger->count[STFI_FT_DETECTED], 1);
    i = atomic_take(&ledger->events, 1);
    if (i < STFK_EVENTS) {
        ledger->event[i].signal = a.first_signal + t;
        ledger->event[i].residual = h.ratio;
    }
}

/* One block, which notes transforms in their order. */
STFK_DEVICE void conclude(const stfk_e2e &a)
{
    if (a.retry_flags->alarms == 0)
        return;
    for (wide first = 0; first < a.batch; first += B) {
        wide t = first + (wide)thread_index();
        if (!block_any(t < a.batch && a.history[t].state.alarmed))
            continue;
        for (int i = 0; i < B && thread_index() == 0; i++)
            if (first + i < a.batch)
                note(a, first + i);
    }
}

/* Blocks take turns with transforms, and with chunks of long ones. */
template <int what> STFK_DEVICE void add_up(const stfk_e2e &a)
{
    const worker w = who(a);
    const int transforms = B / a.parts;
    const wide all = (a.batch + transforms - 1) / transforms * a.chunks;

    for (wide b = block_index(); b < all; b += block_count()) {
        wide chunk = a.chunks > 1 ? b % a.chunks : 0;
        wide t = (a.chunks > 1 ? b / a.chunks : b) * transforms + w.transform;
        wide end = (chunk + 1) * a.chunk;
        weighed s = nothing();

        end = end < a.elements ? end : a.elements;
        if (t < a.batch)
            s = what == E2E_SUM
                    ? sum_elements(a, t, chunk * a.chunk + w.part, end, a.parts)
                    : sum_partial(a, t, w.part, end, a.parts);
        if (gather(a, w, s) && t < a.batch)
            deliver(a, t, chunk, s);
        if (a.near < a.parts)
            block_sync();
    }
}

/* What one thread of a launch does. */
template <int what> STFK_DEVICE void keep_books(const stfk_e2e &a)
{
    if (block_index() != 0 || thread_index() != 0)
        return;
    if (a.output && a.chunks == 1 && a.execution == 0)
        atomic_add(&a.ledger->count[STFK_CHECKED], (count_t)a.batch);
    if (a.output || what == E2E_FOLD)
        return;
    for (int i = 0; i < STFK_EXECUTIONS; i++)
        a.retry_flags->unsettled[i] = 0;
    a.retry_flags->alarms = 0;
}

template <int what> STFK_DEVICE void run(const stfk_e2e &a)
{
    if (a.gate != 0 && *a.gate == 0)
        return;
    if constexpr (what == E2E_CONCLUDE) {
        conclude(a);
    } else {
        keep_books<what>(a);
        add_up<what>(a);
    }
}

} // namespace stfk

#endif
