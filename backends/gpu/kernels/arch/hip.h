/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What kernels need from HIP, compiled by clang or hipRTC. Only builtins of the
 * compiler are used: neither HIP's headers nor its device libraries, which
 * take most of the time to compile a kernel. */
#ifndef STFK_ARCH_HIP_H
#define STFK_ARCH_HIP_H

#include "config.h"

/* Products and sums of one expression are fused, as the source has it. By
 * default the compiler also fuses those of several expressions, and not the
 * same ones wherever a function is inlined: then a tile that is computed again
 * would have other bits. */
#pragma clang fp contract(on)

/* hipRTC defines these before anything else. */
#ifndef __device__
#define __device__ __attribute__((device))
#endif
#ifndef __host__
#define __host__ __attribute__((host))
#endif
#ifndef __global__
#define __global__ __attribute__((global))
#endif
#ifndef __shared__
#define __shared__ __attribute__((shared))
#endif
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif
#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif
#ifndef __align__
#define __align__(n) __attribute__((aligned(n)))
#endif

/* The threads of a wave, the parts of a compute unit, each with its own
 * registers, and the waves that a part holds at most. */
#if defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) \
    || defined(__gfx942__) || defined(__gfx950__)
#define STFK_ARCH_WAVE 64
#define STFK_ARCH_PARTS 4
#define STFK_ARCH_MOST_WAVES 8
#elif defined(__GFX9__)
#define STFK_ARCH_WAVE 64
#define STFK_ARCH_PARTS 4
#define STFK_ARCH_MOST_WAVES 10
#else
#define STFK_ARCH_WAVE 32
#define STFK_ARCH_PARTS 2
#define STFK_ARCH_MOST_WAVES 16
#endif

/* The waves that each part has if so many blocks are resident, at least 2: with
 * one, a function that is not inlined may take more than half of all
 * registers. (HIP's launch bounds take this number, where CUDA's take that of
 * blocks.) */
constexpr int stfk_waves(int threads, int blocks)
{
    const int waves = (threads + STFK_ARCH_WAVE - 1) / STFK_ARCH_WAVE * blocks;
    const int each = (waves + STFK_ARCH_PARTS - 1) / STFK_ARCH_PARTS;

    return each < 2                      ? 2
           : each > STFK_ARCH_MOST_WAVES ? STFK_ARCH_MOST_WAVES
                                         : each;
}

/* Where waves have one file of registers for all purposes, no function uses the
 * half that is meant for matrices: one that is not inlined would take its
 * registers there, in addition to the kernel's own. The attribute ends where
 * the entry point begins, which is the last function. Kernels that multiply by
 * matrix units have them in the same registers. */
#if STFK_ARCH_MOST_WAVES == 8 && !STFK_MATRIX
#pragma clang attribute push(__attribute__((target("no-mai-insts"))), \
                             apply_to = function)
#define STFK_ARCH_PLAIN_END _Pragma("clang attribute pop")
#define STFK_ARCH_PLAIN __attribute__((target("no-mai-insts")))
#else
#define STFK_ARCH_PLAIN_END
#define STFK_ARCH_PLAIN
#endif

#define STFK_ENTRY(name, threads, blocks)                          \
    STFK_ARCH_PLAIN_END extern "C" __global__ STFK_ARCH_PLAIN void \
        __attribute__((amdgpu_flat_work_group_size(1, threads),    \
                       amdgpu_waves_per_eu(stfk_waves(threads, blocks)))) name

#define STFK_PARAM const

/* A function that may be the last that another one does has to save registers,
 * half of them, on the stack; one that never is gets those that its callers do
 * not need. */
#define STFK_ARCH_CALLED __attribute__((not_tail_called))

/* A reference to the arguments where the launch put them. Functions that are
 * not inlined take one, for which the compiler would copy the parameter to
 * each thread's stack. */
#define STFK_IN_PLACE(type, a)                               \
    (stfk::hold_flag(),                                      \
     *(const type *)(const __attribute__((address_space(4))) \
                     type *)__builtin_amdgcn_kernarg_segment_ptr())

#include "arch/runtime.h"

