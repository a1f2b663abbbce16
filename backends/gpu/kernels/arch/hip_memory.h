/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How kernels for HIP load and store. */
#ifndef STFK_ARCH_HIP_MEMORY_H
#define STFK_ARCH_HIP_MEMORY_H

#include "arch/runtime.h"

namespace stfk
{

/* What one instruction moves: so many bytes, as words. */
template <int bytes> struct moved_by {
    typedef unsigned type __attribute__((ext_vector_type(bytes / 4)));
};

template <> struct moved_by<4> {
    typedef unsigned type;
};

template <> struct moved_by<2> {
    typedef unsigned short type;
};

/* A pointer to device memory. The compiler does not know what kind of memory a
 * pointer from the arguments leads to, and instructions for any kind are
 * slower. */
template <class T> struct device_memory {
    typedef __attribute__((address_space(1))) T *place;
    typedef const __attribute__((address_space(1))) T *source;
};

/* Data are read only once, and no kernel reads a result before the pass is
 * complete: both are marked as the first to leave the caches, which keep the
 * tables. */
template <class T> STFK_DEVICE T load_global(const T *p)
{
    typedef typename moved_by<sizeof(T)>::type moved;

    return __builtin_bit_cast(T, __builtin_nontemporal_load(
                                     (typename device_memory<moved>::source)p));
}

/* Reals beside which a later load reads others. */
template <class T> STFK_DEVICE T load_near(const T *p)
{
    typedef typename moved_by<sizeof(T)>::type moved;

    return __builtin_bit_cast(T, *(typename device_memory<moved>::source)p);
}

template <class T> STFK_DEVICE void store_global(T *p, T v)
{
    typedef typename moved_by<sizeof(T)>::type moved;

    __builtin_nontemporal_store(__builtin_bit_cast(moved, v),
                                (typename device_memory<moved>::place)p);
}

/* Returns w; see arch/cuda_memory.h. */
STFK_DEVICE unsigned word_made_here(unsigned w)
{
    return w;
}

/* Returns p; see arch/cuda_memory.h. */
template <class T> STFK_DEVICE T *one_address(T *p)
{
    return p;
}

/* Tables of up to 16 bytes an element. */
template <class T> STFK_DEVICE T load_table(const T *p)
{
    typedef typename moved_by<sizeof(T)>::type moved;

    return __builtin_bit_cast(T, *(typename device_memory<moved>::source)p);
}

/* Halves: see arch/units_sm75.h. */
enum { HALF_F16, HALF_BF16 };

STFK_DEVICE unsigned load_half(const unsigned short *p)
{
    return *p;
}

template <int type> STFK_DEVICE float half_widened(unsigned bits)
{
    if constexpr (type == HALF_BF16)
        return make_float(bits << 16);
    else
        return (float)__builtin_bit_cast(_Float16, (unsigned short)bits);
}

template <int type> STFK_DEVICE unsigned half_rounded(float x)
{
    if constexpr (type == HALF_F16)
        return __builtin_bit_cast(unsigned short, (_Float16)x);
    const unsigned b = bits_of(x), size = b & 0x7fffffffu;
    return size > 0x7f800000u ? b >> 16 | 0x40u
                              : (b + 0x7fffu + (b >> 16 & 1u)) >> 16;
}

STFK_DEVICE unsigned load_word(const unsigned *p)
{
    return load_table(p);
}

STFK_DEVICE words load_words(const words *p)
{
    return load_table(p);
}

/* No store passes by one level of the caches alone. */
template <class T> STFK_DEVICE void store_past(T *p, T v)
{
    typedef typename moved_by<sizeof(T)>::type moved;

    *(typename device_memory<moved>::place)p = __builtin_bit_cast(moved, v);
}

} // namespace stfk

#endif
