/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a trial sums up in a transform of reals. */
#ifndef STFK_OBSERVE_REAL_H
#define STFK_OBSERVE_REAL_H

#include "protect/observe.h"

namespace stfk
{

/* Combines two real signals, which have one residual; lib/ft/instrument.h. */
STFK_DEVICE cx two_as_one(cx a, cx b)
{
    const real re = (real)0.75, im = (real)0.625;

    return {a.x + (re * b.x - im * b.y), a.y + (re * b.y + im * b.x)};
}

STFK_DEVICE cx two_as_one(real a, real b)
{
    return {a + (real)0.75 * b, (real)0.625 * b};
}

/* Each input of R2C is a pair of neighbouring reals; each input of R2C_TWO
 * has one real of either signal. So have the outputs of C2R and C2R_TWO. */
template <int op, int R>
STFK_MEMBER void trial::loaded_reals(member m, const cx *v)
{
    if constexpr (by_lane) {
        sum_squares<R>(*this, m, v);
        each_held<R>(m.t, [&](int i, int b, int j) {
            int e = b + j * (N / R);
            if (op == OP_R2C) {
                in.add(row_at(*this, 2 * e), -v[i].x);
                in.add(row_at(*this, 2 * e + 1), -v[i].y);
            } else {
                in.sub(row_at(*this, e), two_as_one(v[i].x, v[i].y));
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

        each_held<R>(m.t, [&](int i, int b, int j) {
            int e = b + j * (N / R);
            if (op == OP_C2R) {
                sum.add(e_at(*this, 2 * e), v[i].x);
                sum.add(e_at(*this, 2 * e + 1), v[i].y);
            } else {
                sum.add(e_at(*this, e), two_as_one(v[i].x, v[i].y));
            }
        });
    }
}

/* -------------------------------------------------------- half a spectrum */

STFK_MEMBER void trial::stored_pair(int k, const cx *x)
{
    if (by_lane) {
        out[0].add(e_at(*this, k), x[0]);
        if (2 * k != N)
            out[0].add(e_at(*this, N - k), x[1]);
    }
}

/* Sums up element k of the N + 1 elements of a spectrum X of 2N reals, as
 * row[-k] X + row[k] conj X. The first and the last are real, and count half
 * of that. */
STFK_DEVICE void sum_half(trial &c, int k, cx x)
{
    const int mirror = k == 0 ? 0 : 2 * N - k;
    if (k == 0 || k == N) {
        c.in.add(row_at(c, k), -x.x);
    } else {
        c.in.sub(row_at(c, mirror), x);
        c.in.sub(row_at(c, k), conj(x));
    }
}

/* Sums up element k of a half-complex spectrum by the weights of its reals, of
 * which turns are a part. Elements that are turned apart are conjugates. */
STFK_DEVICE void sum_reals(trial &c, int k, cx x)
{
    c.in.add(row_at(c, k), -x.x);
    if (k != 0 && k != N)
        c.in.add(row_at(c, 2 * N - k),
                 is_turned_apart<load_side>() ? x.y : -x.y);
}

/* Adds to the squared norm of the whole spectrum, where all elements but the
 * first and the last count twice. */
STFK_DEVICE void add_half_square(growing &sum, int k, cx x, real unit)
{
    if (k == 0 || k == N)
        sum.square({x.x, 0}, unit);
    else
        sum.square(x, unit * (real)1.4142135623730951);
}

/* Adds element k, before its turn, to the sums of its spectrum. */
STFK_DEVICE void add_half(trial &c, int k, cx x, real unit)
{
    if (is_turned_apart<load_side>()) /* the last one is x - ix */
        c.in.square(x,
                    k == 0 || k == N ? unit : unit * (real)1.4142135623730951);
    else
        add_half_square(c.in, k, x, unit);
    if (load_side::form == FORM_HC)
        sum_reals(c, k, x);
    else
        sum_half(c, k, x);
}

template <class Go>
STFK_MEMBER void trial::loaded_halves(const cx *x, const cx *y)
{
    if constexpr (by_lane) {
        const real unit = unit_of(*this, 0, Go::lane(0));

        STFK_UNROLL
        for (int q = 0; q < Go::rounds; q++) {
            int k = Go::element(q);
            if (!Go::has(q))
                continue;
            add_half(*this, k, x[q], unit);
            if (2 * k != N)
                add_half(*this, N - k, y[q], unit);
        }
        end_load_sum(*this);
    }
}

/* ------------------------------------------------------------ two spectra */

STFK_MEMBER void trial::stored_two(int k, const cx *x)
{
    if (by_lane)
        out[0].add(e_at(*this, k), two_as_one(x[0], x[1]));
}

/* Sums up elements k of both spectra, combined as X, as row[-k] X + row[k]
 * conj X. The first and the last are real, and count half of that. */
template <class Go> STFK_MEMBER void trial::loaded_two(const cx *x, const cx *y)
{
    if constexpr (by_lane) {
        const real unit = unit_of(*this, 0, Go::lane(0));
        const real twice = (real)1.4142135623730951; /* doubles squares */

        STFK_UNROLL
        for (int q = 0; q < Go::rounds; q++) {
            int k = Go::element(q);
            if (!Go::has(q))
                continue;
            if (k == 0 || 2 * k == N) {
                in.square({x[q].x, y[q].x}, unit);
                in.sub(row_at(*this, k), two_as_one(x[q].x, y[q].x));
            } else {
                in.square(x[q], twice * unit);
                in.square(y[q], twice * unit);
                in.sub(row_at(*this, N - k), two_as_one(x[q], y[q]));
                in.sub(row_at(*this, k), two_as_one(conj(x[q]), conj(y[q])));
            }
        }
        end_load_sum(*this);
    }
}

} // namespace stfk

#endif
