/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks of single butterflies, each by the thread that computes it: the
 * residual compares the outputs with the inputs and their twiddles. Only a
 * suspect residual leaves the thread. It is added to the lane's residual,
 * scaled so that it is as large relative to the lane's threshold as it was
 * relative to the butterfly's. The lane has the norm 1 and otherwise the
 * residual 0, so that the verdict (verdict.h) is made as for other lanes.
 * Errors between stages are not detected.
 * Source: [TurboFFT], section 4.2.1; lib/ft/weights/stage.h. */
#ifndef STFK_THREAD_H
#define STFK_THREAD_H

#include "fft/transform.h"
#include "protect/verdict.h"

namespace stfk
{

/* The constants that check a butterfly of radix R: the factors of its
 * threshold without twiddles and with them, the left vector e, and the row. */
template <int R> struct stage_vectors;

#define STFK_CHECK_ROW(R, PLAIN, TWIDDLED, ...)          \
    template <> struct stage_vectors<R> {                \
        static constexpr sum plain = (sum)PLAIN;         \
        static constexpr sum twiddled = (sum)TWIDDLED;   \
        STFK_MEMBER static cx at(int k)                  \
        {                                                \
            const double t[4 * R] = {__VA_ARGS__};       \
            return {(real)t[2 * k], (real)t[2 * k + 1]}; \
        }                                                \
        STFK_MEMBER static cx e(int k)                   \
        {                                                \
            return at(k);                                \
        }                                                \
        STFK_MEMBER static cx row(int j)                 \
        {                                                \
            return at(R + j);                            \
        }                                                \
    };
STFK_CHECKS(STFK_CHECK_ROW)

/* Returns the number of a lane's butterflies from stage s on. */
STFK_CONST int butterflies_from(int s)
{
    return s == S ? 0 : N / radices[s] + butterflies_from(s + 1);
}
constexpr int BUTTERFLIES = butterflies_from(0) * (STFK_OP == OP_CONV ? 2 : 1);

/* Returns a power of two near 1/v; v may be 0 or not finite. */
STFK_DEVICE float power_near(float v)
{
    int exponent = (int)(bits_of(v) >> 23 & 0xff);

    return from_bits((unsigned)(exponent < 254 ? 254 - exponent : 1) << 23);
}

STFK_DEVICE double power_near(double v)
{
    int exponent = (int)(bits_of(v) >> 52 & 0x7ff);

    return from_bits((count_t)(exponent < 2046 ? 2046 - exponent : 1) << 52);
}

/* Returns a power of two that brings the largest component of R numbers near
 * to 1. */
template <int R> STFK_DEVICE real unit_of_all(const cx *v)
{
    real most = 0;

    STFK_UNROLL
    for (int j = 0; j < R; j++) {
        real x = magnitude(v[j].x), y = magnitude(v[j].y);
        most = x > most ? x : most;
        most = y > most ? y : most;
    }
    return power_near(most);
}

template <int R, int P> struct butterfly_checks {
    typedef stage_vectors<R> vectors;
    static constexpr sum FACTOR = P > 1 ? vectors::twiddled : vectors::plain;
    static constexpr sum SQUARE = FACTOR * FACTOR;

    trial &c;
    member m;
    bool loaded; /* the stage's inputs are what was loaded */
    tally residual[rounds(R)];
    real unit[rounds(R)];

    STFK_MEMBER butterfly_checks(trial &of, member who_does, bool is_first)
        : c(of), m(who_does), loaded(is_first)
    {
    }

    /* Sums up the inputs of round k with their twiddles. */
    STFK_MEMBER void inputs(int k, const cx *v, const cx *table)
    {
        growing in;

        unit[k] = c.first ? (real)1 : unit_of_all<R>(v);
        take(in, vectors::row(0), v[0], unit[k]);
        if constexpr (P > 1)
            each_power<R, P>(table, [&](int j, cx w) {
                take(in, vectors::row(j) * w, v[j], unit[k]);
            });
        else
            STFK_UNROLL
        for (int j = 1; j < R; j++)
            take(in, vectors::row(j), v[j], unit[k]);
        residual[k] = in.all();
    }
    STFK_MEMBER static void take(growing &in, cx w, cx z, real unit)
    {
        z = {z.x * unit, z.y * unit};
        in.sub(w, z);
        in.square(z, 1);
    }

    STFK_MEMBER void outputs(int k, const cx *v)
    {
        growing out;

        STFK_UNROLL
        for (int j = 0; j < R; j++)
            out.add(vectors::e(j), cx{v[j].x * unit[k], v[j].y * unit[k]});
        residual[k].d = residual[k].d + out.all().d;
        if (c.first)
            glance(residual[k]);
        else
            look_closely(residual[k], unit[k]);
    }

    /* Judges the residual in the kernel itself: only whether it leaves any
     * doubt. */
    STFK_MEMBER void glance(tally t)
    {
        const work &a = c.a;
        sum square = t.d.x * t.d.x + t.d.y * t.d.y;
        sum faulty = SQUARE * limit_of(a, FAULTY_LIMIT) * t.s;
        sum most =
            SQUARE
            * limit_of(a, a->check.correct ? SUSPECT_LIMIT : FAULTY_LIMIT)
            * t.s;

        if (t.s == 0 && t.d.x == 0 && t.d.y == 0)
            return;
        if (!(t.s >= range<sum>::low && t.s <= range<sum>::high)) {
            part().s = (sum)1 / (sum)0; /* takes the lane's out of range */
            return;
        }
        note_square(a, square, faulty);
        if (!(square <= most))
            tell_lane(square - square == 0 ? square_root(square / faulty)
                                           : (sum)1 / (sum)0);
    }
    /* Judges the residual in attempts apart from the kernel, where data may
     * have any size and need not be finite. */
    STFK_MEMBER void look_closely(tally t, real unit)
    {
        const work &a = c.a;
        sum tau = FAULTY_AT * FACTOR * square_root(t.s) * (sum)a->check.slope
                  + SQUARE * (sum)a->check.floor * unit;
        sum ratio = length_of(t.d) / tau;

        if (!is_finite(t.s) && loaded)
            part().s = t.s;
        else if (!is_finite(t.d))
            tell_lane((sum)1 / (sum)0);
        else if (t.s != 0 && ratio * FAULTY_AT > (sum)a->check.suspect_at)
            tell_lane(ratio);
    }

    /* Returns the thread's part of the lane's sums. */
    STFK_MEMBER growing &part()
    {
        return loaded ? c.in : c.out[0];
    }
    STFK_MEMBER void tell_lane(sum ratio)
    {
        part().d.x += ratio * FAULTY_AT * (sum)c.a->check.slope / down_of(c.a);
    }
    /* Makes the lane's norm 1: one of its threads adds that. */
    STFK_MEMBER void end()
    {
        if (loaded && m.t == 0)
            c.in.s += 1;
    }
};

} // namespace stfk

#endif
