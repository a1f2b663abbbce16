/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Registers in the frame of a signal; see state.h.
 *
 * The kernel writes the SIMD registers there as the instruction XSAVE does, in
 * its format with fixed places: 512 bytes of FXSAVE, a header, and components
 * at offsets that CPUID leaf 0xD gives. A component whose bit in the header is
 * 0 has its initial value, 0, whatever its bytes are. */
#include "tests/flip/state.h"

#ifdef FLIP_SUPPORTED

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

enum {
    FXSAVE_XMM = 160,      /* offset of xmm0 */
    FXSAVE_EXTENDED = 464, /* what the kernel says of the rest */
    XSAVE_HEADER = 512,    /* begins with the bits of components */
    XSAVE_MAGIC = 0x46505853,
    XSAVE_COMPONENTS = 8,
    SSE = 1,
    AVX = 2,
    MASKS = 5,
    ZMM_UPPER = 6,
    ZMM_16_31 = 7,
    TRAP_FLAG = 0x100
};

/* What the kernel writes at FXSAVE_EXTENDED (struct _fpx_sw_bytes). */
typedef struct extended {
    uint32_t magic;
    uint32_t bytes;
    uint64_t components;
} extended;

/* Which part of which registers a component holds. */
typedef struct piece {
    int component;
    int first, count; /* registers */
    int begin, bytes; /* of each of them */
} piece;

static const piece pieces[] = {
    {SSE, 0, 16, 0, 16},
    {AVX, 0, 16, 16, 16},
    {ZMM_UPPER, 0, 16, 32, 32},
    {ZMM_16_31, 16, 16, 0, 64},
    {MASKS, FLIP_VECTORS, FLIP_MASKS, 0, FLIP_MASK_BYTES},
};
enum { PIECES = sizeof pieces / sizeof pieces[0] };

static const struct {
    const char *name;
    int index;
} general[FLIP_GENERAL] = {
    {"rax", REG_RAX}, {"rbx", REG_RBX}, {"rcx", REG_RCX}, {"rdx", REG_RDX},
    {"rsi", REG_RSI}, {"rdi", REG_RDI}, {"rbp", REG_RBP}, {"r8", REG_R8},
    {"r9", REG_R9},   {"r10", REG_R10}, {"r11", REG_R11}, {"r12", REG_R12},
    {"r13", REG_R13}, {"r14", REG_R14}, {"r15", REG_R15}};

static unsigned component_offset[XSAVE_COMPONENTS];

void flip_state_begin(void)
{
    unsigned bytes, offset, c, d;

    component_offset[SSE] = FXSAVE_XMM;
    for (int i = AVX; i < XSAVE_COMPONENTS; i++) {
        if (!__get_cpuid_count(0xd, (unsigned)i, &bytes, &offset, &c, &d))
            bytes = 0;
        component_offset[i] = bytes > 0 ? offset : 0;
    }
}

/* ----------------------------------------------------------------- frames */

/* The area of XSAVE in a frame. */
static unsigned char *area_of(const ucontext_t *context)
{
    return (unsigned char *)context->uc_mcontext.fpregs;
}

/* Where the bits of components are; NULL: there is only FXSAVE's part. */
static uint64_t *header_of(unsigned char *area, extended *extended_p)
{
    memcpy(extended_p, area + FXSAVE_EXTENDED, sizeof *extended_p);
    return extended_p->magic == XSAVE_MAGIC
               ? (uint64_t *)(void *)(area + XSAVE_HEADER)
               : NULL;
}

/* Where a piece lies, made to count if it is going to be changed; NULL: the
 * frame does not have it, or it has its initial value. */
static unsigned char *find(unsigned char *area, const piece *p, int change)
{
    const uint64_t bit = (uint64_t)1 << p->component;
    unsigned char *place = area + component_offset[p->component];
    extended ext;
    uint64_t *header = header_of(area, &ext);

    if (!header)
        return p->component == SSE ? place : NULL;
    if (!(ext.components & bit) || !component_offset[p->component])
        return NULL;
    if (*header & bit)
        return place;
    if (!change)
        return NULL;
    memset(place, 0, (size_t)(p->count * p->bytes));
    *header |= bit;
    return place;
}

