/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What kernels need from CUDA, compiled by nvcc or NVRTC. */
#ifndef STFK_ARCH_CUDA_H
#define STFK_ARCH_CUDA_H

#define STFK_PARAM const __grid_constant__
#define STFK_IN_PLACE(type, a) (a)
#define STFK_ARCH_WAVE 32
#define STFK_ARCH_CALLED
#define STFK_ENTRY(name, threads, blocks) \
    extern "C" __global__ void __launch_bounds__(threads, blocks) name

#include "arch/runtime.h"

namespace stfk
{

/* 1: structs are best copied whole, with their bytes in reserve. */
constexpr bool copies_whole = true;

/* 0: of two branches, neither has to do with what the other one needs. */
constexpr bool branches_in_turn = false;

/* 1: a thread fetches all its elements before it converts the first one. */
constexpr bool fetches_ahead = true;

STFK_DEVICE bool known_anew(bool one)
{
    return one;
}

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

/* Returns to all threads of the block whether all have come here, or some have ended.
 * They wait for each other. */
STFK_DEVICE bool block_is_whole()
{
    return __syncthreads_count(1) == (int)blockDim.x;
}

/* Waits until the launch before this one in the stream has ended, and its writes
 * are seen. A kernel that is launched so (stfi_gpu_launch.overlaps) calls it before
 * it reads or writes anything that an earlier one has to do with. */
STFK_DEVICE void wait_for_previous()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Lets the launch after this one begin, as soon as all blocks have called it or have
 * ended; it still waits until they have ended. Called after wait_for_previous(), it
 * keeps launches in order: one begins only when all but the one before it have ended.
 * Blocks of a launch that begins early go where there is room: several to one
 * multiprocessor, while others still compute. So it is not for what comes before a
 * launch of few blocks, all of which take long (checked products of 1024 took half as
 * long again), and a launch that does nothing, mostly, may always begin early. */
STFK_DEVICE void let_next_begin()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

STFK_DEVICE void atomic_add(count_t *p, count_t n)
{
    atomicAdd(p, n);
}
STFK_DEVICE void atomic_add(unsigned *p, unsigned n)
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

/* Adds the numbers of all threads that are here to *p. */
STFK_DEVICE void add_in_wave(unsigned *p, unsigned n)
{
#if __CUDA_ARCH__ >= 800
    const unsigned here = __activemask(), sum = __reduce_add_sync(here, n);

    if ((int)(threadIdx.x % 32) == __ffs((int)here) - 1)
        atomicAdd(p, sum);
#else
    atomicAdd(p, n);
#endif
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

/* Halves as 16 bits, and two of them as a word, of which `x` is the lower
 * half. */
STFK_DEVICE float of_f16(unsigned short bits)
{
    float v;
    asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(bits));
    return v;
}

STFK_DEVICE unsigned short f16_of(float v)
{
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(v));
    return bits;
}

#if __CUDA_ARCH__ >= 800
STFK_DEVICE unsigned f16_pair(float x, float y)
{
    unsigned both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
    return both;
}

STFK_DEVICE unsigned bf16_pair(float x, float y)
{
    unsigned both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
    return both;
}

STFK_DEVICE unsigned short bf16_of(float v)
{
    return (unsigned short)bf16_pair(v, 0);
}
#else
STFK_DEVICE unsigned f16_pair(float x, float y)
{
    return f16_of(x) | (unsigned)f16_of(y) << 16;
}

