/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Vector instructions that compute an expression in each lane. */
#include <math.h>
#include <string.h>

#include "base/half.h"
#include "tests/isa/isa.h"

/* --------------------------------------------------- parts of expressions */

static uint32_t reversed(uint32_t a)
{
    uint32_t r = 0;

    for (int k = 0; k < 32; k++)
        r |= (a >> k & 1) << (31 - k);
    return r;
}

static uint32_t leading_zeros(uint32_t a)
{
    return (uint32_t)__builtin_clz(a);
}

static uint32_t to_u32(double a)
{
    return !(a > -1) ? 0 : a >= 4294967296.0 ? ~0u : a < 0 ? 0 : (uint32_t)a;
}

static int32_t to_i32(double a)
{
    return a != a               ? 0
           : a >= 2147483648.0  ? INT32_MAX
           : a <= -2147483648.0 ? INT32_MIN
                                : (int32_t)a;
}

/* What approximates a double: 2^29 units in the last place are documented. So
 * code that does not refine it has a visible error. */
static double roughly(double a)
{
    uint64_t bits;

    if (a != a || isinf(a))
        return a;
    memcpy(&bits, &a, sizeof bits);
    bits &= ~(((uint64_t)1 << 28) - 1);
    memcpy(&a, &bits, sizeof bits);
    return a;
}

static int32_t exponent_of(double a)
{
    int e = 0;

    if (a == 0 || a != a || isinf(a))
        return 0;
    frexp(a, &e);
    return e;
}

static double mantissa_of(double a)
{
    int e;

    return a == 0 || a != a || isinf(a) ? a : frexp(a, &e);
}

static int64_t low24(uint32_t a)
{
    return (int32_t)(a << 8) >> 8;
}

static int32_t signed_field(uint32_t a, uint32_t from, uint32_t width)
{
    return width == 0 ? 0
                      : (int32_t)(a >> from << (32 - width)) >> (32 - width);
}

/* Each byte of the selector chooses a byte of b, then of a; or signs and
 * constants. */
static uint32_t permuted(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint64_t both = (uint64_t)a << 32 | b;
    uint32_t result = 0;

    for (int k = 0; k < 4; k++) {
        uint32_t s = selector >> 8 * k & 0xff, byte;
        if (s < 8)
            byte = (uint32_t)(both >> 8 * s) & 0xff;
        else if (s < 12)
            byte = both >> (16 * (s - 8) + 15) & 1 ? 0xff : 0;
        else
            byte = s == 12 ? 0 : 0xff;
        result |= byte << 8 * k;
    }
    return result;
}

/* What does not round as a fused operation loses numbers below the normal
 * ones. */
static float flushed(float a)
{
    return fabsf(a) < 0x1p-126f ? copysignf(0, a) : a;
}

/* Of a quotient q that was computed for n / d, makes what is right if they are
 * special or the quotient is out of range. */
static double fixed_f64(double q, double d, double n)
{
    int sign = (signbit(d) != 0) != (signbit(n) != 0);
    double s = sign ? -1.0 : 1.0;

    if (n != n || d != d)
        return n != n ? n : d;
    if ((d == 0 && n == 0) || (isinf(d) && isinf(n)))
        return -NAN;
    if (d == 0 || isinf(n))
        return s * INFINITY;
    if (isinf(d) || n == 0)
        return s * 0.0;
    if (ilogb(n) - ilogb(d) < -1075)
        return s * 0.0;
    return s * fabs(q);
}

static float fixed_f32(float q, float d, float n)
{
    float s = (signbit(d) != 0) != (signbit(n) != 0) ? -1.0f : 1.0f;

    if (n != n || d != d)
        return n != n ? n : d;
    if ((d == 0 && n == 0) || (isinf(d) && isinf(n)))
        return -NAN;
    if (d == 0 || isinf(n))
        return s * (float)INFINITY;
    if (isinf(d) || n == 0)
        return s * 0.0f;
    if (ilogbf(n) - ilogbf(d) < -150)
        return s * 0.0f;
    return s * fabsf(q);
}

/* -------------------------------------------------------- types of operands */

typedef uint16_t type_u16;
typedef int16_t type_i16;
typedef uint32_t type_u32;
typedef int32_t type_i32;
typedef float type_f32;
typedef uint64_t type_u64;
typedef int64_t type_i64;
typedef double type_f64;

/* How many bytes an operand of a type takes, whether it is real, and whether
 * its literals have a sign. */
