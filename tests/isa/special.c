/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Vector instructions with masks, carries or two results, and those between
 * lanes and scalar registers. */
#include <math.h>
#include <string.h>

#include "tests/isa/isa.h"
#include "tests/simt/calls.h"

/* ------------------------------------------------------------- comparisons */

enum { LT = 1, EQ = 2, GT = 4, UNORDERED = 8 };

enum { F32, F64, I32, U32, I64, U64, I16, U16 };

/* A comparison is the set of the relations for which it is true. */
static const struct {
    const char *name;
    int set;
} relations[] = {
    {"lt", LT},
    {"eq", EQ},
    {"le", LT | EQ},
    {"gt", GT},
    {"lg", LT | GT},
    {"ne", LT | GT},
    {"ge", GT | EQ},
    {"o", LT | EQ | GT},
    {"u", UNORDERED},
    {"nge", LT | UNORDERED},
    {"nlg", EQ | UNORDERED},
    {"ngt", LT | EQ | UNORDERED},
    {"nle", GT | UNORDERED},
    {"neq", LT | GT | UNORDERED},
    {"nlt", EQ | GT | UNORDERED},
};

static const char *const types[] = {"f32", "f64", "i32", "u32",
                                    "i64", "u64", "i16", "u16"};

/* Returns the relation of two numbers whose bits are given. */
static int relation(int type, uint64_t x, uint64_t y)
{
    double a, b;
    float c, d;

    switch (type) {
    case U32:
    case U64: return x < y ? LT : x > y ? GT : EQ;
    case U16: return relation(U64, x & 0xffff, y & 0xffff);
    case I64:
        return (int64_t)x < (int64_t)y ? LT : (int64_t)x > (int64_t)y ? GT : EQ;
    case I32: return relation(I64, (uint64_t)(int32_t)x, (uint64_t)(int32_t)y);
    case I16: return relation(I64, (uint64_t)(int16_t)x, (uint64_t)(int16_t)y);
    case F32:
        memcpy(&c, &x, sizeof c);
        memcpy(&d, &y, sizeof d);
        return c < d ? LT : c > d ? GT : c == d ? EQ : UNORDERED;
    default:
        memcpy(&a, &x, sizeof a);
        memcpy(&b, &y, sizeof b);
        return a < b ? LT : a > b ? GT : a == b ? EQ : UNORDERED;
    }
}

static void get_any(const isa_wave *w, const isa_operand *o, int type,
                    uint64_t *lanes)
{
    uint32_t narrow[ISA_LANES];

    if (type == F64 || type == I64 || type == U64) {
        isa_get64(w, o, type == F64, type == I64, lanes);
        return;
    }
    isa_get32(w, o, narrow);
    for (int k = 0; k < ISA_LANES; k++)
        lanes[k] = narrow[k];
}

static void run_compare(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w);
    uint64_t x[ISA_LANES], y[ISA_LANES], result = 0;

    get_any(w, &i->op[1], i->type, x);
    get_any(w, &i->op[2], i->type, y);
    for (int k = 0; k < ISA_LANES; k++)
        if (on >> k & 1 && relation(i->type, x[k], y[k]) & i->which)
            result |= (uint64_t)1 << k;
    isa_put_bits(w, &i->op[0], result);
}

/* Finds v_cmp_<relation>_<type>. */
static int find_compare(const char *name, isa_instr *i)
{
    size_t length;

    if (strncmp(name, "v_cmp_", 6) != 0)
        return 0;
    name += 6;
    for (size_t r = 0; r < sizeof relations / sizeof *relations; r++) {
        length = strlen(relations[r].name);
        if (strncmp(name, relations[r].name, length) != 0
            || name[length] != '_')
            continue;
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            if (strcmp(name + length + 1, types[t]) == 0) {
                i->which = relations[r].set;
                i->type = (int)t;
                i->run = run_compare;
                return i->operands == 3 && i->op[0].kind == ISA_SCALAR;
            }
    }
    return 0;
}

/* Returns the class of a number as the bit that stands for it. */
static uint32_t class_of(double a, int is_normal)
{
    int minus = signbit(a) != 0;

    if (a != a)
        return 2; /* no code of ours makes signalling ones */
    if (isinf(a))
        return minus ? 4 : 512;
    if (a == 0)
        return minus ? 32 : 64;
    return is_normal ? (minus ? 8 : 256) : (minus ? 16 : 128);
}

