/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reading and writing operands; see isa.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/isa/isa.h"
#include "tests/isa/places.h"

void isa_fail(isa_wave *w, const char *format, ...)
{
    isa_launch *l = w->launch;
    va_list list;

    w->ended = 1;
    if (l->error[0] != '\0')
        return;
    va_start(list, format);
    vsnprintf(l->error, sizeof l->error, format, list);
    va_end(list);
}

static uint32_t float_bits(double real)
{
    float value = (float)real;
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t double_bits(double real)
{
    uint64_t bits;

    memcpy(&bits, &real, sizeof bits);
    return bits;
}

/* The bits of a constant in 32 bits. */
static uint32_t constant32(const isa_wave *w, const isa_operand *o)
{
    switch (o->kind) {
    case ISA_SCALAR: return w->s[o->reg];
    case ISA_SCC: return (uint32_t)w->scc;
    case ISA_REAL: return float_bits(o->real);
    default: return o->bits;
    }
}

/* Does the same in 64 bits. A literal is the upper half of a double. */
static uint64_t constant64(const isa_wave *w, const isa_operand *o, int is_real,
                           int is_signed)
{
    switch (o->kind) {
    case ISA_SCALAR: return isa_pair(w, o->reg);
    case ISA_SCC: return (uint64_t)w->scc;
    case ISA_REAL: return double_bits(o->real);
    case ISA_LITERAL:
        return is_real     ? (uint64_t)o->bits << 32
               : is_signed ? (uint64_t)(int64_t)(int32_t)o->bits
                           : o->bits;
    case ISA_SHARED_BASE: return ISA_SHARED_APERTURE;
    case ISA_PRIVATE_BASE: return ISA_PRIVATE_APERTURE;
    default: return (uint64_t)(int64_t)(int32_t)o->bits;
    }
}

static uint32_t part_of(uint32_t value, const isa_operand *o)
{
    uint32_t bits;

    if (o->part == ISA_DWORD)
        return value;
    if (o->part >= ISA_WORD_0) {
        bits = value >> 16 * (o->part - ISA_WORD_0) & 0xffff;
        return o->sext ? (uint32_t)(int32_t)(int16_t)bits : bits;
    }
    bits = value >> 8 * (o->part - ISA_BYTE_0) & 0xff;
    return o->sext ? (uint32_t)(int32_t)(int8_t)bits : bits;
}

void isa_get32(const isa_wave *w, const isa_operand *o, uint32_t *lanes)
{
    const uint32_t keep = o->abs ? 0x7fffffffu : 0xffffffffu;
    const uint32_t flip = o->neg ? 0x80000000u : 0;

    if (o->kind == ISA_VECTOR) {
        memcpy(lanes, w->v[o->reg], sizeof w->v[0]);
    } else {
        const uint32_t value = constant32(w, o);
        for (int k = 0; k < ISA_LANES; k++)
            lanes[k] = value;
    }
    if (o->part != ISA_DWORD)
        for (int k = 0; k < ISA_LANES; k++)
            lanes[k] = part_of(lanes[k], o);
    if (o->abs || o->neg)
        for (int k = 0; k < ISA_LANES; k++)
            lanes[k] = (lanes[k] & keep) ^ flip;
}

void isa_get64(const isa_wave *w, const isa_operand *o, int is_real,
               int is_signed, uint64_t *lanes)
{
    const uint64_t sign = (uint64_t)1 << 63;

    if (o->kind == ISA_VECTOR) {
        for (int k = 0; k < ISA_LANES; k++)
            lanes[k] = w->v[o->reg][k] | (uint64_t)w->v[o->reg + 1][k] << 32;
    } else {
        const uint64_t value = constant64(w, o, is_real, is_signed);
        for (int k = 0; k < ISA_LANES; k++)
            lanes[k] = value;
    }
    if (o->abs || o->neg)
        for (int k = 0; k < ISA_LANES; k++)
            lanes[k] =
                (o->abs ? lanes[k] & ~sign : lanes[k]) ^ (o->neg ? sign : 0);
}

uint32_t isa_scalar32(const isa_wave *w, const isa_operand *o)
{
    return constant32(w, o);
}

uint64_t isa_scalar64(const isa_wave *w, const isa_operand *o, int is_signed)
{
    return constant64(w, o, 0, is_signed);
}

/* The bits of the written part, and where they begin. */
static void place_of(isa_part part, uint32_t *mask_p, int *shift_p)
{
    const int word = (int)part - (int)ISA_WORD_0;
    const int byte = (int)part - (int)ISA_BYTE_0;

    *mask_p = part == ISA_DWORD ? 0xffffffffu : word >= 0 ? 0xffff : 0xff;
    *shift_p = part == ISA_DWORD ? 0 : word >= 0 ? 16 * word : 8 * byte;
}

void isa_put32(isa_wave *w, const isa_instr *i, int lane, uint32_t value)
{
    uint32_t *to = &w->v[i->op[0].reg][lane], mask;
    int shift;

    if (i->dst_part == ISA_DWORD) {
        *to = value;
        return;
    }
    place_of(i->dst_part, &mask, &shift);
    *to = (i->preserve ? *to & ~(mask << shift) : 0) | (value & mask) << shift;
}

void isa_put64(isa_wave *w, const isa_instr *i, int lane, uint64_t value)
{
    w->v[i->op[0].reg][lane] = (uint32_t)value;
    w->v[i->op[0].reg + 1][lane] = (uint32_t)(value >> 32);
}

void isa_put_bits(isa_wave *w, const isa_operand *o, uint64_t bits)
{
    isa_set_pair(w, o->reg, bits);
}

void isa_put_scalar(isa_wave *w, const isa_operand *o, uint64_t value)
{
    w->s[o->reg] = (uint32_t)value;
    if (o->count == 2)
        w->s[o->reg + 1] = (uint32_t)(value >> 32);
}
