/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The butterflies of the CPU and of GPUs, in C++, on numbers that count
 * operations and damage the result of one of them. tests/ft/butterflies.c
 * compiles this file and calls faulty_butterfly(). The compiler finds there:
 *
 *   CPU_RADICES(X), GPU_RADICES(X)   X(r) for each radix of a device
 *   STFK_ROOTS(X)                    the roots of GPU butterflies */
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

template <class C> void run(void (*butterfly)(C *), int r, double *x)
{
    C v[64];
    number *parts = (number *)v;

    for (int i = 0; i < 2 * r; i++)
        parts[i] = result(x[i]); /* loads count as operations, too */
    butterfly(v);
    for (int i = 0; i < 2 * r; i++)
        x[i] = parts[i].value;
}

struct row {
    int radix;
    void (*run)(int r, double *x);
};

const row rows[2][40] = {
#define ROW(r) {r, [](int n, double *x) { run(cpu::bf_##r, n, x); }},
    {CPU_RADICES(ROW)},
#undef ROW
#define ROW(r) \
    {r, [](int n, double *x) { run(stfk::butterfly<r, number>::run, n, x); }},
    {GPU_RADICES(ROW)},
};

} // namespace

/* Transforms x[2 * radix] by a butterfly of the CPU (gpu = 0) or of GPUs, and
 * adds 1 to the result of operation number `damaged`, counted from 1. Returns
 * the number of operations, or 0 if there is no such butterfly. */
extern "C" long faulty_butterfly(int gpu, int radix, long damaged, double *x);
extern "C" long faulty_butterfly(int gpu, int radix, long damaged, double *x)
{
    for (const row &one : rows[gpu]) {
        if (one.radix != radix)
            continue;
        operations = 0;
        victim = damaged;
        one.run(radix, x);
        return operations;
    }
    return 0;
}
