/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compares the rows of precisions with the types of C, and tests components of
 * arrays. */
#include "base/type.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tests/tap.h"

/* What C says of the type of a precision; for halves, what IEEE 754 and the
 * format say. */
typedef struct expected {
    stf_precision id;
    const char *name, *c_name;
    size_t bytes;
    long double epsilon;           /* from 1 to the next larger number */
    long double smallest, largest; /* the smallest and largest normal numbers */
} expected;

static const expected types[] = {
    {STF_F16, "f16", "", 2, 0x1p-10L, 0x1p-14L, 65504.0L},
    {STF_BF16, "bf16", "", 2, 0x1p-7L, 0x1p-126L, 0x1.fep127L},
    {STF_F32, "f32", "float", sizeof(float), FLT_EPSILON, FLT_MIN, FLT_MAX},
    {STF_F64, "f64", "double", sizeof(double), DBL_EPSILON, DBL_MIN, DBL_MAX},
    {STF_F80, "f80", "long double", sizeof(long double), LDBL_EPSILON, LDBL_MIN,
     LDBL_MAX},
};

enum { COUNT = sizeof types / sizeof *types };

/* An array of one component of any precision. */
typedef union cell {
    uint16_t half;
    float f;
    double d;
    long double l;
} cell;

static long double rounded(stf_precision id, long double value)
{
    cell c = {.l = 0};

    stfi_type_write(id, &c, 0, value);
    return stfi_type_read(id, &c, 0);
}

static void test_row(const expected *x)
{
    const stfi_type *type = stfi_type_get(x->id);

    tap_ok(type != NULL && type->id == x->id && !strcmp(type->name, x->name)
               && stfi_type_find(x->name) == type,
           "%s: its row by id and by name", x->name);
    tap_ok(type->bytes == x->bytes
               && !strcmp(type->c_name != NULL ? type->c_name : "", x->c_name),
           "%s: %d bytes, as its type in C", x->name, (int)x->bytes);
    tap_ok((long double)type->unit_roundoff == x->epsilon / 2
               && type->least == x->smallest * x->epsilon,
           "%s: unit round-off and least number", x->name);
}

/* 1 if the precision that computes another one is at least as wide, and is
 * computed in itself. */
static int is_closed(const stfi_type *type, const stfi_type *other)
{
    return other != NULL && other->arithmetic == other->id
           && other->tables == other->id && other->sums == other->id
           && other->c_name != NULL && other->bytes >= type->bytes
           && other->unit_roundoff <= type->unit_roundoff;
}

static void test_ways(const expected *x)
{
    const stfi_type *type = stfi_type_get(x->id);

    tap_ok(is_closed(type, stfi_type_arithmetic(x->id))
               && is_closed(type, stfi_type_tables(x->id))
               && is_closed(type, stfi_type_sums(x->id)),
           "%s: arithmetic, tables and sums in types of C", x->name);
    tap_ok(type->wide == (stfi_type_arithmetic(x->id)->bytes > sizeof(float)),
           "%s: wide if its arithmetic is", x->name);
    tap_ok(type->matrix == STFI_NO_MATRIX
               || stfi_type_get((stf_precision)type->matrix)->bytes == 2,
           "%s: matrix units take halves", x->name);
    tap_ok(!type->checked || stfi_type_arithmetic(x->id)->checked,
           "%s: protected only if its arithmetic is", x->name);
}

static void test_numbers(const expected *x)
{
    long double e = x->epsilon, least = x->smallest * e;

    tap_ok(rounded(x->id, 1 + e) == 1 + e
               && rounded(x->id, -x->largest) == -x->largest
               && rounded(x->id, x->smallest) == x->smallest
               && rounded(x->id, -least) == -least
               && rounded(x->id, x->smallest - least) == x->smallest - least,
           "%s: numbers it has are written and read as they are", x->name);
    tap_ok(signbit(rounded(x->id, -0.0L)) && rounded(x->id, -0.0L) == 0
               && isnan(rounded(x->id, (long double)NAN))
               && rounded(x->id, -(long double)INFINITY)
                      == -(long double)INFINITY,
           "%s: zeros, infinities and NaN", x->name);
}

/* Rounding to types that are narrower than long double. */
static void test_rounding(const expected *x)
{
    long double e = x->epsilon, least = x->smallest * e;

    tap_ok(rounded(x->id, 1 + e / 2) == 1
               && rounded(x->id, 1 + e * 0.75L) == 1 + e
               && rounded(x->id, 1 + e * 1.5L) == 1 + 2 * e
               && rounded(x->id, 2 - e / 4) == 2
               && rounded(x->id, least * 0.5L) == 0
               && rounded(x->id, least * 0.75L) == least
               && isinf(rounded(x->id, x->largest * (1 + e / 2))),
           "%s: others go to the nearest, ties to even", x->name);
}

static void test_halves(const expected *x)
{
    int wrong = 0;

    for (int bits = 0; bits < 1 << 16; bits++) {
        uint16_t from[2] = {0, (uint16_t)bits}, to[2] = {0, 0};
        long double value = stfi_type_read(x->id, from, 1);
        stfi_type_write(x->id, to, 1, value);
        wrong += isnan(value) ? !isnan(stfi_type_read(x->id, to, 1))
                              : to[1] != from[1];
    }
    tap_ok(wrong == 0, "%s: each of its codes is read and written back",
           x->name);
}

int main(void)
{
    tap_begin("type");
    tap_ok((int)COUNT == (int)STFI_TYPES, "all precisions are looked at");
    tap_ok(stfi_type_get((stf_precision)STFI_TYPES) == NULL
               && stfi_type_get((stf_precision)-1) == NULL
               && stfi_type_find("f99") == NULL,
           "absent rows are not found");
    for (int i = 0; i < COUNT; i++) {
        test_row(&types[i]);
        test_ways(&types[i]);
        test_numbers(&types[i]);
        if (types[i].epsilon > LDBL_EPSILON)
            test_rounding(&types[i]);
        if (types[i].bytes == 2)
            test_halves(&types[i]);
    }
    return tap_end();
}