/* These devices have no instruction for it. */
STFK_DEVICE unsigned short bf16_of(float v)
{
    const unsigned bits = bits_of(v);

    return (unsigned short)(v != v ? 0x7fffu
                                   : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

STFK_DEVICE unsigned bf16_pair(float x, float y)
{
    return bf16_of(x) | (unsigned)bf16_of(y) << 16;
}
#endif

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

/* Returns about x / y, for numbers whose quotient nobody needs exactly; y is no
 * subnormal number. */
STFK_DEVICE float quotient_about(float x, float y)
{
    return __fdividef(x, y);
}
STFK_DEVICE float quotient_about(double x, double y)
{
    double r;

    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(y));
    return (float)(x * r);
}

#ifndef STFK_SHARED_ALIGN
#define STFK_SHARED_ALIGN 16
#endif

STFK_DEVICE unsigned char *shared_memory()
{
    extern __shared__ __align__(STFK_SHARED_ALIGN) unsigned char stfk_shared[];
    return stfk_shared;
}

STFK_DEVICE unsigned mulhi(unsigned a, unsigned b)
{
    return __umulhi(a, b);
}

/* Returns byte i of `word` below the three upper bytes of `upper`. */
STFK_DEVICE unsigned with_byte(unsigned upper, unsigned word, int i)
{
    return __byte_perm(word, upper, 0x7650u | (unsigned)i);
}

/* Returns n, of which the compiler then knows that 0 <= n < most. */
template <int most> STFK_DEVICE int known_below(int n)
{
    __builtin_assume(n >= 0 && n < most);
    return n;
}

/* Returns the same number as thread_index(), and tells the compiler that it is
 * below `threads`: it then divides numbers without a sign, and knows which
 * conditions always hold. */
template <int threads> STFK_DEVICE unsigned thread_index_below()
{
    const unsigned i = threadIdx.x;

    __builtin_assume(i < threads);
    return i;
}

/* Returns the same number as thread_index(), which is below `threads`, but the
 * compiler cannot know this, and computes what depends on it where it is
 * needed. */
template <int threads> STFK_DEVICE unsigned thread_index_anew()
{
    unsigned i;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(i));
    return i;
}

/* The same for block_index(). */
STFK_DEVICE unsigned block_index_anew()
{
    unsigned i;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(i));
    return i;
}

/* Threads of a wave wait for each other, and then see each other's writes. */
STFK_DEVICE void wave_sync()
{
    __syncwarp();
}

/* Returns to all threads of the wave whether `one` is 1 in any of them. They
 * wait for each other. */
STFK_DEVICE bool wave_any(bool one)
{
    return __any_sync(0xffffffffu, one) != 0;
}

template <class T> STFK_DEVICE T shuffle_xor(T value, int mask)
{
    return __shfl_xor_sync(0xffffffffu, value, mask);
}

/* Returns the value of the thread of the wave whose number is `lane`. */
template <class T> STFK_DEVICE T shuffle(T value, int lane)
{
    return __shfl_sync(0xffffffffu, value, lane);
}

#if __CUDA_ARCH__ >= 900
/* Adds the product of a 16 x 4 and a 4 x 8 matrix, of which the group of 32
 * threads has the parts that PTX ISA's mma.m16n8k4 of doubles says: thread 4 g + q
 * has a0 = (g, q), a1 = (g + 8, q), b = (q, g), and of the sum (g, 2 q),
 * (g, 2 q + 1), (g + 8, 2 q), (g + 8, 2 q + 1). */
STFK_DEVICE void unit_multiply(double &c0, double &c1, double &c2, double &c3,
                               double a0, double a1, double b)
{
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "
                 "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+d"(c0), "+d"(c1), "+d"(c2), "+d"(c3)
                 : "d"(a0), "d"(a1), "d"(b));
}
#elif __CUDA_ARCH__ >= 800
STFK_DEVICE void unit_multiply(double &c0, double &c1, double a, double b)
{
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
                 "{%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c0), "+d"(c1)
                 : "d"(a), "d"(b));
}

/* The same in two halves of 8 rows. */
STFK_DEVICE void unit_multiply(double &c0, double &c1, double &c2, double &c3,
                               double a0, double a1, double b)
{
    unit_multiply(c0, c1, a0, b);
    unit_multiply(c2, c3, a1, b);
}
#endif

/* Returns a copy that the compiler does not know to be one. */
STFK_DEVICE float separate_copy(float v)
{
    asm volatile("" : "+f"(v));
    return v;
}

STFK_DEVICE double separate_copy(double v)
{
    asm volatile("" : "+d"(v));
    return v;
}

STFK_DEVICE long long separate_copy(long long v)
{
    asm volatile("" : "+l"(v));
    return v;
}

/* Returns v; sums are computed where the source has them. */
template <class T> STFK_DEVICE T made_here(T v)
{
    return v;
}

/* Loads of later steps stay behind this place without help. */
STFK_DEVICE void keep_order()
{
}

} // namespace stfk

#include "arch/cuda_memory.h"
#if __CUDA_ARCH__ >= 750
#include "arch/units_sm75.h"
#endif
#if __CUDA_ARCH__ >= 800
#include "arch/async_sm80.h"
#endif
#if __CUDA_ARCH__ >= 900
#include "arch/bulk_sm90.h"
#endif
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#include "arch/groups_sm90.h"
#endif

#endif
