/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The sums of end-to-end checks while they grow.
 *
 * The order of additions depends on nothing but the lengths, so that the
 * same data always have the same sums. A few terms are added in the
 * precision of the data, and such partial sums in double. If the data are
 * doubles themselves, the rounding errors of these sums are added up, too:
 * otherwise the rounding of a large sum would be taken for an error of the
 * transform. */
#ifndef STFK_E2E_WEIGHED_H
#define STFK_E2E_WEIGHED_H

#define STFK_ARGS stfk_e2e

#include "common/types.h"
#include "fft/args.h"
#include "end_to_end/end_to_end_args.h"

namespace stfk
{

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

} // namespace stfk

#endif
