/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What kernels need from HIP, compiled by hipcc or hipRTC. HIP has no loads
 * or stores that bypass one level of the caches: all of them are plain. */
#ifndef STFK_ARCH_HIP_H
#define STFK_ARCH_HIP_H

#define STFK_PARAM const

#include "arch/runtime.h"

namespace stfk
{

STFK_DEVICE unsigned thread_index_anew()
{
    return threadIdx.x;
}

STFK_DEVICE unsigned block_index_anew()
{
    return blockIdx.x;
}

/* Threads of a wave wait for each other, and then see each other's writes. */
STFK_DEVICE void wave_sync()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

/* Returns to all threads of the wave whether `one` is 1 in any of them. They
 * wait for each other. */
STFK_DEVICE bool wave_any(bool one)
{
    wave_sync();
    return __any(one) != 0;
}

template <class T> STFK_DEVICE T shuffle_xor(T value, int mask)
{
    return __shfl_xor(value, mask);
}

/* Returns the value of the thread of the wave whose number is `lane`. */
template <class T> STFK_DEVICE T shuffle(T value, int lane)
{
    return __shfl(value, lane);
}

/* Returns a copy that the compiler does not know to be one. */
STFK_DEVICE float separate_copy(float v)
{
    asm volatile("" : "+v"(v));
    return v;
}

STFK_DEVICE double separate_copy(double v)
{
    asm volatile("" : "+v"(v));
    return v;
}

STFK_DEVICE long long separate_copy(long long v)
{
    asm volatile("" : "+v"(v));
    return v;
}

template <class T> STFK_DEVICE T load_global(const T *p)
{
    return *p;
}

template <class T> STFK_DEVICE vec2<T> load_table(const vec2<T> *p)
{
    return *p;
}

template <class T> STFK_DEVICE T load_table(const T *p)
{
    return *p;
}

STFK_DEVICE unsigned load_word(const unsigned *p)
{
    return *p;
}

STFK_DEVICE words load_words(const words *p)
{
    return *p;
}

template <class T> STFK_DEVICE void store_global(T *p, T v)
{
    *p = v;
}

template <class T> STFK_DEVICE void store_past(T *p, T v)
{
    *p = v;
}

} // namespace stfk

#endif