namespace stfk
{

/* 1: the compiler puts the second branch of a condition behind the first one,
 * through which what the second one needs has to be kept. */
constexpr bool branches_in_turn = true;

/* 1: a thread fetches all its elements before it converts the first one. Here the
 * compiler issues all loads anyway, and would keep what they bring on the stack. */
constexpr bool fetches_ahead = false;

/* 0: the compiler would keep a struct's bytes in reserve on the stack. */
constexpr bool copies_whole = false;

/* ---------------------------------------------------------- block memory */

#if STFK_CHECK || STFK_TWICE || STFK_GATED
/* Protected kernels have functions that are not inlined. Clang 19 makes these
 * find block memory whose size the launch gives by the number of the kernel,
 * in a register that the kernel never sets. So what is in static memory, which
 * comes first, is always the same, and the launch's part has a fixed place
 * behind it: a flag, or nothing in kernels that check nothing, which may need
 * all of the memory. */
enum { FLAG_BYTES = STFK_CHECK || STFK_TWICE ? 16 : 0 };

STFK_DEVICE unsigned *flag()
{
    static __shared__ __align__(16) unsigned stfk_flag[4];
    return stfk_flag;
}

/* The flag is there even if nothing uses it. */
STFK_DEVICE void hold_flag()
{
    if constexpr (FLAG_BYTES > 0)
        asm volatile("" ::"v"(flag()));
}

/* By way of another place, as the source's constant 0 stands for no place. */
STFK_DEVICE unsigned char *shared_memory()
{
    return (
        unsigned char *)((__attribute__((address_space(3))) unsigned char *)16
                         - (16 - FLAG_BYTES));
}
#else
STFK_DEVICE unsigned *flag()
{
    static __shared__ unsigned stfk_flag;
    return &stfk_flag;
}

STFK_DEVICE unsigned char *shared_memory()
{
    extern __shared__ __align__(16) unsigned char stfk_shared[];
    return stfk_shared;
}
#endif

/* ---------------------------------------------------------------- threads */

STFK_DEVICE unsigned thread_index()
{
    return __builtin_amdgcn_workitem_id_x();
}

STFK_DEVICE unsigned block_index()
{
    return __builtin_amdgcn_workgroup_id_x();
}

STFK_DEVICE unsigned block_count()
{
    return __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x();
}

/* Returns n, of which the compiler then knows that 0 <= n < most. */
template <int most> STFK_DEVICE int known_below(int n)
{
    __builtin_assume(n >= 0 && n < most);
    return n;
}

/* Returns the same number, of which the compiler knows that it is below `threads`. */
template <int threads> STFK_DEVICE unsigned thread_index_below()
{
    const unsigned i = thread_index();

    __builtin_assume(i < threads);
    return i;
}

/* Returns the same number as thread_index(), but all that the compiler knows is
 * that it is below `threads`. */
template <int threads> STFK_DEVICE unsigned thread_index_anew()
{
    unsigned i = thread_index();

    asm volatile("" : "+v"(i));
    __builtin_assume(i < threads);
    return i;
}

STFK_DEVICE unsigned block_index_anew()
{
    return block_index();
}

STFK_DEVICE void block_sync()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
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
#if STFK_ARCH_WAVE == 64 && __has_builtin(__builtin_amdgcn_ballot_w64)
    return __builtin_amdgcn_ballot_w64(one) != 0;
#elif STFK_ARCH_WAVE == 64
    return __builtin_amdgcn_uicmp(one, 0, 33) != 0; /* 33: not equal */
#else
    return __builtin_amdgcn_ballot_w32(one) != 0;
#endif
}

/* Returns to all threads of the block whether `one` is 1 in any of them.
 * They wait for each other. */
STFK_DEVICE bool block_any(bool one)
{
    unsigned *seen = flag();
    bool any = wave_any(one);

    if (thread_index() == 0)
        *seen = 0;
    block_sync();
    if (any)
        __hip_atomic_store(seen, 1u, __ATOMIC_RELAXED,
                           __HIP_MEMORY_SCOPE_WORKGROUP);
    block_sync();
    any = *seen != 0;
    block_sync();
    return any;
}

/* Returns a value that all threads of the wave have, without the compiler
 * knowing that it is this one. */
STFK_DEVICE bool known_anew(bool one)
{
    int value = __builtin_amdgcn_readfirstlane(one);

    asm volatile("" : "+s"(value));
    return value != 0;
}

/* Returns the value of the thread of the wave whose number is `lane`. */
template <class T> STFK_DEVICE T shuffle(T value, int lane)
{
    constexpr int count = sizeof(T) / 4;
    int word[count];

    __builtin_memcpy(word, &value, sizeof value);
    STFK_UNROLL
    for (int i = 0; i < count; i++)
        word[i] = __builtin_amdgcn_ds_bpermute(
            (lane & (STFK_ARCH_WAVE - 1)) * 4, word[i]);
    __builtin_memcpy(&value, word, sizeof value);
    return value;
}

template <class T> STFK_DEVICE T shuffle_xor(T value, int mask)
{
#if STFK_ARCH_WAVE == 64
    const unsigned lane =
        __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
#else
    const unsigned lane = __builtin_amdgcn_mbcnt_lo(~0u, 0);
#endif

    return shuffle(value, (int)lane ^ mask);
}

/* ---------------------------------------------------------------- atomics */

#define STFK_ARCH_SHARED __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT

STFK_DEVICE void atomic_add(count_t *p, count_t n)
{
    __hip_atomic_fetch_add(p, n, STFK_ARCH_SHARED);
}

