/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The only place that knows for whom the kernels are compiled: CUDA (nvcc or
 * NVRTC), HIP (hipcc or hipRTC), or the tests' emulation on a host. */
#ifndef STFK_VENDOR_H
#define STFK_VENDOR_H

#include "config.h"

#if defined(STFK_HOST)

#include "simt_device.h"

#elif defined(STFK_CUDA) || defined(STFK_HIP)

#define STFK_DEVICE static __device__ __forceinline__
#define STFK_CONST static constexpr __host__ __device__
#define STFK_MEMBER __device__ __forceinline__
#define STFK_APART static __device__ __noinline__
#define STFK_UNROLL _Pragma("unroll")
#define STFK_UNROLL_SOME _Pragma("unroll 2")
#define STFK_ENTRY(name, threads, blocks) \
    extern "C" __global__ void __launch_bounds__(threads, blocks) name
#if defined(STFK_CUDA)
#define STFK_PARAM const __grid_constant__
#else
#define STFK_PARAM const
#endif

namespace stfk
{

#if defined(STFK_WAVE)
constexpr int wave_size = STFK_WAVE;
#else
constexpr int wave_size = 32;
#endif

/* Where a block does tile after tile, what depends on its threads alone would
 * be worked out before the loop, and then find no room in registers. */
STFK_DEVICE unsigned thread_index()
{
#if (STFK_TRANSACTIONS > 1 || STFK_PERSISTENT) && defined(STFK_CUDA)
    unsigned i;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(i));
    return i;
#else
    return threadIdx.x;
#endif
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

/* Threads of a wave wait for each other, and see each other's writes. */
STFK_DEVICE void wave_sync()
{
#if defined(STFK_CUDA)
    __syncwarp();
#else
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#endif
}

/* 1 for all threads of the block, of the wave, if it is for one of them; they
 * wait for each other. */
STFK_DEVICE bool block_any(bool one)
{
    return __syncthreads_or(one) != 0;
}

STFK_DEVICE bool wave_any(bool one)
{
#if defined(STFK_CUDA)
    return __any_sync(0xffffffffu, one) != 0;
#else
    wave_sync();
    return __any(one) != 0;
#endif
}

template <class T> STFK_DEVICE T shuffle_xor(T value, int mask)
{
#if defined(STFK_CUDA)
    return __shfl_xor_sync(0xffffffffu, value, mask);
#else
    return __shfl_xor(value, mask);
#endif
}

/* Of the thread of the wave whose number is `lane`. */
template <class T> STFK_DEVICE T shuffle(T value, int lane)
{
#if defined(STFK_CUDA)
    return __shfl_sync(0xffffffffu, value, lane);
#else
    return __shfl(value, lane);
#endif
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
/* Adds, and tells what there was. */
STFK_DEVICE count_t atomic_take(count_t *p, count_t n)
{
    return atomicAdd(p, n);
}

/* Counts from 0 to `last`, and begins again; tells what there was. */
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

/* a b + c, rounded once. */
STFK_DEVICE float multiply_add(float a, float b, float c)
{
    return fmaf(a, b, c);
}
STFK_DEVICE double multiply_add(double a, double b, double c)
{
    return fma(a, b, c);
}

/* A copy of which the compiler does not know that it is one. */
STFK_DEVICE float separate_copy(float v)
{
#if defined(STFK_CUDA)
    asm volatile("" : "+f"(v));
#else
    asm volatile("" : "+v"(v));
#endif
    return v;
}

STFK_DEVICE double separate_copy(double v)
{
#if defined(STFK_CUDA)
    asm volatile("" : "+d"(v));
#else
    asm volatile("" : "+v"(v));
#endif
    return v;
}

STFK_DEVICE long long separate_copy(long long v)
{
#if defined(STFK_CUDA)
    asm volatile("" : "+l"(v));
#else
    asm volatile("" : "+v"(v));
#endif
    return v;
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

/* Data pass through once: they leave the first-level cache to the tables. */
#if defined(STFK_CUDA)
STFK_DEVICE float load_global(const float *p)
{
    float v;
    asm volatile("ld.global.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}

STFK_DEVICE double load_global(const double *p)
{
    double v;
    asm volatile("ld.global.L1::no_allocate.f64 %0, [%1];" : "=d"(v) : "l"(p));
    return v;
}

STFK_DEVICE vec2<float> load_global(const vec2<float> *p)
{
    vec2<float> v;
    asm volatile("ld.global.L1::no_allocate.v2.f32 {%0, %1}, [%2];"
                 : "=f"(v.x), "=f"(v.y)
                 : "l"(p));
    return v;
}

STFK_DEVICE vec2<vec2<float>> load_global(const vec2<vec2<float>> *p)
{
    vec2<vec2<float>> v;
    asm volatile("ld.global.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x.x), "=f"(v.x.y), "=f"(v.y.x), "=f"(v.y.y)
                 : "l"(p));
    return v;
}

STFK_DEVICE vec2<double> load_global(const vec2<double> *p)
{
    vec2<double> v;
    asm volatile("ld.global.L1::no_allocate.v2.f64 {%0, %1}, [%2];"
                 : "=d"(v.x), "=d"(v.y)
                 : "l"(p));
    return v;
}

template <class T> STFK_DEVICE vec2<vec2<T>> load_global(const vec2<vec2<T>> *p)
{
    return {load_global(&p->x), load_global(&p->y)};
}
#else
template <class T> STFK_DEVICE T load_global(const T *p)
{
    return *p;
}
#endif

/* Tables do not change while a kernel runs: their loads may go before
 * stores. */
template <class T> STFK_DEVICE vec2<T> load_table(const vec2<T> *p)
{
#if defined(STFK_CUDA)
    vec2<T> v;
    if constexpr (sizeof(T) == 4)
        asm("ld.global.nc.v2.f32 {%0, %1}, [%2];"
            : "=f"(v.x), "=f"(v.y)
            : "l"(p));
    else
        asm("ld.global.nc.v2.f64 {%0, %1}, [%2];"
            : "=d"(v.x), "=d"(v.y)
            : "l"(p));
    return v;
#else
    return *p;
#endif
}

template <class T> STFK_DEVICE T load_table(const T *p)
{
#if defined(STFK_CUDA)
    T v;
    if constexpr (sizeof(T) == 4)
        asm("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(p));
    else
        asm("ld.global.nc.f64 %0, [%1];" : "=d"(v) : "l"(p));
    return v;
#else
    return *p;
#endif
}

STFK_DEVICE unsigned load_word(const unsigned *p)
{
#if defined(STFK_CUDA)
    unsigned v;
    asm("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
#else
    return *p;
#endif
}

/* 16 bytes of a table. */
struct alignas(16) words {
    unsigned of[4];
};

STFK_DEVICE words load_words(const words *p)
{
#if defined(STFK_CUDA)
    words v;
    asm("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.of[0]), "=r"(v.of[1]), "=r"(v.of[2]), "=r"(v.of[3])
        : "l"(p));
    return v;
#else
    return *p;
#endif
}

/* Byte i of a word, and the upper three of another one. */
STFK_DEVICE unsigned with_byte(unsigned upper, unsigned word, int i)
{
    return __byte_perm(word, upper, 0x7650u | (unsigned)i);
}

/* Nobody reads the results of a pass before all of it is done: they are the
 * first to leave the second-level cache. Those of a protected kernel leave the
 * first-level cache to its tables instead. */
#if defined(STFK_CUDA)
template <class T> STFK_DEVICE void store_past(T *p, T v)
{
    if constexpr (sizeof(T) == 4)
        asm volatile("st.global.L1::no_allocate.f32 [%0], %1;" ::"l"(p), "f"(v)
                     : "memory");
    else
        asm volatile("st.global.L1::no_allocate.f64 [%0], %1;" ::"l"(p), "d"(v)
                     : "memory");
}

STFK_DEVICE void store_global(float *p, float v)
{
    if (STFK_CHECK)
        store_past(p, v);
    else
        __stcs(p, v);
}

STFK_DEVICE void store_global(double *p, double v)
{
    if (STFK_CHECK)
        store_past(p, v);
    else
        __stcs(p, v);
}

STFK_DEVICE void store_global(vec2<float> *p, vec2<float> v)
{
    if (STFK_CHECK)
        asm volatile(
            "st.global.L1::no_allocate.v2.f32 [%0], {%1, %2};" ::"l"(p),
            "f"(v.x), "f"(v.y)
            : "memory");
    else
        __stcs((float2 *)p, make_float2(v.x, v.y));
}

STFK_DEVICE void store_global(vec2<double> *p, vec2<double> v)
{
    if (STFK_CHECK)
        asm volatile(
            "st.global.L1::no_allocate.v2.f64 [%0], {%1, %2};" ::"l"(p),
            "d"(v.x), "d"(v.y)
            : "memory");
    else
        __stcs((double2 *)p, make_double2(v.x, v.y));
}

STFK_DEVICE void store_global(vec2<vec2<float>> *p, vec2<vec2<float>> v)
{
    if (STFK_CHECK)
        asm volatile(
            "st.global.L1::no_allocate.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p),
            "f"(v.x.x), "f"(v.x.y), "f"(v.y.x), "f"(v.y.y)
            : "memory");
    else
        __stcs((float4 *)p, make_float4(v.x.x, v.x.y, v.y.x, v.y.y));
}

STFK_DEVICE void store_global(vec2<vec2<double>> *p, vec2<vec2<double>> v)
{
    store_global(&p->x, v.x);
    store_global(&p->y, v.y);
}
#else
template <class T> STFK_DEVICE void store_global(T *p, T v)
{
    *p = v;
}
#endif

#if defined(STFK_CUDA) && __CUDA_ARCH__ >= 900
/* Copies of long runs from device to shared memory, by an engine of its own:
 * units of 16 bytes, one copy under way at a time. The sign (8 bytes of shared
 * memory) tells all threads that the copy of a phase, 0, 1, 0, ..., is there.
 * Source: PTX ISA, sections on mbarrier and cp.async.bulk. */
STFK_DEVICE unsigned shared_place(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

STFK_DEVICE void bulk_prepare(void *sign)
{
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
        "fence.mbarrier_init.release.cluster;" ::"r"(shared_place(sign))
        : "memory");
}

STFK_DEVICE void bulk_copy(void *to, const void *from, int bytes, void *sign)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     shared_place(sign)),
                 "r"(bytes)
                 : "memory");
    asm volatile("fence.proxy.async.shared::cta;\n\t"
                 "cp.async.bulk.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_place(to)),
                 "l"(from), "r"(bytes), "r"(shared_place(sign))
                 : "memory");
}

STFK_DEVICE void bulk_wait(void *sign, int phase)
{
    unsigned done;

    do
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
                     "\n\tselp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(shared_place(sign)), "r"(phase)
                     : "memory");
    while (!done);
}
#endif

} // namespace stfk

#else
#error "define STFK_CUDA, STFK_HIP or STFK_HOST"
#endif

#endif