void flip_state_read(const ucontext_t *context, flip_state *state_p)
{
    memset(state_p->simd, 0, sizeof state_p->simd);
    for (int i = 0; i < PIECES; i++) {
        const piece *p = &pieces[i];
        const unsigned char *place = find(area_of(context), p, 0);

        for (int r = 0; place && r < p->count; r++)
            memcpy(state_p->simd[p->first + r] + p->begin, place + r * p->bytes,
                   (size_t)p->bytes);
    }
    for (int r = 0; r < FLIP_GENERAL; r++)
        state_p->general[r] =
            (uint64_t)context->uc_mcontext.gregs[general[r].index];
    state_p->pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

/* ---------------------------------------------------------------- changes */

int flip_state_simd_change(const flip_state *before, const flip_state *after,
                           int *bytes_p)
{
    int reg = -1, top, bytes;

    for (int r = 0; r < FLIP_SIMD; r++) {
        if (!memcmp(before->simd[r], after->simd[r], FLIP_VECTOR_BYTES))
            continue;
        if (reg >= 0) /* an instruction such as vzeroupper: no result */
            return -1;
        reg = r;
    }
    if (reg < 0)
        return -1;
    top = FLIP_VECTOR_BYTES - 1;
    while (before->simd[reg][top] == after->simd[reg][top])
        top--;
    bytes = reg < FLIP_VECTORS ? 4 : 1;
    while (bytes <= top)
        bytes *= 2;
    *bytes_p = bytes;
    return reg;
}

int flip_state_general_change(const flip_state *before, const flip_state *after,
                              uint64_t random)
{
    int changed[FLIP_GENERAL], count = 0;

    for (int r = 0; r < FLIP_GENERAL; r++)
        if (before->general[r] != after->general[r])
            changed[count++] = r;
    return count > 0 ? changed[random % (uint64_t)count] : -1;
}

int flip_state_jump_flag(const unsigned char *code, uint64_t random)
{
    enum { CARRY = 0, PARITY = 2, ZERO = 6, SIGN = 7, OVERFLOW = 11 };
    /* Of the conditions o, c, z, be, s, p, l, le, each with its opposite. */
    static const struct {
        int count, bit[3];
    } table[8] = {{1, {OVERFLOW}},       {1, {CARRY}},
                  {1, {ZERO}},           {2, {CARRY, ZERO}},
                  {1, {SIGN}},           {1, {PARITY}},
                  {2, {SIGN, OVERFLOW}}, {3, {ZERO, SIGN, OVERFLOW}}};
    int condition;

    if (code[0] == 0x0f && (code[1] & 0xf0) == 0x80)
        condition = (code[1] & 15) >> 1;
    else if ((code[0] & 0xf0) == 0x70)
        condition = (code[0] & 15) >> 1;
    else
        return -1;
    return table[condition].bit[random % (uint64_t)table[condition].count];
}

/* ------------------------------------------------------------------ flips */

int flip_simd_bit(ucontext_t *context, int reg, int bit)
{
    const int byte = bit / 8;

    for (int i = 0; i < PIECES; i++) {
        const piece *p = &pieces[i];
        unsigned char *place;

        if (reg < p->first || reg >= p->first + p->count || byte < p->begin
            || byte >= p->begin + p->bytes)
            continue;
        place = find(area_of(context), p, 1);
        if (place)
            place[(reg - p->first) * p->bytes + byte - p->begin] ^=
                (unsigned char)(1 << bit % 8);
        return place != NULL;
    }
    return 0;
}

int flip_general_bit(ucontext_t *context, int reg, int bit)
{
    context->uc_mcontext.gregs[general[reg].index] ^=
        (greg_t)((uint64_t)1 << bit);
    return 1;
}

int flip_flag_bit(ucontext_t *context, int bit)
{
    context->uc_mcontext.gregs[REG_EFL] ^= (greg_t)1 << bit;
    return 1;
}

void flip_single_step(ucontext_t *context, int on)
{
    if (on)
        context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    else
        context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

const char *flip_simd_name(int reg)
{
    static char name[16];

    snprintf(name, sizeof name, "%c%d", reg < FLIP_VECTORS ? 'v' : 'k',
             reg < FLIP_VECTORS ? reg : reg - FLIP_VECTORS);
    return name;
}

const char *flip_general_name(int reg)
{
    return general[reg].name;
}

#else
typedef int flip_state_is_empty; /* ISO C wants a declaration */
#endif
