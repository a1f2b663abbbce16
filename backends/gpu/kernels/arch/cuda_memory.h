/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How kernels for CUDA load and store. */
#ifndef STFK_ARCH_CUDA_MEMORY_H
#define STFK_ARCH_CUDA_MEMORY_H

#include "arch/runtime.h"

namespace stfk
{

/* A value and its bits, as units that one instruction moves. */
template <int bytes> struct moved_by;
template <> struct moved_by<2> {
    typedef unsigned short type;
};
template <> struct moved_by<4> {
    typedef unsigned type;
};
template <> struct moved_by<8> {
    typedef vec2<unsigned> type;
};
template <> struct moved_by<16> {
    typedef words type;
};

template <class T> union as_bits {
    typedef typename moved_by<sizeof(T)>::type type;
    T value;
    type bits;
};

/* Data are read only once, so these loads leave the first-level cache to the
 * tables. */
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

STFK_DEVICE vec2<double> load_global(const vec2<double> *p)
{
    vec2<double> v;
    asm volatile("ld.global.L1::no_allocate.v2.f64 {%0, %1}, [%2];"
                 : "=d"(v.x), "=d"(v.y)
                 : "l"(p));
    return v;
}

/* Of other types, as many bits. */
STFK_DEVICE unsigned short load_bits(const unsigned short *p)
{
    unsigned short v;
    asm volatile("ld.global.L1::no_allocate.u16 %0, [%1];" : "=h"(v) : "l"(p));
    return v;
}

STFK_DEVICE unsigned load_bits(const unsigned *p)
{
    unsigned v;
    asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}

STFK_DEVICE vec2<unsigned> load_bits(const vec2<unsigned> *p)
{
    vec2<unsigned> v;
    asm volatile("ld.global.L1::no_allocate.v2.u32 {%0, %1}, [%2];"
                 : "=r"(v.x), "=r"(v.y)
                 : "l"(p));
    return v;
}

STFK_DEVICE words load_bits(const words *p)
{
    words v;
    asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.of[0]), "=r"(v.of[1]), "=r"(v.of[2]), "=r"(v.of[3])
                 : "l"(p));
    return v;
}

template <class T> STFK_DEVICE T load_global(const T *p)
{
    union as_bits<T> u;

    u.bits = load_bits((const typename as_bits<T>::type *)p);
    return u.value;
}

/* Four reals of F64 take two accesses. */
STFK_DEVICE vec2<vec2<double>> load_global(const vec2<vec2<double>> *p)
{
    return {load_global(&p->x), load_global(&p->y)};
}

/* Reals beside which a later load reads others, and which the first-level cache
 * may therefore keep. */
template <class T> STFK_DEVICE T load_near(const T *p)
{
    return *p;
}

STFK_DEVICE vec2<double> load_near(const vec2<double> *p)
{
    double2 v = *(const double2 *)p;
    return {v.x, v.y};
}

/* Returns p. The compiler does not know that it does, and so makes addresses at known
 * distances from p as constants of their instructions: of an index that is a sum, it
 * would make each address by itself. */
template <class T> STFK_DEVICE T *one_address(T *p)
{
    asm("" : "+l"(p));
    return p;
}

/* Returns w. The compiler makes it no later than what comes after it: otherwise it would
 * keep what a word is made of, which needs more registers. */
STFK_DEVICE unsigned word_made_here(unsigned w)
{
    asm volatile("" : "+r"(w));
    return w;
}

/* Tables do not change while a kernel runs, so the compiler may move their
 * loads before stores. It may not move them out of conditions, as it does with
 * assembly that is not volatile: where a condition is false there may be no
 * memory. */
STFK_DEVICE float load_table(const float *p)
{
    return __ldg(p);
}

STFK_DEVICE double load_table(const double *p)
{
    return __ldg(p);
}

STFK_DEVICE vec2<float> load_table(const vec2<float> *p)
{
    const float2 v = __ldg((const float2 *)p);

    return {v.x, v.y};
}

STFK_DEVICE vec2<double> load_table(const vec2<double> *p)
{
    const double2 v = __ldg((const double2 *)p);

    return {v.x, v.y};
}

STFK_DEVICE vec2<vec2<float>> load_table(const vec2<vec2<float>> *p)
{
    const float4 v = __ldg((const float4 *)p);

    return {{v.x, v.y}, {v.z, v.w}};
}

