/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What CUDA and HIP have in common: the types that kernels move at once, and
 * how functions are marked. Before they include this file, their headers
 * define what their marks are. */
#ifndef STFK_ARCH_RUNTIME_H
#define STFK_ARCH_RUNTIME_H

#include "config.h"

#define STFK_DEVICE static __device__ __forceinline__
#define STFK_CONST static constexpr __host__ __device__
#define STFK_MEMBER __device__ __forceinline__
#ifndef STFK_APART
#define STFK_APART static __device__ __noinline__ STFK_ARCH_CALLED
#endif
#define STFK_UNROLL _Pragma("unroll")
#define STFK_UNROLL_SOME _Pragma("unroll 2")
#define STFK_UNROLL_MANY _Pragma("unroll 8")
#define STFK_ROLL _Pragma("unroll 1")

namespace stfk
{

#if defined(STFK_WAVE)
constexpr int wave_size = STFK_WAVE;
#else
constexpr int wave_size = STFK_ARCH_WAVE;
#endif

typedef unsigned long long count_t;

template <class T> struct alignas(2 * sizeof(T)) vec2 {
    T x, y;
};

/* A unit of 16 bytes, in which a table is read. */
struct alignas(16) words {
    unsigned of[4];
};

} // namespace stfk

#endif