STFK_DEVICE void atomic_add(unsigned *p, unsigned n)
{
    __hip_atomic_fetch_add(p, n, STFK_ARCH_SHARED);
}

STFK_DEVICE void atomic_min(count_t *p, count_t n)
{
    __hip_atomic_fetch_min(p, n, STFK_ARCH_SHARED);
}

STFK_DEVICE void atomic_max(unsigned *p, unsigned n)
{
    __hip_atomic_fetch_max(p, n, STFK_ARCH_SHARED);
}

/* Adds n, and returns the previous value. */
STFK_DEVICE count_t atomic_take(count_t *p, count_t n)
{
    return __hip_atomic_fetch_add(p, n, STFK_ARCH_SHARED);
}

/* Adds the numbers of all threads that are here to *p. */
STFK_DEVICE void add_in_wave(unsigned *p, unsigned n)
{
    __hip_atomic_fetch_add(p, n, STFK_ARCH_SHARED);
}

#undef STFK_ARCH_SHARED

/* Counts from 0 to `last`, then starts again at 0; returns the previous
 * value. */
STFK_DEVICE unsigned atomic_turn(unsigned *p, unsigned last)
{
    return __builtin_amdgcn_atomic_inc32(p, last, __ATOMIC_RELAXED, "agent");
}

/* ---------------------------------------------------------------- numbers */

STFK_DEVICE float make_float(unsigned bits)
{
    return __builtin_bit_cast(float, bits);
}

STFK_DEVICE unsigned bits_of(float v)
{
    return __builtin_bit_cast(unsigned, v);
}

STFK_DEVICE count_t bits_of(double v)
{
    return __builtin_bit_cast(count_t, v);
}

STFK_DEVICE float from_bits(unsigned bits)
{
    return make_float(bits);
}

STFK_DEVICE double from_bits(count_t bits)
{
    return __builtin_bit_cast(double, bits);
}

/* Halves as 16 bits, and two of them as a word, of which `x` is the lower half. The
 * compiler would fuse products with conversions, by instructions that also add 0,
 * which takes the sign from -0; so it must not know what is converted. */
STFK_DEVICE float of_f16(unsigned short bits)
{
    float v = (float)__builtin_bit_cast(_Float16, bits);

    asm("" : "+v"(v));
    return v;
}

STFK_DEVICE unsigned short f16_of(float v)
{
    asm("" : "+v"(v));
    return __builtin_bit_cast(unsigned short, (_Float16)v);
}

/* Few of these devices have an instruction for it. */
STFK_DEVICE unsigned short bf16_of(float v)
{
    const unsigned bits = bits_of(v);

    return (unsigned short)(v != v ? 0x7fffu
                                   : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

STFK_DEVICE unsigned f16_pair(float x, float y)
{
    return f16_of(x) | (unsigned)f16_of(y) << 16;
}

STFK_DEVICE unsigned bf16_pair(float x, float y)
{
    return bf16_of(x) | (unsigned)bf16_of(y) << 16;
}

STFK_DEVICE float square_root(float v)
{
    return __builtin_sqrtf(v);
}

STFK_DEVICE double square_root(double v)
{
    return __builtin_sqrt(v);
}

/* Returns x / y, which may be rounded as is fast. */
template <class T> STFK_DEVICE float quotient_about(T x, T y)
{
    return (float)(x / y);
}

/* Returns a b + c, rounded once. */
STFK_DEVICE float multiply_add(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

STFK_DEVICE double multiply_add(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

STFK_DEVICE unsigned mulhi(unsigned a, unsigned b)
{
    return (unsigned)((count_t)a * b >> 32);
}

/* Returns byte i of `word` below the three upper bytes of `upper`. */
STFK_DEVICE unsigned with_byte(unsigned upper, unsigned word, int i)
{
    return __builtin_amdgcn_perm(upper, word, 0x07060500u | (unsigned)i);
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

/* Returns v, which is computed here. Of a sum that is used in one branch the
 * compiler would otherwise make all of it there, and keep until then what it is
 * made of. */
template <class T> STFK_DEVICE T made_here(T v)
{
    return separate_copy(v);
}

/* Launches of a stream follow each other. */
STFK_DEVICE void wait_for_previous()
{
}

STFK_DEVICE void let_next_begin()
{
}

/* Keeps loads of later steps behind this place. The compiler would move them up
 * until registers spill. */
STFK_DEVICE void keep_order()
{
#if __has_builtin(__builtin_amdgcn_sched_barrier)
    __builtin_amdgcn_sched_barrier(0);
#endif
}

} // namespace stfk

#include "arch/hip_memory.h"
#if STFK_ARCH_MOST_WAVES == 8 && STFK_MATRIX
#include "arch/units_gfx90a.h"
#endif

#endif
