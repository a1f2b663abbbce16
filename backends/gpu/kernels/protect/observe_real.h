/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a trial sums up in a transform of reals. */
#ifndef STFK_OBSERVE_REAL_H
#define STFK_OBSERVE_REAL_H

#include "fft/balance.h"
#include "protect/observe.h"

namespace stfk
{

/* The factor of the second of two real signals, which have one residual;
 * lib/ft/instrument.h. */
STFK_DEVICE cx second_factor()
{
    return {(real)0.75, (real)0.625};
}

/* A sum over two real signals, which are added up apart: a product with a real or
 * with half of a weight takes fewer operations than one of both combined. */
struct sum_of_two {
    growing second;

    /* Clang does not inline one that it makes itself, and an object that is handed to a
     * function has to be in memory. */
    STFK_MEMBER sum_of_two()
    {
    }
    /* Adds the second signal's sum to `first`. */
    STFK_MEMBER void end(growing &first)
    {
        const sum_cx d = second.all().d;
        const cx c = second_factor();

        first.all();
        first.d.x += c.x * d.x - c.y * d.y;
        first.d.y += c.x * d.y + c.y * d.x;
    }
};

/* Two neighbouring weights of the row, by the address of pair `from`. */
STFK_DEVICE vec2<cx> row_pair_at(const trial &c, int i, int from)
{
    const vec2<vec2<real>> w =
        load_table(table_place<vec2<vec2<real>>>(c.a->check.row, from, i));

    return {{w.x.x, w.x.y}, {w.y.x, w.y.y}};
}

/* Two neighbouring elements of e, which are packed in four bytes each, by the
 * address of pair `from`. */
STFK_DEVICE vec2<cx> e_pair_at(const trial &c, int i, int from)
{
    const vec2<float> both =
        load_table(table_place<vec2<float>>(c.a->check.e, from, i));

    return {e_of(bits_of(both.x)), e_of(bits_of(both.y))};
}

/* Compilers look at the code of real transforms in others' kernels, too, where e
 * may be real. */
STFK_DEVICE cx as_complex(cx w)
{
    return w;
}

STFK_DEVICE cx as_complex(real w)
{
    return {w, 0};
}

/* The residual is that of the complex transform in the real one;
 * lib/ft/weights/network_fold.h. */
constexpr bool is_folded =
    by_lane && STFK_REAL_ROW && (STFK_OP == OP_R2C || STFK_OP == OP_C2R);

STFK_DEVICE real real_row_at(const trial &c, int j, int from)
{
    return load_table(table_place<real>(c.a->check.row, from, j));
}

/* The check of a lane whose signals are balanced is of these as they are then. Of one
 * that is not finite there are zeros, so that the lane has to be told of it. */
STFK_MEMBER void trial::loaded_balanced(bool bad)
{
    if (by_lane && bad)
        in.s = (sum)0 / (sum)0;
}

/* Returns results of both signals of a lane as they were before powers of two were
 * taken back, by the powers that the data were multiplied by: so the check covers what
 * took them back. */
STFK_DEVICE vec2<cx> as_balanced(int lane, const cx x[2])
{
    if constexpr (is_balanced()) {
        const vec2<real> up = powers_up()[lane];
        return {{x[0].x * up.x, x[0].y * up.x}, {x[1].x * up.y, x[1].y * up.y}};
    }
    return {x[0], x[1]};
}

/* Each input of R2C is a pair of neighbouring reals; each input of R2C_TWO
 * has one real of either signal. So have the outputs of C2R and C2R_TWO. */
template <int op, int R>
STFK_MEMBER void trial::loaded_reals(member m, const cx *v)
{
    if constexpr (by_lane) {
        const cx c = second_factor();

        if (!sums_loads())
            return;
        if (is_signed)
            signature -=
                is_lane(a, m.lane) ? a->load_factor * words_of<R>(m, v) : 0;
        sum_squares<R>(*this, m, v);
        each_held<R>(m.t, [&](int i, int b, int j) {
            int e = b + j * (N / R);
            if constexpr (is_folded) {
                in.sub(real_row_at(*this, e, m.t), v[i]);
            } else if (op == OP_R2C) {
                const vec2<cx> w = row_pair_at(*this, e, m.t);
                in.add(w.x, -v[i].x);
                in.add(w.y, -v[i].y);
            } else {
                in.sub(row_at(*this, e, m.t),
                       cx{v[i].x + c.x * v[i].y, c.y * v[i].y});
            }
        });
        end_load_sum(*this);
    }
}

template <int op, int R>
STFK_MEMBER void trial::stored_reals(member m, const cx *v)
{
    if constexpr (by_lane) {
        growing &sum = out[0];
        sum_of_two two;

        if (!sums_now())
            return;
        if (is_signed)
            signature +=
                is_lane(a, m.lane) ? a->store_factor * words_of<R>(m, v) : 0;
        const vec2<real> up =
            is_balanced() ? powers_up()[m.lane] : vec2<real>{1, 1};
        each_held<R>(m.t, [&](int i, int b, int j) {
            int e = b + j * (N / R);
            if constexpr (is_folded) {
                sum.add(as_complex(e_at(*this, e, m.t)), v[i]);
            } else if (op == OP_C2R) {
                const vec2<cx> w = e_pair_at(*this, e, m.t);
                sum.add(w.x, v[i].x);
                sum.add(w.y, v[i].y);
            } else {
                const cx w = as_complex(e_at(*this, e, m.t));
                sum.add(w, v[i].x * up.x);
                two.second.add(w, v[i].y * up.y);
            }
        });
        if (op != OP_C2R)
            two.end(sum);
    }
}

/* -------------------------------------------------------- half a spectrum */

/* Returns the second element of pair k, or 0 if the pair is only one element: it
 * counts as a term all the same, so that the compiler knows their number. */
STFK_DEVICE cx second_of_pair(int k, cx x)
{
    return N % 2 == 0 && 2 * k == N ? cx{0, 0} : x;
}

/* The weights of the real and the imaginary part of elements k and N - k. */
struct pair_weights {
    vec2<cx> x, y;
};

/* The root that joins or separates pair k, loaded by an address of which the compiler
 * does not know that others load the same: the one that makes the pair may be damaged. */
STFK_DEVICE cx root_again(const trial &c, int from, int k)
{
    const void *table = (const void *)separate_copy((long long)c.a->separate);

    return table_at(table_place<vec2<real>>(table, from, k), 0);
}

/* Those of a pair that C2R joins, whose table has p and m; see network_fold.h. */
STFK_DEVICE pair_weights joining_weights(const trial &c, int k, int own)
{
    const cx pm = row_at(c, k, own), w = root_again(c, own, k);
    const real p = pm.x, m = pm.y;
    const real mc = m * w.x, pc = p * w.x;

    return {{{p + m * w.y, pc}, {-mc, m + p * w.y}},
            {{p - m * w.y, -pc}, {-mc, p * w.y - m}}};
}

/* Those of a pair that R2C has separated, where e is f + i g. */
STFK_DEVICE pair_weights separating_weights(const trial &c, int k, int own)
{
    const cx e = as_complex(e_at(c, k, own)), w = root_again(c, own, k);
    const real u = e.x * w.x + e.y * w.y, v = e.x * w.y - e.y * w.x;

    return {{{e.x, u}, {-e.y, v}}, {{e.x, -u}, {e.y, v}}};
}

/* Sums up element k, which is stored as it is, or turned by a quarter: then it is
 * the conjugate of twice the product, and so are its weights made. */
STFK_DEVICE void sum_stored(trial &c, int k, int own, cx x)
{
    if constexpr (is_quarter<store_side>())
        c.out[0].add(table_at(table_place<vec2<real>>(c.a->check.e, own, k), 0),
                     conj(x));
    else
        c.out[0].add(e_at(c, k, own), x);
}

STFK_MEMBER void trial::sum_pair(int k, const cx *x)
{
    if (by_lane) {
        const int own = who<STORE_SUM_INTERLEAVE>().t;

        if constexpr (is_folded) {
            const pair_weights w = separating_weights(*this, k, own);
            const cx y = second_of_pair(k, x[1]);
            out[0].add(w.x.x, x[0].x);
            out[0].add(w.x.y, x[0].y);
            out[0].add(w.y.x, y.x);
            out[0].add(w.y.y, y.y);
            return;
        }
        sum_stored(*this, k, own, x[0]);
        sum_stored(*this, N - k, N - own, second_of_pair(k, x[1]));
    }
}

/* Faults of tests strike element k of a pair. */
STFK_MEMBER void trial::strike_pair(int stage, int lane, int k, cx *x) const
{
    if ((from_memory || is_signed) && !first && a->check.faults != 0)
        each_fault(*this, stage, [&](const stfk_fault &f) {
            if (f.lane == (wide)lane_number(a, lane) && f.element == k)
                *x = struck(*x, f);
        });
}

template <class Go> STFK_MEMBER void trial::strike_loaded(int k, cx *x) const
{
    if (is_signed)
        strike_pair(LOADED_STAGE, Go::lane(0), k, x);
}

/* The bits of a pair, which may be only one element. C2R does not turn its elements,
 * which the pass before has counted turned: that makes 2^31 of one element, nothing of
 * two. */
STFK_DEVICE unsigned word_of_pair(int k, cx x, cx y)
{
    constexpr unsigned turn = STFK_OP == OP_C2R ? 0x80000000u : 0;

    return word_of(x) + (2 * k == N ? turn : word_of(y));
}

STFK_MEMBER void trial::stored_pair(int k, cx *x)
{
    const int lane = who<STORE_SUM_INTERLEAVE>().lane;

    if (sums_now())
        sum_pair(k, x);
    if (signs())
        signature += is_lane(a, lane)
                         ? a->store_factor * word_of_pair(k, x[0], x[1])
                         : 0;
    strike_pair(STORED_STAGE, lane, k, x);
}

/* Sums up element k of half a spectrum by the weights of its real and its imaginary
 * part, of which the latter is 0 where that part is; lib/ft/instrument.h. */
STFK_DEVICE void sum_half(growing &sum, const vec2<cx> &w, cx x)
{
    sum.add(w.x, -x.x);
    sum.add(w.y, -x.y);
}

/* Sums up element k of a half-complex spectrum by the weights of its reals, of
 * which turns are a part. */
STFK_DEVICE void sum_reals(trial &c, int k, int own, bool at_end, cx x)
{
    c.in.add(row_at(c, k, own), -x.x);
    if (!at_end)
        c.in.add(row_at(c, 2 * N - k, 2 * N - own), -x.y);
}

/* The real elements of half a spectrum count half as much as the others, in its
 * norm as in its sum. Norms are summed up by halves. */
constexpr real HALF_ROOT = (real)0.70710678118654752;

/* Adds element k of half a spectrum to the sum and to the half of the squared norm
 * of the whole one. At an end the imaginary part, which may be anything, has no
 * effect. */
STFK_DEVICE void add_half(growing &sum, growing &norm, const vec2<cx> &w,
                          bool at_end, cx x, real unit)
{
    const cx z = {x.x, at_end ? 0 : x.y};

    norm.square({at_end ? HALF_ROOT * z.x : z.x, z.y}, unit);
    sum_half(sum, w, z);
}

/* The same for a half-complex spectrum, whose element k is before its turn. That of a
 * quarter doubles the square of the last one. */
STFK_DEVICE void add_reals(trial &c, int k, int own, bool at_end, cx x,
                           real unit)
{
    const bool halved = at_end && !(is_quarter<load_side>() && k == N);

    c.in.square({halved ? HALF_ROOT * x.x : x.x, at_end ? 0 : x.y}, unit);
    sum_reals(c, k, own, at_end, x);
}

STFK_DEVICE void add_element(trial &c, int k, int own, bool at_end, cx x,
                             real unit)
{
    if (load_side::form == FORM_HC)
        add_reals(c, k, own, at_end, x, unit);
    else
        add_half(c.in, c.in, row_pair_at(c, k, own), at_end, x, unit);
}

/* Sums up elements k and N - k of half a spectrum, of which this thread has those of
 * Go; end_pairs() comes after the last pair. */
template <class Go> STFK_MEMBER void trial::loaded_pair(int k, cx x, cx y)
{
    if constexpr (by_lane) {
        const real unit = unit_of(*this, 0, Go::lane(0));
        const int own = Go::element(0);

        if (!sums_loads())
            return;
        if (is_signed)
            signature -= is_lane(a, Go::lane(0))
                             ? a->load_factor * word_of_pair(k, x, y)
                             : 0;
        if constexpr (is_folded) {
            const pair_weights w = joining_weights(*this, k, own);
            add_half(in, in, w.x, k == 0, x, unit);
            add_half(in, in, w.y, k == 0, second_of_pair(k, y), unit);
            return;
        }
        add_element(*this, k, own, k == 0, x, unit);
        if (load_side::form != FORM_HC || 2 * k != N)
            add_element(*this, N - k, N - own, k == 0, second_of_pair(k, y),
                        unit);
    }
}

STFK_MEMBER void trial::end_pairs()
{
    if constexpr (by_lane) {
        if (!sums_loads())
            return;
        in.all();
        in.s += in.s;
        end_load_sum(*this);
    }
}

template <class Go> STFK_MEMBER void trial::loaded_halves(cx *x, const cx *y)
{
    STFK_UNROLL
    for (int q = 0; q < Go::rounds; q++) {
        if (!Go::has(q))
            continue;
        strike_loaded<Go>(Go::element(q), x + q);
        loaded_pair<Go>(Go::element(q), x[q], y[q]);
    }
    end_pairs();
}

/* ------------------------------------------------------------ two spectra */

/* Both spectra as they are summed up. */
STFK_DEVICE cx both_of(int lane, const cx *x)
{
    const vec2<cx> z = as_balanced(lane, x);

    return z.x + second_factor() * z.y;
}

STFK_MEMBER void trial::stored_two(int k, const cx *x)
{
    if (by_lane) {
        const member m = who<STORE_SUM_INTERLEAVE>();

        out[0].add(e_at(*this, k, m.t), both_of(m.lane, x));
    }
}

/* The same of elements that were multiplied by t before they are stored. */
STFK_MEMBER void trial::stored_two(int k, const cx *x, const cx &t)
{
    if (by_lane) {
        const member m = who<STORE_SUM_INTERLEAVE>();

        out[0].add(as_complex(e_at(*this, k, m.t)) * conj(t),
                   both_of(m.lane, x));
    }
}

/* Returns the weights of both reals of element k of a loaded spectrum. */
STFK_DEVICE vec2<cx> weights_of_half(const trial &c, int k, int own)
{
    if constexpr (load_side::form == FORM_HC)
        return {as_complex(row_at(c, k, own)),
                as_complex(row_at(c, k == 0 ? 0 : N - k, N - own))};
    return row_pair_at(c, k, own);
}

/* Sums up elements k of both spectra. */
template <class Go> STFK_MEMBER void trial::loaded_two(const cx *x, const cx *y)
{
    if constexpr (by_lane) {
        const real unit = unit_of(*this, 0, Go::lane(0));
        sum_of_two two;

        STFK_UNROLL
        for (int q = 0; q < Go::rounds; q++) {
            int k = Go::element(q);
            const bool at_end = k == 0 || 2 * k == N;
            if (!Go::has(q))
                continue;
            const vec2<cx> w = weights_of_half(*this, k, Go::element(0));
            add_half(in, in, w, at_end, x[q], unit);
            add_half(two.second, in, w, at_end, y[q], unit);
        }
        in.all();
        in.s += in.s;
        two.end(in);
        end_load_sum(*this);
    }
}

} // namespace stfk

#endif
