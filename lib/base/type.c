/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of precisions, and their components; see type.h. */
#include "base/type.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const stfi_type types[STFI_TYPES] = {
#define STFI_TYPE(id, name, c, bytes, u, least, math, tables, sums, matrix, \
                  wide, checked)                                            \
    [id] = {id,   name,   c,    bytes,  u,    least,                        \
            math, tables, sums, matrix, wide, checked},
#include "base/types.def"
#undef STFI_TYPE
};

const stfi_type *stfi_type_get(stf_precision id)
{
    return (unsigned)id < (unsigned)STFI_TYPES ? &types[id] : NULL;
}

const stfi_type *stfi_type_find(const char *name)
{
    for (int i = 0; i < STFI_TYPES; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

/* ----------------------------------------------------------------- halves */

/* Halves, for which C11 has no type. A number has a sign, an exponent and
 * `fraction` bits after the point; exponents of normal numbers begin at
 * `first`. */
typedef struct half {
    int fraction, first;
} half;

static const half f16 = {10, -14}, bf16 = {7, -126};

static long double widen(half h, uint16_t bits)
{
    int top = 0x7fff >> h.fraction, magnitude = bits & 0x7fff;
    int exponent = magnitude >> h.fraction;
    int digits = magnitude - (exponent << h.fraction);
    long double value;

    if (exponent == top)
        value = digits ? (long double)NAN : (long double)INFINITY;
    else if (exponent == 0)
        value = ldexpl((long double)digits, h.first - h.fraction);
    else
        value = ldexpl((long double)(digits + (1 << h.fraction)),
                       h.first - h.fraction + exponent - 1);
    return bits & 0x8000 ? -value : value;
}

/* Rounds to a half. Digits that round up to the next power of two carry into
 * the exponent, and from the largest exponent into the code of infinity. */
static uint16_t narrow(half h, long double value)
{
    int top = 0x7fff >> h.fraction << h.fraction, exponent, magnitude;
    long double size = fabsl(value);

    if (isnan(value))
        return (uint16_t)(top | 1 << (h.fraction - 1));
    if (isinf(value)) {
        magnitude = top;
    } else {
        frexpl(size, &exponent);
        exponent = size > 0 && exponent - 1 > h.first ? exponent - 1 : h.first;
        magnitude = exponent > -h.first + 1
                        ? top
                        : ((exponent - h.first) << h.fraction)
                              + (int)rintl(ldexpl(size, h.fraction - exponent));
    }
    return (uint16_t)(magnitude | (signbit(value) ? 0x8000 : 0));
}

/* ------------------------------------------------------------- components */

long double stfi_type_read(stf_precision id, const void *array, int64_t i)
{
    switch (id) {
    case STF_F16: return widen(f16, ((const uint16_t *)array)[i]);
    case STF_BF16: return widen(bf16, ((const uint16_t *)array)[i]);
    case STF_F32: return ((const float *)array)[i];
    case STF_F64: return ((const double *)array)[i];
    default: return ((const long double *)array)[i];
    }
}

void stfi_type_write(stf_precision id, void *array, int64_t i,
                     long double value)
{
    switch (id) {
    case STF_F16: ((uint16_t *)array)[i] = narrow(f16, value); break;
    case STF_BF16: ((uint16_t *)array)[i] = narrow(bf16, value); break;
    case STF_F32: ((float *)array)[i] = (float)value; break;
    case STF_F64: ((double *)array)[i] = (double)value; break;
    default: ((long double *)array)[i] = value;
    }
}
