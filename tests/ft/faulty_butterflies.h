/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Transforms by the butterflies of the CPU and of GPUs, in C++, on numbers that
 * count operations and damage the result of one of them. tests/ft/butterflies.c
 * compiles this file and calls faulty_transform(). The compiler finds there:
 *
 *   CPU_RADICES(X), GPU_RADICES(X)   X(r) for each radix of a device
 *   STFK_ROOTS(X)                    the roots of GPU butterflies
 *   POINTS                           lengths are below this
 *   ORDER                            a multiple of lengths of several stages
 *   TWIDDLES                         the roots of this order, as (re, im) */
#include <stdint.h>
#include <string.h>

#include "config.h"

namespace
{

long operations, victim;

struct number {
    double value;

    number() = default;
    number(long double v) : value((double)v)
    {
    }
};

/* Every result of an operation passes through here. */
number result(double v)
{
    return number(++operations == victim ? v + 1 : v);
}

number operator+(number a, number b)
{
    return result(a.value + b.value);
}
number operator-(number a, number b)
{
    return result(a.value - b.value);
}
number operator*(number a, number b)
{
    return result(a.value * b.value);
}
number operator-(number a)
{
    return result(-a.value);
}
number &operator+=(number &a, number b)
{
    return a = a + b;
}
number multiply_add(number a, number b, number c)
{
    return result(a.value * b.value + c.value);
}

} // namespace

/* What the CPU's butterflies are compiled for: plain C with this number. */
namespace cpu
{
#define STFI_STORED number
#define STFI_REAL number
#define STFI_SUM number
#define STFI_STORED_BYTES 8
#define STFI_REAL_BYTES 8
#define STFI_LANES 1
#include "backends/cpu/fft/butterfly.h"
} // namespace cpu

/* What GPU kernels take from arch/vendor.h, as far as butterflies need it. */
#define STFK_VENDOR_H
#define STFK_DEVICE static inline
#define STFK_MEMBER inline
#define STFK_CONST static constexpr
#define STFK_UNROLL
#include "fft/butterfly.h"

namespace
{

const double twiddles[2 * ORDER] = {TWIDDLES};

struct cpu_device {
    typedef cpu::C complex;

    static complex times(complex a, double re, double im)
    {
        return cpu::c_mul1(a, re, im);
    }
    static int run(int radix, complex *x)
    {
        switch (radix) {
#define ROW(r) \
    case r: cpu::bf_##r(x); return 1;
            CPU_RADICES(ROW)
#undef ROW
        }
        return 0;
    }
};

struct gpu_device {
    typedef stfk::complex<number> complex;

    static complex times(complex a, double re, double im)
    {
        return a * complex{re, im};
    }
    static int run(int radix, complex *x)
    {
        switch (radix) {
#define ROW(r) \
    case r: stfk::butterfly<r, number>::run(x); return 1;
            GPU_RADICES(ROW)
#undef ROW
        }
        return 0;
    }
};

/* A transform by decimation in time: radix[count - 1] is the last stage.
 * Returns 0 if there is no such butterfly. */
template <class D>
int transform(int n, int count, const int *radix,
              const typename D::complex *from, int stride,
              typename D::complex *to)
{
    typename D::complex part[POINTS], x[POINTS];

    if (count == 0) {
        to[0] = from[0];
        return 1;
    }
    int r = radix[count - 1], rest = n / r;
    for (int j = 0; j < r; j++)
        if (!transform<D>(rest, count - 1, radix, from + j * stride, stride * r,
                          part + j * rest))
            return 0;
    for (int q = 0; q < rest; q++) {
        for (int j = 0; j < r; j++) {
            const double *w = twiddles + 2 * (j * q * (ORDER / n));
            x[j] = part[j * rest + q];
            if (j > 0 && rest > 1)
                x[j] = D::times(x[j], w[0], w[1]);
        }
        if (!D::run(r, x))
            return 0;
        for (int k = 0; k < r; k++)
            to[q + rest * k] = x[k];
    }
    return 1;
}

template <class D> long run(int n, int count, const int *radix, double *x)
{
    typename D::complex from[POINTS], to[POINTS];
    number *in = (number *)from, *out = (number *)to;

    for (int i = 0; i < 2 * n; i++)
        in[i] = result(x[i]); /* loads count as operations, too */
    if (!transform<D>(n, count, radix, from, 1, to))
        return 0;
    for (int i = 0; i < 2 * n; i++)
        x[i] = out[i].value;
    return operations;
}

} // namespace

/* Transforms x[2 * n] by stages of the CPU (gpu = 0) or of GPUs, and adds 1 to
 * the result of operation number `damaged`, counted from 1. n divides ORDER
 * if there is more than one stage.
 * Returns the number of operations, or 0 if there is no such butterfly. */
extern "C" long faulty_transform(int gpu, int n, int count, const int *radix,
                                 long damaged, double *x);
extern "C" long faulty_transform(int gpu, int n, int count, const int *radix,
                                 long damaged, double *x)
{
    operations = 0;
    victim = damaged;
    return gpu ? run<gpu_device>(n, count, radix, x)
               : run<cpu_device>(n, count, radix, x);
}
