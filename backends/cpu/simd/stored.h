/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reading and writing arrays. Their components are of the type `stored`; in the
 * kernels of halves (STFI_HALF), the format of an array says at run time whether
 * they are F16 or BF16, or F32 as in the workspace, where a component takes two
 * of that type. Elsewhere formats are not looked at. */
#ifndef STFI_SIMD_STORED_H
#define STFI_SIMD_STORED_H

#include "backends/cpu/simd/simd.h"

#ifdef STFI_HALF
#include "steadfast.h"

#include "backends/cpu/simd/half_convert.h"

typedef float any_float __attribute__((may_alias));

/* Executes statements in which AS is the format, as a constant. */
#define BY_FORMAT(format, ...)             \
    do {                                   \
        if ((format) == STF_F16) {         \
            enum { AS = STF_F16 };         \
            __VA_ARGS__;                   \
        } else if ((format) == STF_BF16) { \
            enum { AS = STF_BF16 };        \
            __VA_ARGS__;                   \
        } else {                           \
            enum { AS = STF_F32 };         \
            __VA_ARGS__;                   \
        }                                  \
    } while (0)

/* The most of type `stored` that a component takes. */
enum { STORED_UNITS = 2 };

INLINE int stored_bytes(int format)
{
    return format == STF_F32 ? 4 : 2;
}

/* The address of the component i behind p. */
INLINE stored *stored_at(const stored *p, int format, int64_t i)
{
    return (stored *)(uintptr_t)p + (format == STF_F32 ? 2 * i : i);
}

INLINE real get_stored(const stored *p, int format)
{
    return format == STF_F16    ? stfi_half_from_f16(*p)
           : format == STF_BF16 ? stfi_half_from_bf16(*p)
                                : *(const any_float *)(const void *)p;
}

INLINE void put_stored(stored *p, int format, real x)
{
    if (format == STF_F16)
        *p = (stored)stfi_half_to_f16(x);
    else if (format == STF_BF16)
        *p = (stored)stfi_half_to_bf16(x);
    else
        *(any_float *)(void *)p = x;
}

#if STFI_LANES > 1
/* Addresses of any alignment. */
INLINE V load_stored(const stored *p, int format)
{
    return format == STF_F16    ? load_f16(p)
           : format == STF_BF16 ? load_bf16(p)
                                : loadu((const real *)(const void *)p);
}

INLINE void store_stored(stored *p, int format, V v)
{
    if (format == STF_F16)
        store_f16(p, v);
    else if (format == STF_BF16)
        store_bf16(p, v);
    else
        *(VU *)(void *)p = v;
}
#endif

#else

#define BY_FORMAT(format, ...) \
    do {                       \
        enum { AS = 0 };       \
        (void)(format);        \
        __VA_ARGS__;           \
    } while (0)

enum { STORED_UNITS = 1 };

INLINE int stored_bytes(int format)
{
    (void)format;
    return (int)sizeof(stored);
}

INLINE stored *stored_at(const stored *p, int format, int64_t i)
{
    (void)format;
    return (stored *)(uintptr_t)p + i;
}

INLINE real get_stored(const stored *p, int format)
{
    (void)format;
    return (real)*p;
}

INLINE void put_stored(stored *p, int format, real x)
{
    (void)format;
    *p = (stored)x;
}

#if STFI_LANES > 1
typedef stored VS __attribute__((vector_size(STFI_LANES * STFI_STORED_BYTES),
                                 aligned(STFI_STORED_BYTES), may_alias));

INLINE V load_stored(const stored *p, int format)
{
    (void)format;
    return CONVERT(*(const VS *)p, V);
}

INLINE void store_stored(stored *p, int format, V v)
{
    (void)format;
    *(VS *)p = CONVERT(v, VS);
}
#endif
#endif

/* W complex elements (re, im, re, im, ...) to and from separate parts. */
#if STFI_LANES > 1
INLINE void load_complex(const stored *p, int format, V *re, V *im)
{
    V a = load_stored(p, format);
    V b = load_stored(stored_at(p, format, W), format);

    *re = SHUFFLE(a, b, STFI_CAT(EVEN_, STFI_LANES));
    *im = SHUFFLE(a, b, STFI_CAT(ODD_, STFI_LANES));
}

INLINE void store_complex(stored *p, int format, V re, V im)
{
    store_stored(p, format, SHUFFLE(re, im, STFI_CAT(LOW_, STFI_LANES)));
    store_stored(stored_at(p, format, W), format,
                 SHUFFLE(re, im, STFI_CAT(HIGH_, STFI_LANES)));
}
#else
INLINE V load_stored(const stored *p, int format)
{
    return get_stored(p, format);
}

INLINE void store_stored(stored *p, int format, V v)
{
    put_stored(p, format, v);
}

INLINE void load_complex(const stored *p, int format, V *re, V *im)
{
    *re = get_stored(p, format);
    *im = get_stored(stored_at(p, format, 1), format);
}

INLINE void store_complex(stored *p, int format, V re, V im)
{
    put_stored(p, format, re);
    put_stored(stored_at(p, format, 1), format, im);
}
#endif

/* x as memory will have it. */
INLINE V as_stored(V x, int format)
{
#ifdef STFI_HALF
    stored copy[W * STORED_UNITS] __attribute__((aligned(64)));

    store_stored(copy, format, x);
    return load_stored(copy, format);
#else
    (void)format;
    return x;
#endif
}

#endif