static void run_class(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w);
    uint64_t x[ISA_LANES], result = 0;
    uint32_t mask[ISA_LANES];

    get_any(w, &i->op[1], i->type, x);
    isa_get32(w, &i->op[2], mask);
    for (int k = 0; k < ISA_LANES; k++) {
        double a;
        float b;
        int normal;
        memcpy(&a, &x[k], sizeof a);
        memcpy(&b, &x[k], sizeof b);
        normal = i->type == F64 ? isnormal(a) : isnormal(b);
        if (on >> k & 1
            && class_of(i->type == F64 ? a : (double)b, normal) & mask[k])
            result |= (uint64_t)1 << k;
    }
    isa_put_bits(w, &i->op[0], result);
}

/* ------------------------------------------------------- masks and carries */

/* The mask of an operand, a pair of scalar registers. */
static uint64_t mask_of(const isa_wave *w, const isa_operand *o)
{
    return isa_scalar64(w, o, 0);
}

static void run_select(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w), mask = mask_of(w, &i->op[3]);
    uint32_t x[ISA_LANES], y[ISA_LANES];

    isa_get32(w, &i->op[1], x);
    isa_get32(w, &i->op[2], y);
    for (int k = 0; k < ISA_LANES; k++)
        if (on >> k & 1)
            isa_put32(w, i, k, mask >> k & 1 ? y[k] : x[k]);
}

enum { ADD, SUB, SUBREV };

/* Adds or subtracts; type is 1 if a carry comes in. */
static void run_carry(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w);
    const uint64_t in = i->type ? mask_of(w, &i->op[4]) : 0;
    uint32_t x[ISA_LANES], y[ISA_LANES];
    uint64_t out = 0;

    isa_get32(w, &i->op[2], x);
    isa_get32(w, &i->op[3], y);
    for (int k = 0; k < ISA_LANES; k++) {
        uint64_t a = i->which == SUBREV ? y[k] : x[k];
        uint64_t b = i->which == SUBREV ? x[k] : y[k], c = in >> k & 1;
        if (!(on >> k & 1))
            continue;
        isa_put32(w, i, k, (uint32_t)(i->which == ADD ? a + b + c : a - b - c));
        if (i->which == ADD ? a + b + c > 0xffffffffu : b + c > a)
            out |= (uint64_t)1 << k;
    }
    isa_put_bits(w, &i->op[1], out);
}

/* -------------------------------------------------------------- quotients */

/* Scales s0, which is the denominator s1 or the numerator s2 of a quotient, if
 * the quotient or its steps would leave the range; *flag_p: the quotient is to
 * be scaled back. `top` is the exponent of the largest numbers. */
static double scaled(double s0, double s1, double s2, int top, int by,
                     int *flag_p)
{
    int bottom = -top + 1, close = top == 127 ? 96 : 768;
    int least = top == 127 ? 23 : 53;
    int e1, e2, quotient_small, inverse_small;

    *flag_p = 0;
    if (s1 == 0 || s2 == 0)
        return NAN;
    if (!isfinite(s1) || !isfinite(s2))
        return s0;
    e1 = ilogb(s1);
    e2 = ilogb(s2);
    inverse_small = fabs(s1) > ldexp(1, -bottom);
    quotient_small =
        ilogb(fabs(s2)) - ilogb(fabs(s1)) < bottom
        || (e2 - e1 == bottom && fabs(s2) < ldexp(fabs(s1), bottom));
    if (e2 - e1 >= close) {
        *flag_p = 1;
        return s0 == s1 ? ldexp(s0, by) : s0;
    }
    if (e1 < bottom)
        return ldexp(s0, by);
    if (inverse_small && quotient_small) {
        *flag_p = 1;
        return s0 == s1 ? ldexp(s0, by) : s0;
    }
    if (inverse_small)
        return ldexp(s0, -by);
    if (quotient_small) {
        *flag_p = 1;
        return s0 == s2 ? ldexp(s0, by) : s0;
    }
    return e2 + top <= least ? ldexp(s0, by) : s0;
}

static void run_div_scale(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w);
    uint64_t x[3][ISA_LANES], out = 0;

    for (int j = 0; j < 3; j++)
        get_any(w, &i->op[2 + j], i->type, x[j]);
    for (int k = 0; k < ISA_LANES; k++) {
        double a[3], result;
        float b[3];
        uint64_t bits;
        int flag;
        if (!(on >> k & 1))
            continue;
        for (int j = 0; j < 3; j++) {
            memcpy(&a[j], &x[j][k], sizeof a[j]);
            memcpy(&b[j], &x[j][k], sizeof b[j]);
            a[j] = i->type == F64 ? a[j] : (double)b[j];
        }
        result = i->type == F64 ? scaled(a[0], a[1], a[2], 1023, 128, &flag)
                                : scaled(a[0], a[1], a[2], 127, 64, &flag);
        out |= (uint64_t)flag << k;
        b[0] = (float)result;
        memcpy(&bits, &result, sizeof bits);
        if (i->type == F64)
            isa_put64(w, i, k, bits);
        else
            memcpy(&w->v[i->op[0].reg][k], &b[0], sizeof b[0]);
    }
    isa_put_bits(w, &i->op[1], out);
}