#define GET_32(type)                                                  \
    static void get_##type(const isa_wave *w, const isa_operand *o,   \
                           type_##type *to)                           \
    {                                                                 \
        uint32_t lanes[ISA_LANES];                                    \
        isa_get32(w, o, lanes);                                       \
        for (int k = 0; k < ISA_LANES; k++)                           \
            memcpy(&to[k], &lanes[k], sizeof *to);                    \
    }                                                                 \
    static void put_##type(isa_wave *w, const isa_instr *i, int lane, \
                           type_##type value)                         \
    {                                                                 \
        uint32_t bits = 0;                                            \
        memcpy(&bits, &value, sizeof value);                          \
        isa_put32(w, i, lane, bits);                                  \
    }
#define GET_64(type, is_real, is_signed)                              \
    static void get_##type(const isa_wave *w, const isa_operand *o,   \
                           type_##type *to)                           \
    {                                                                 \
        uint64_t lanes[ISA_LANES];                                    \
        isa_get64(w, o, is_real, is_signed, lanes);                   \
        memcpy(to, lanes, sizeof lanes);                              \
    }                                                                 \
    static void put_##type(isa_wave *w, const isa_instr *i, int lane, \
                           type_##type value)                         \
    {                                                                 \
        uint64_t bits;                                                \
        memcpy(&bits, &value, sizeof value);                          \
        isa_put64(w, i, lane, bits);                                  \
    }
GET_32(u16)
GET_32(i16)
GET_32(u32)
GET_32(i32)
GET_32(f32)
GET_64(u64, 0, 0)
GET_64(i64, 0, 1)
GET_64(f64, 1, 0)

/* ------------------------------------------------------------ instructions */

#define V1(name, result, t0, expression)                    \
    static void run_##name(isa_wave *w, const isa_instr *i) \
    {                                                       \
        const uint64_t on = isa_exec(w);                    \
        type_##t0 x[ISA_LANES];                             \
        get_##t0(w, &i->op[1], x);                          \
        for (int k = 0; k < ISA_LANES; k++)                 \
            if (on >> k & 1) {                              \
                const type_##t0 a = x[k];                   \
                put_##result(w, i, k, expression);          \
            }                                               \
    }
#define V2(name, result, t0, t1, expression)                \
    static void run_##name(isa_wave *w, const isa_instr *i) \
    {                                                       \
        const uint64_t on = isa_exec(w);                    \
        type_##t0 x[ISA_LANES];                             \
        type_##t1 y[ISA_LANES];                             \
        get_##t0(w, &i->op[1], x);                          \
        get_##t1(w, &i->op[2], y);                          \
        for (int k = 0; k < ISA_LANES; k++)                 \
            if (on >> k & 1) {                              \
                const type_##t0 a = x[k];                   \
                const type_##t1 b = y[k];                   \
                put_##result(w, i, k, expression);          \
            }                                               \
    }
#define V3_FROM(name, result, t0, t1, t2, third, expression) \
    static void run_##name(isa_wave *w, const isa_instr *i)  \
    {                                                        \
        const uint64_t on = isa_exec(w);                     \
        type_##t0 x[ISA_LANES];                              \
        type_##t1 y[ISA_LANES];                              \
        type_##t2 z[ISA_LANES];                              \
        get_##t0(w, &i->op[1], x);                           \
        get_##t1(w, &i->op[2], y);                           \
        get_##t2(w, &i->op[third], z);                       \
        for (int k = 0; k < ISA_LANES; k++)                  \
            if (on >> k & 1) {                               \
                const type_##t0 a = x[k];                    \
                const type_##t1 b = y[k];                    \
                const type_##t2 c = z[k];                    \
                put_##result(w, i, k, expression);           \
            }                                                \
    }
#define V3(name, result, t0, t1, t2, expression) \
    V3_FROM(name, result, t0, t1, t2, 3, expression)
#define VA(name, result, t0, t1, expression) \
    V3_FROM(name, result, t0, t1, result, 0, expression)
#include "tests/isa/vector.def"
#undef V1
#undef V2
#undef V3
#undef VA

static const struct {
    const char *name;
    isa_run *run;
    int operands;
} rows[] = {
#define V1(name, ...) {#name, run_##name, 2},
#define V2(name, ...) {#name, run_##name, 3},
#define V3(name, ...) {#name, run_##name, 4},
#define VA(name, ...) {#name, run_##name, 3},
#include "tests/isa/vector.def"
#undef V1
#undef V2
#undef V3
#undef VA
};

int isa_find_vector(const char *name, isa_instr *i)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (strcmp(rows[k].name, name) == 0) {
            i->run = rows[k].run;
            return i->operands == rows[k].operands
                   && i->op[0].kind == ISA_VECTOR;
        }
    return 0;
}
