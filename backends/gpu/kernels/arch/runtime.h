/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What CUDA and HIP have in common. Before they include this file, their
 * headers define STFK_PARAM, in which the heads of their kernels differ. */
#ifndef STFK_ARCH_RUNTIME_H
#define STFK_ARCH_RUNTIME_H

#include "config.h"

#define STFK_DEVICE static __device__ __forceinline__
#define STFK_CONST static constexpr __host__ __device__
#define STFK_MEMBER __device__ __forceinline__
#define STFK_APART static __device__ __noinline__
#define STFK_UNROLL _Pragma("unroll")
#define STFK_UNROLL_SOME _Pragma("unroll 2")
#define STFK_ENTRY(name, threads, blocks) \
    extern "C" __global__ void __launch_bounds__(threads, blocks) name

namespace stfk
{

#if defined(STFK_WAVE)
constexpr int wave_size = STFK_WAVE;
#else
constexpr int wave_size = 32;
#endif

STFK_DEVICE unsigned thread_index()
{
    return threadIdx.x;
}
STFK_DEVICE unsigned block_index()
{
    return blockIdx.x;
}
STFK_DEVICE unsigned block_count()
{
    return gridDim.x;
}
STFK_DEVICE void block_sync()
{
    __syncthreads();
}

/* Returns to all threads of the block whether `one` is 1 in any of them.
 * They wait for each other. */
STFK_DEVICE bool block_any(bool one)
{
    return __syncthreads_or(one) != 0;
}

typedef unsigned long long count_t;

STFK_DEVICE void atomic_add(count_t *p, count_t n)
{
    atomicAdd(p, n);
}
STFK_DEVICE void atomic_min(count_t *p, count_t n)
{
    atomicMin(p, n);
}
STFK_DEVICE void atomic_max(unsigned *p, unsigned n)
{
    atomicMax(p, n);
}
/* Adds n, and returns the previous value. */
STFK_DEVICE count_t atomic_take(count_t *p, count_t n)
{
    return atomicAdd(p, n);
}

/* Counts from 0 to `last`, then starts again at 0; returns the previous
 * value. */
STFK_DEVICE unsigned atomic_turn(unsigned *p, unsigned last)
{
    return atomicInc(p, last);
}

STFK_DEVICE float make_float(unsigned bits)
{
    return __uint_as_float(bits);
}
STFK_DEVICE unsigned bits_of(float v)
{
    return __float_as_uint(v);
}
STFK_DEVICE count_t bits_of(double v)
{
    return (count_t)__double_as_longlong(v);
}
STFK_DEVICE float from_bits(unsigned bits)
{
    return make_float(bits);
}
STFK_DEVICE double from_bits(count_t bits)
{
    return __longlong_as_double((long long)bits);
}

STFK_DEVICE float square_root(float v)
{
    return sqrtf(v);
}
STFK_DEVICE double square_root(double v)
{
    return sqrt(v);
}

/* Returns a b + c, rounded once. */
STFK_DEVICE float multiply_add(float a, float b, float c)
{
    return fmaf(a, b, c);
}
STFK_DEVICE double multiply_add(double a, double b, double c)
{
    return fma(a, b, c);
}

STFK_DEVICE unsigned char *shared_memory()
{
    extern __shared__ __align__(16) unsigned char stfk_shared[];
    return stfk_shared;
}

STFK_DEVICE unsigned mulhi(unsigned a, unsigned b)
{
    return __umulhi(a, b);
}

template <class T> struct alignas(2 * sizeof(T)) vec2 {
    T x, y;
};

/* A unit of 16 bytes, in which a table is read. */
struct alignas(16) words {
    unsigned of[4];
};

/* Returns byte i of `word` below the three upper bytes of `upper`. */
STFK_DEVICE unsigned with_byte(unsigned upper, unsigned word, int i)
{
    return __byte_perm(word, upper, 0x7650u | (unsigned)i);
}

} // namespace stfk

#endif