static void run_div_fmas(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w), flags = isa_pair(w, ISA_VCC);
    uint64_t x[3][ISA_LANES];

    for (int j = 0; j < 3; j++)
        get_any(w, &i->op[1 + j], i->type, x[j]);
    for (int k = 0; k < ISA_LANES; k++) {
        double a[3];
        float b[3];
        uint64_t bits;
        if (!(on >> k & 1))
            continue;
        for (int j = 0; j < 3; j++) {
            memcpy(&a[j], &x[j][k], sizeof a[j]);
            memcpy(&b[j], &x[j][k], sizeof b[j]);
        }
        a[0] = fma(a[0], a[1], a[2]) * (flags >> k & 1 ? 0x1p64 : 1);
        b[0] = fmaf(b[0], b[1], b[2]) * (flags >> k & 1 ? 0x1p32f : 1);
        memcpy(&bits, &a[0], sizeof bits);
        if (i->type == F64)
            isa_put64(w, i, k, bits);
        else
            memcpy(&w->v[i->op[0].reg][k], &b[0], sizeof b[0]);
    }
}

/* ------------------------------------------------------------------- pairs */

/* Half `upper` of a packed operand in all lanes. */
static void get_half(isa_wave *w, const isa_instr *i, const isa_operand *o,
                     int upper, uint32_t *lanes)
{
    isa_operand half = *o;

    if (o->kind == ISA_VECTOR || o->kind == ISA_SCALAR) {
        half.reg += upper;
    } else if (upper && !(o->kind == ISA_INTEGER && o->bits == 0)) {
        isa_fail(w, "which half of a constant is not known: %s", i->text);
        return;
    }
    isa_get32(w, &half, lanes);
}

enum { PK_ADD, PK_MUL, PK_FMA };

static void run_packed(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w);
    const int count = i->which == PK_FMA ? 3 : 2;
    uint32_t result[2][ISA_LANES], x[3][ISA_LANES];

    for (int h = 0; h < 2; h++) {
        for (int j = 0; j < count; j++)
            get_half(w, i, &i->op[1 + j], h ? i->op_sel_hi[j] : i->op_sel[j],
                     x[j]);
        for (int k = 0; k < ISA_LANES; k++) {
            float a[3] = {0}, r;
            for (int j = 0; j < count; j++) {
                memcpy(&a[j], &x[j][k], sizeof a[j]);
                if (h ? i->neg_hi[j] : i->neg_lo[j])
                    a[j] = -a[j];
            }
            r = i->which == PK_ADD   ? a[0] + a[1]
                : i->which == PK_MUL ? a[0] * a[1]
                                     : fmaf(a[0], a[1], a[2]);
            memcpy(&result[h][k], &r, sizeof r);
        }
    }
    for (int k = 0; k < ISA_LANES; k++)
        if (on >> k & 1)
            isa_put64(w, i, k, result[0][k] | (uint64_t)result[1][k] << 32);
}

static void run_pk_mov(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w);
    uint32_t low[ISA_LANES], high[ISA_LANES];

    get_half(w, i, &i->op[1], i->op_sel[0], low);
    get_half(w, i, &i->op[2], i->op_sel[1], high);
    for (int k = 0; k < ISA_LANES; k++)
        if (on >> k & 1)
            isa_put64(w, i, k, low[k] | (uint64_t)high[k] << 32);
}

/* Packed halves of 16 bits; constants have an upper half of 0. */
static void run_pk_mul_lo_u16(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w);
    uint32_t x[ISA_LANES], y[ISA_LANES];

    isa_get32(w, &i->op[1], x);
    isa_get32(w, &i->op[2], y);
    for (int j = 1; j < 3; j++)
        if (i->op[j].kind == ISA_REAL
            || (i->op[j].kind == ISA_INTEGER && i->op_sel_hi[j - 1]))
            isa_fail(w, "which half of a constant is not known: %s", i->text);
    for (int k = 0; k < ISA_LANES; k++) {
        uint32_t low = (x[k] >> 16 * i->op_sel[0] & 0xffff)
                       * (y[k] >> 16 * i->op_sel[1] & 0xffff);
        uint32_t high = (x[k] >> 16 * i->op_sel_hi[0] & 0xffff)
                        * (y[k] >> 16 * i->op_sel_hi[1] & 0xffff);
        if (on >> k & 1)
            isa_put32(w, i, k, (low & 0xffff) | high << 16);
    }
}