STFK_DEVICE vec2<vec2<double>> load_table(const vec2<vec2<double>> *p)
{
    return {load_table(&p->x), load_table(&p->y)};
}

STFK_DEVICE unsigned load_word(const unsigned *p)
{
    return __ldg(p);
}

STFK_DEVICE words load_words(const words *p)
{
    const uint4 v = __ldg((const uint4 *)p);

    return {{v.x, v.y, v.z, v.w}};
}

/* No kernel reads a result before the pass is complete, so results are
 * marked as the first to leave the second-level cache. */
STFK_DEVICE void store_global(float *p, float v)
{
    __stcs(p, v);
}

STFK_DEVICE void store_global(double *p, double v)
{
    __stcs(p, v);
}

STFK_DEVICE void store_global(vec2<float> *p, vec2<float> v)
{
    __stcs((float2 *)p, make_float2(v.x, v.y));
}

STFK_DEVICE void store_global(vec2<double> *p, vec2<double> v)
{
    __stcs((double2 *)p, make_double2(v.x, v.y));
}

STFK_DEVICE void store_bits(unsigned short *p, unsigned short v)
{
    __stcs(p, v);
}

STFK_DEVICE void store_bits(unsigned *p, unsigned v)
{
    __stcs(p, v);
}

STFK_DEVICE void store_bits(vec2<unsigned> *p, vec2<unsigned> v)
{
    __stcs((uint2 *)p, make_uint2(v.x, v.y));
}

STFK_DEVICE void store_bits(words *p, words v)
{
    __stcs((uint4 *)p, make_uint4(v.of[0], v.of[1], v.of[2], v.of[3]));
}

template <class T> STFK_DEVICE void store_global(T *p, T v)
{
    union as_bits<T> u;

    u.value = v;
    store_bits((typename as_bits<T>::type *)p, u.bits);
}

STFK_DEVICE void store_global(vec2<vec2<double>> *p, vec2<vec2<double>> v)
{
    store_global(&p->x, v.x);
    store_global(&p->y, v.y);
}

/* Stores that bypass the first-level cache where tables need it. */
STFK_DEVICE void store_past(float *p, float v)
{
    asm volatile("st.global.L1::no_allocate.f32 [%0], %1;" ::"l"(p), "f"(v)
                 : "memory");
}

STFK_DEVICE void store_past(double *p, double v)
{
    asm volatile("st.global.L1::no_allocate.f64 [%0], %1;" ::"l"(p), "d"(v)
                 : "memory");
}

STFK_DEVICE void store_past(vec2<float> *p, vec2<float> v)
{
    asm volatile("st.global.L1::no_allocate.v2.f32 [%0], {%1, %2};" ::"l"(p),
                 "f"(v.x), "f"(v.y)
                 : "memory");
}

STFK_DEVICE void store_past(vec2<double> *p, vec2<double> v)
{
    asm volatile("st.global.L1::no_allocate.v2.f64 [%0], {%1, %2};" ::"l"(p),
                 "d"(v.x), "d"(v.y)
                 : "memory");
}

STFK_DEVICE void store_bits_past(unsigned short *p, unsigned short v)
{
    asm volatile("st.global.L1::no_allocate.u16 [%0], %1;" ::"l"(p), "h"(v)
                 : "memory");
}

STFK_DEVICE void store_bits_past(unsigned *p, unsigned v)
{
    asm volatile("st.global.L1::no_allocate.u32 [%0], %1;" ::"l"(p), "r"(v)
                 : "memory");
}

STFK_DEVICE void store_bits_past(vec2<unsigned> *p, vec2<unsigned> v)
{
    asm volatile("st.global.L1::no_allocate.v2.u32 [%0], {%1, %2};" ::"l"(p),
                 "r"(v.x), "r"(v.y)
                 : "memory");
}

STFK_DEVICE void store_bits_past(words *p, words v)
{
    asm volatile(
        "st.global.L1::no_allocate.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p),
        "r"(v.of[0]), "r"(v.of[1]), "r"(v.of[2]), "r"(v.of[3])
        : "memory");
}

template <class T> STFK_DEVICE void store_past(T *p, T v)
{
    union as_bits<T> u;

    u.value = v;
    store_bits_past((typename as_bits<T>::type *)p, u.bits);
}

STFK_DEVICE void store_past(vec2<vec2<double>> *p, vec2<vec2<double>> v)
{
    store_past(&p->x, v.x);
    store_past(&p->y, v.y);
}

} // namespace stfk

#endif
