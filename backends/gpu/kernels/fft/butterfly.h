/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Transforms of a few elements held in registers, in place, natural order.
 *
 * Primes run through one template; 4, 8, 16, 32 and 9, 25, 27, 49 are made of
 * two factors with roots between them (Cooley and Tukey), products of coprime
 * factors need none (Good and Thomas). Roots come as literals from config.h,
 * so that every index is known to the compiler and nothing leaves the
 * registers.
 * Source: [Govindaraju2008], section IV.D (radices); Good, J. R. Stat. Soc. B
 * 20 (1958). */
#ifndef STFK_BUTTERFLY_H
#define STFK_BUTTERFLY_H

#include "common/complex.h"
#include "config.h"

namespace stfk
{

/* at(k) is exp(-2 pi i k/R), from the rows of STFK_ROOTS. */
template <int R> struct roots;

#define STFK_ROOT_ROW(R, ...)                                      \
    template <> struct roots<R> {                                  \
        template <class T> STFK_MEMBER static complex<T> at(int k) \
        {                                                          \
            const double t[2 * R] = {__VA_ARGS__};                 \
            return {(T)t[2 * k], (T)t[2 * k + 1]};                 \
        }                                                          \
    };
STFK_ROOTS(STFK_ROOT_ROW)

/* Returns the first factor of a composite radix, or 1 for a prime. */
STFK_CONST int first_factor(int r)
{
    return r == 4                ? 2
           : r == 8              ? 2
           : r == 16             ? 4
           : r == 32             ? 4
           : r == 9              ? 3
           : r == 27             ? 3
           : r == 25             ? 5
           : r == 49             ? 7
           : r % 16 == 0         ? 16
           : r % 8 == 0          ? 8
           : r % 4 == 0          ? 4
           : r % 2 == 0 && r > 2 ? 2
           : r % 9 == 0          ? 9
           : r % 3 == 0 && r > 3 ? 3
           : r % 25 == 0         ? 25
           : r % 5 == 0 && r > 5 ? 5
           : r % 7 == 0 && r > 7 ? 7
                                 : 1;
}

STFK_CONST int common(int a, int b)
{
    return b == 0 ? a : common(b, a % b);
}

/* Returns x with x * a = 1 mod m. */
STFK_CONST int inverse_mod(int a, int m)
{
    int x = 1;
    while (m > 1 && a * x % m != 1)
        x++;
    return x;
}

template <int R, class T> struct butterfly;

/* Odd primes: sums and differences of mirrored elements halve the number of
 * products. */
template <int R, class T> struct prime_butterfly {
    STFK_MEMBER static void run(complex<T> *v)
    {
        constexpr int H = (R - 1) / 2;
        complex<T> sum[H], diff[H], first = v[0], total = v[0];

        STFK_UNROLL
        for (int j = 0; j < H; j++) {
            sum[j] = v[j + 1] + v[R - 1 - j];
            diff[j] = v[j + 1] - v[R - 1 - j];
            total = total + sum[j];
        }
        v[0] = total;
        STFK_UNROLL
        for (int k = 1; k <= H; k++) {
            complex<T> even = first, odd = {0, 0};
            STFK_UNROLL
            for (int j = 0; j < H; j++) {
                complex<T> w = roots<R>::template at<T>((j + 1) * k % R);
                even.x += sum[j].x * w.x;
                even.y += sum[j].y * w.x;
                odd.x += diff[j].x * w.y;
                odd.y += diff[j].y * w.y;
            }
            v[k] = {even.x - odd.y, even.y + odd.x};
            v[R - k] = {even.x + odd.y, even.y - odd.x};
        }
    }
};

/* R = A * B with a common factor: element B a + b of the input, element k +
 * A l of the result. */
template <int A, int B, class T> struct mixed_butterfly {
    STFK_MEMBER static void run(complex<T> *v)
    {
        complex<T> u[B][A];

        STFK_UNROLL
        for (int b = 0; b < B; b++) {
            STFK_UNROLL
            for (int a = 0; a < A; a++)
                u[b][a] = v[B * a + b];
            butterfly<A, T>::run(u[b]);
        }
        STFK_UNROLL
        for (int k = 0; k < A; k++) {
            complex<T> w[B];
            STFK_UNROLL
            for (int b = 0; b < B; b++)
                w[b] = b * k == 0 ? u[b][k] : rotate(u[b][k], b * k);
            butterfly<B, T>::run(w);
            STFK_UNROLL
            for (int l = 0; l < B; l++)
                v[k + A * l] = w[l];
        }
    }

    /* Returns u * exp(-2 pi i k/R); eighths of a turn cost less. */
    STFK_MEMBER static complex<T> rotate(complex<T> u, int k)
    {
        constexpr int R = A * B;
        const T h = (T)0.70710678118654752440;

        if (4 * k == R)
            return turn(u);
        if (8 * k == R)
            return {(u.x + u.y) * h, (u.y - u.x) * h};
        if (8 * k == 3 * R)
            return {(u.y - u.x) * h, -(u.x + u.y) * h};
        return u * roots<R>::template at<T>(k);
    }
};

/* R = A * B, coprime: the input's element is B a + A b mod R; the result's
 * element is that which is k mod A and l mod B. */
template <int A, int B, class T> struct coprime_butterfly {
    STFK_MEMBER static void run(complex<T> *v)
    {
        constexpr int R = A * B;
        constexpr int to_a = B * inverse_mod(B % A, A);
        constexpr int to_b = A * inverse_mod(A % B, B);
        complex<T> u[B][A];

        STFK_UNROLL
        for (int b = 0; b < B; b++) {
            STFK_UNROLL
            for (int a = 0; a < A; a++)
                u[b][a] = v[(B * a + A * b) % R];
            butterfly<A, T>::run(u[b]);
        }
        STFK_UNROLL
        for (int k = 0; k < A; k++) {
            complex<T> w[B];
            STFK_UNROLL
            for (int b = 0; b < B; b++)
                w[b] = u[b][k];
            butterfly<B, T>::run(w);
            STFK_UNROLL
            for (int l = 0; l < B; l++)
                v[(to_a * k + to_b * l) % R] = w[l];
        }
    }
};

template <int R, int A, bool coprime, class T> struct choose_butterfly {
    typedef mixed_butterfly<A, R / A, T> type;
};
template <int R, int A, class T> struct choose_butterfly<R, A, true, T> {
    typedef coprime_butterfly<A, R / A, T> type;
};
template <int R, class T> struct choose_butterfly<R, 1, true, T> {
    typedef prime_butterfly<R, T> type;
};

template <int R, class T>
struct butterfly
    : choose_butterfly<R, first_factor(R),
                       common(first_factor(R), R / first_factor(R)) == 1,
                       T>::type {
};

template <class T> struct butterfly<1, T> {
    STFK_MEMBER static void run(complex<T> *)
    {
    }
};

template <class T> struct butterfly<2, T> {
    STFK_MEMBER static void run(complex<T> *v)
    {
        complex<T> a = v[0];
        v[0] = a + v[1];
        v[1] = a - v[1];
    }
};

} // namespace stfk

#endif