/* ------------------------------------------------- lanes and scalar numbers */

static void run_readlane(isa_wave *w, const isa_instr *i)
{
    w->s[i->op[0].reg] =
        w->v[i->op[1].reg][isa_scalar32(w, &i->op[2]) % ISA_LANES];
}

static void run_writelane(isa_wave *w, const isa_instr *i)
{
    w->v[i->op[0].reg][isa_scalar32(w, &i->op[2]) % ISA_LANES] =
        isa_scalar32(w, &i->op[1]);
}

static void run_readfirstlane(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w);
    uint32_t lanes[ISA_LANES];

    isa_get32(w, &i->op[1], lanes);
    w->s[i->op[0].reg] = lanes[on ? __builtin_ctzll(on) : 0];
}

static void run_swap(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w);
    uint32_t *x = w->v[i->op[0].reg], *y = w->v[i->op[1].reg];

    for (int k = 0; k < ISA_LANES; k++)
        if (on >> k & 1) {
            uint32_t t = x[k];
            x[k] = y[k];
            y[k] = t;
        }
}

/* Counts the bits of a mask that are below the lane, in one half. */
static void run_mbcnt(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w);
    uint32_t x[ISA_LANES], y[ISA_LANES];

    isa_get32(w, &i->op[1], x);
    isa_get32(w, &i->op[2], y);
    for (int k = 0; k < ISA_LANES; k++) {
        int below = k - 32 * i->which;
        uint32_t mask = below <= 0 ? 0 : below >= 32 ? ~0u : (1u << below) - 1;
        if (on >> k & 1)
            isa_put32(w, i, k,
                      y[k] + (uint32_t)__builtin_popcount(x[k] & mask));
    }
}

/* ------------------------------------------------------------------- table */

/* Names, what they run, how many operands they have. */
static const struct {
    const char *name;
    isa_run *run;
    int which, type, operands;
} rows[] = {
    {"v_cmp_class_f32", run_class, 0, F32, 3},
    {"v_cmp_class_f64", run_class, 0, F64, 3},
    {"v_cndmask_b32", run_select, 0, 0, 4},
    {"v_add_co_u32", run_carry, ADD, 0, 4},
    {"v_sub_co_u32", run_carry, SUB, 0, 4},
    {"v_subrev_co_u32", run_carry, SUBREV, 0, 4},
    {"v_addc_co_u32", run_carry, ADD, 1, 5},
    {"v_subb_co_u32", run_carry, SUB, 1, 5},
    {"v_subbrev_co_u32", run_carry, SUBREV, 1, 5},
    {"v_mad_u64_u32", isa_run_mad_64, 0, 0, 5},
    {"v_mad_i64_i32", isa_run_mad_64, 1, 0, 5},
    {"v_div_scale_f32", run_div_scale, 0, F32, 5},
    {"v_div_scale_f64", run_div_scale, 0, F64, 5},
    {"v_div_fmas_f32", run_div_fmas, 0, F32, 4},
    {"v_div_fmas_f64", run_div_fmas, 0, F64, 4},
    {"v_pk_add_f32", run_packed, PK_ADD, 0, 3},
    {"v_pk_mul_f32", run_packed, PK_MUL, 0, 3},
    {"v_pk_fma_f32", run_packed, PK_FMA, 0, 4},
    {"v_pk_mov_b32", run_pk_mov, 0, 0, 3},
    {"v_pk_mul_lo_u16", run_pk_mul_lo_u16, 0, 0, 3},
    {"v_readlane_b32", run_readlane, 0, 0, 3},
    {"v_writelane_b32", run_writelane, 0, 0, 3},
    {"v_readfirstlane_b32", run_readfirstlane, 0, 0, 2},
    {"v_swap_b32", run_swap, 0, 0, 2},
    {"v_mbcnt_lo_u32_b32", run_mbcnt, 0, 0, 3},
    {"v_mbcnt_hi_u32_b32", run_mbcnt, 1, 0, 3},
    {"v_mfma_f32_16x16x16f16", isa_run_mfma, SIMT_F16, 0, 4},
    {"v_mfma_f32_16x16x16_f16", isa_run_mfma, SIMT_F16, 0, 4},
    {"v_mfma_f32_16x16x16bf16_1k", isa_run_mfma, SIMT_BF16, 0, 4},
    {"v_mfma_f32_16x16x16_bf16", isa_run_mfma, SIMT_BF16, 0, 4},
};

int isa_find_special(const char *name, isa_instr *i)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (strcmp(rows[k].name, name) == 0) {
            i->run = rows[k].run;
            i->which = rows[k].which;
            i->type = rows[k].type;
            return i->operands == rows[k].operands;
        }
    return find_compare(name, i);
}
