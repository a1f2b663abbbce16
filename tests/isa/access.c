/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Accesses to memory, to block memory and to the stacks of threads. All of them
 * are checked: an address must lie in an allocation of the device, in the
 * block's own memory or in the thread's stack. */
#include <stdio.h>
#include <string.h>

#include "tests/isa/isa.h"
#include "tests/isa/places.h"

enum { GLOBAL, FLAT, SCRATCH, BUFFER };

enum { LOAD, STORE, ADD64, MIN64, MAX32, INC32 };

/* ----------------------------------------------------------------- places */

/* Returns 1 if the bytes are in an allocation; the last one is asked first. */
static int is_allocated(isa_launch *l, uint64_t at, size_t bytes)
{
    if (at >= l->near && at + bytes <= l->near_end)
        return 1;
    for (const stfi_simt_block *b = l->memory->first; b; b = b->next) {
        uintptr_t first = (uintptr_t)b->data;
        if (at >= first && at + bytes <= first + b->bytes) {
            l->near = first;
            l->near_end = first + b->bytes;
            return 1;
        }
    }
    return 0;
}

static int is_within(uint64_t at, size_t bytes, const void *data, uint64_t size)
{
    const uint64_t first = (uint64_t)(uintptr_t)data;

    return at >= first && at + bytes <= first + size;
}

/* What only the machine writes: the code object's constants, arguments and the
 * dispatch packet. */
static int is_constant(const isa_launch *l, uint64_t at, size_t bytes)
{
    return is_within(at, bytes, l->image, l->image_bytes)
           || is_within(at, bytes, l->args, l->args_bytes)
           || is_within(at, bytes, l->packet, 64);
}

/* The place of a byte of a thread's stack: words of the threads of a wave lie
 * side by side. `from` is what the wave adds, already such a place. */
static unsigned char *stack_place(isa_wave *w, int lane, uint32_t from,
                                  uint32_t at, size_t bytes)
{
    uint64_t place = from
                     + ((uint64_t)(at >> 2) * ISA_LANES + (uint64_t)lane) * 4
                     + (at & 3);

    const uint32_t end = from / ISA_LANES + at + (uint32_t)bytes;

    if (place + bytes > w->stack_bytes)
        return NULL;
    if (end > w->launch->stack_used)
        w->launch->stack_used = end;
    return w->stack + place;
}

/* Returns where a word or a part of one is; NULL if it is nowhere, or if a word
 * is not in its place. (A process of HSA may access any byte. Compilers make use
 * of that for neighbouring halves in device memory.) */
static unsigned char *place_of(isa_wave *w, const isa_instr *i, int lane,
                               uint64_t at, int stores)
{
    isa_launch *l = w->launch;
    const size_t bytes = (size_t)i->unit;
    const uint64_t upper = at >> 32 << 32;
    const uint32_t lower = (uint32_t)at;

    if (bytes >= 4 && at % (i->space == GLOBAL ? 2 : 4) != 0)
        return NULL;
    if (i->space == SCRATCH)
        return stack_place(w, lane, 0, lower, bytes);
    if (i->space == FLAT && upper == ISA_PRIVATE_APERTURE)
        return stack_place(w, lane, 0, lower, bytes);
    if (i->space == FLAT && upper == ISA_SHARED_APERTURE)
        return lower + bytes <= l->shared_bytes ? l->shared + lower : NULL;
    if (is_allocated(l, at, bytes) || (!stores && is_constant(l, at, bytes)))
        return (unsigned char *)(uintptr_t)at;
    return NULL;
}

static void fail_at(isa_wave *w, const isa_instr *i, int lane, uint64_t at)
{
    isa_fail(w, "lane %d: no memory of its own at %#llx: %s", lane,
             (unsigned long long)at, i->text);
}

/* --------------------------------------------------------------- addresses */

/* The addresses of all lanes; `va` and `sa` are the places of the vector and
 * the scalar operand. */
static void addresses(const isa_wave *w, const isa_instr *i, int va, int sa,
                      uint64_t *at)
{
    const isa_operand *v = &i->op[va], *s = &i->op[sa];
    const int wide = v->kind == ISA_VECTOR && v->count == 2;
    uint64_t base = 0;

    if (i->space != FLAT && s->kind == ISA_SCALAR)
        base = s->count == 2 ? isa_pair(w, s->reg) : w->s[s->reg];
    for (int k = 0; k < ISA_LANES; k++) {
        at[k] = base + (uint64_t)i->offset;
        if (v->kind == ISA_VECTOR)
            at[k] += w->v[v->reg][k]
                     + (wide ? (uint64_t)w->v[v->reg + 1][k] << 32 : 0);
    }
}

/* ------------------------------------------------------- loads and stores */

static uint32_t widened(const isa_instr *i, uint32_t value)
{
    if (!i->sext)
        return value;
    return i->unit == 1 ? (uint32_t)(int32_t)(int8_t)value
                        : (uint32_t)(int32_t)(int16_t)value;
}

static void move_word(isa_wave *w, const isa_instr *i, int lane,
                      unsigned char *p, uint32_t *reg)
{
    uint32_t value = 0;

    (void)w;
    (void)lane;
    if (i->which == STORE) {
        memcpy(p, reg, (size_t)i->unit);
        return;
    }
    memcpy(&value, p, (size_t)i->unit);
    *reg = widened(i, value);
}

static void run_move(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w);
    const int stores = i->which == STORE, data = stores ? 1 : 0;
    uint64_t at[ISA_LANES];

    addresses(w, i, stores ? 0 : 1, 2, at);
    for (int k = 0; k < ISA_LANES; k++)
        for (int n = 0; on >> k & 1 && n < i->words; n++) {
            unsigned char *p =
                place_of(w, i, k, at[k] + 4 * (uint64_t)n, stores);
            if (p == NULL) {
                fail_at(w, i, k, at[k]);
                return;
            }
            move_word(w, i, k, p, &w->v[i->op[data].reg + n][k]);
        }
}

/* The stack, by a buffer that describes it. */
static void run_buffer(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w);
    const uint32_t from = isa_scalar32(w, &i->op[3]);

    if (w->s[i->op[2].reg + 3] != ISA_STACK_MARK) {
        isa_fail(w, "a buffer that is not the stack: %s", i->text);
        return;
    }
    for (int k = 0; k < ISA_LANES; k++)
        for (int n = 0; on >> k & 1 && n < i->words; n++) {
            uint32_t at = (uint32_t)i->offset + 4 * (uint32_t)n
                          + (i->offen ? w->v[i->op[1].reg][k] : 0);
            unsigned char *p = stack_place(w, k, from, at, (size_t)i->unit);
            if (p == NULL) {
                fail_at(w, i, k, at);
                return;
            }
            move_word(w, i, k, p, &w->v[i->op[0].reg + n][k]);
        }
}

static void run_scalar_load(isa_wave *w, const isa_instr *i)
{
    const isa_operand *o = &i->op[2];
    uint64_t at = isa_pair(w, i->op[1].reg) + (uint64_t)i->offset;

    at += o->kind == ISA_SCALAR ? w->s[o->reg] : o->bits;
    at &= ~(uint64_t)3;
    if (!is_constant(w->launch, at, 4 * (size_t)i->words)
        && !is_allocated(w->launch, at, 4 * (size_t)i->words)) {
        fail_at(w, i, -1, at);
        return;
    }
    memcpy(&w->s[i->op[0].reg], (const void *)(uintptr_t)at,
           4 * (size_t)i->words);
}

/* ----------------------------------------------------------------- atomics */

static uint64_t combined(int which, uint64_t old, uint64_t value)
{
    switch (which) {
    case ADD64: return old + value;
    case MIN64: return old < value ? old : value;
    case MAX32: return old > value ? old : value;
    default: /* counts up to `value`, then starts again */
        return old >= value ? 0 : old + 1;
    }
}

static void run_atomic(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w);
    const int va = i->returns ? 1 : 0, data = i->op[va + 1].reg;
    uint64_t at[ISA_LANES];

    addresses(w, i, va, va + 2, at);
    for (int k = 0; k < ISA_LANES; k++) {
        uint64_t old = 0, value;
        unsigned char *p;
        if (!(on >> k & 1))
            continue;
        p = place_of(w, i, k, at[k], 1);
        if (p == NULL) {
            fail_at(w, i, k, at[k]);
            return;
        }
        value = w->v[data][k];
        if (i->unit == 8)
            value |= (uint64_t)w->v[data + 1][k] << 32;
        memcpy(&old, p, (size_t)i->unit);
        value = combined(i->which, old, value);
        memcpy(p, &value, (size_t)i->unit);
        if (i->returns && i->unit == 8)
            isa_put64(w, i, k, old);
        else if (i->returns)
            isa_put32(w, i, k, (uint32_t)old);
    }
}

/* ------------------------------------------------------------ block memory */

/* Moves a value of each lane between block memory and registers. Addresses
 * wrap around at 32 bits. */
static void move_shared(isa_wave *w, const isa_instr *i, const uint32_t *at,
                        int64_t offset, int reg)
{
    isa_launch *l = w->launch;
    const uint64_t on = isa_exec(w);
    const uint64_t bytes =
        i->unit < 4 ? (uint64_t)i->unit : 4 * (uint64_t)i->words;

    for (int k = 0; k < ISA_LANES; k++) {
        uint32_t place = at[k] + (uint32_t)offset;
        if (!(on >> k & 1))
            continue;
        if (place + bytes > l->shared_bytes
            || (i->words > 1 && place % 4 != 0)) {
            isa_fail(w, "lane %d: byte %u of %u of block memory: %s", k, place,
                     l->shared_bytes, i->text);
            return;
        }
        for (int n = 0; n < i->words; n++)
            move_word(w, i, k, l->shared + place + 4 * n, &w->v[reg + n][k]);
    }
}

static void run_shared(isa_wave *w, const isa_instr *i)
{
    const int stores = i->which == STORE;
    uint32_t at[ISA_LANES];

    isa_get32(w, &i->op[stores ? 0 : 1], at);
    move_shared(w, i, at, i->offset, i->op[stores ? 1 : 0].reg);
}

/* Two values, whose offsets are in units of a value or of 64. */
static void run_shared_two(isa_wave *w, const isa_instr *i)
{
    const int stores = i->which == STORE;
    const int64_t unit = (int64_t)4 * i->words * i->type;
    uint32_t at[ISA_LANES];

    isa_get32(w, &i->op[stores ? 0 : 1], at);
    move_shared(w, i, at, i->offset * unit, i->op[stores ? 1 : 0].reg);
    move_shared(w, i, at, i->offset1 * unit,
                stores ? i->op[2].reg : i->op[0].reg + i->words);
}

/* Sums and maxima in block memory, which return nothing. Lanes take turns, those
 * with the lowest numbers first. */
static void run_shared_atomic(isa_wave *w, const isa_instr *i)
{
    isa_launch *l = w->launch;
    const uint64_t on = isa_exec(w);
    uint32_t at[ISA_LANES], by[ISA_LANES], old;

    isa_get32(w, &i->op[0], at);
    isa_get32(w, &i->op[1], by);
    for (int k = 0; k < ISA_LANES; k++) {
        uint32_t place = at[k] + (uint32_t)i->offset;
        if (!(on >> k & 1))
            continue;
        if (place + (uint64_t)4 > l->shared_bytes || place % 4 != 0) {
            isa_fail(w, "lane %d: byte %u of %u of block memory: %s", k, place,
                     l->shared_bytes, i->text);
            return;
        }
        memcpy(&old, l->shared + place, 4);
        old = (uint32_t)combined(i->which, old, by[k]);
        memcpy(l->shared + place, &old, 4);
    }
}

/* Each lane reads a register of another one; a lane that is off gives 0. */
static void run_bpermute(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w);
    uint32_t at[ISA_LANES], from[ISA_LANES];

    isa_get32(w, &i->op[1], at);
    isa_get32(w, &i->op[2], from);
    for (int k = 0; k < ISA_LANES; k++) {
        int lane = (int)((at[k] + (uint32_t)i->offset) >> 2) % ISA_LANES;
        if (on >> k & 1)
            isa_put32(w, i, k, on >> lane & 1 ? from[lane] : 0);
    }
}

/* ------------------------------------------------------------------- names */

/* What an access moves, by the end of its name. */
static const struct {
    const char *name;
    int words, unit, sext;
} widths[] = {
    {"dword", 1, 4, 0},   {"dwordx2", 2, 4, 0}, {"dwordx3", 3, 4, 0},
    {"dwordx4", 4, 4, 0}, {"dwordx8", 8, 4, 0}, {"dwordx16", 16, 4, 0},
    {"ubyte", 1, 1, 0},   {"sbyte", 1, 1, 1},   {"byte", 1, 1, 0},
    {"ushort", 1, 2, 0},  {"sshort", 1, 2, 1},  {"short", 1, 2, 0},
    {"u8", 1, 1, 0},      {"i8", 1, 1, 1},      {"b8", 1, 1, 0},
    {"u16", 1, 2, 0},     {"i16", 1, 2, 1},     {"b16", 1, 2, 0},
    {"b32", 1, 4, 0},     {"b64", 2, 4, 0},     {"b96", 3, 4, 0},
    {"b128", 4, 4, 0},
};

static int find_width(const char *end, isa_instr *i)
{
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        if (strcmp(widths[k].name, end) == 0) {
            i->words = widths[k].words;
            i->unit = widths[k].unit;
            i->sext = widths[k].sext;
            return 1;
        }
    return 0;
}

static int starts(const char **name_p, const char *head)
{
    const size_t length = strlen(head);

    if (strncmp(*name_p, head, length) != 0)
        return 0;
    *name_p += length;
    return 1;
}

static int find_atomic(const char *end, isa_instr *i)
{
    static const struct {
        const char *name;
        int which, unit;
    } rows[] = {{"add_x2", ADD64, 8},
                {"umin_x2", MIN64, 8},
                {"umax", MAX32, 4},
                {"inc", INC32, 4},
                {"add", ADD64, 4}};

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (strcmp(rows[k].name, end) == 0) {
            i->which = rows[k].which;
            i->unit = rows[k].unit;
            i->run = run_atomic;
            return i->operands == 2 + i->returns + (i->space == FLAT ? 0 : 1);
        }
    return 0;
}

static int find_shared(const char *end, isa_instr *i)
{
    int two, stride;

    if (strcmp(end, "bpermute_b32") == 0) {
        i->run = run_bpermute;
        return i->operands == 3;
    }
    if (strcmp(end, "max_u32") == 0 || strcmp(end, "add_u32") == 0) {
        i->which = end[0] == 'm' ? MAX32 : ADD64;
        i->run = run_shared_atomic;
        return i->operands == 2;
    }
    i->which = starts(&end, "write") ? STORE : LOAD;
    if (i->which == LOAD && !starts(&end, "read"))
        return 0;
    two = starts(&end, "2");
    stride = starts(&end, "st64") ? 64 : 1;
    i->type = stride;
    i->run = two ? run_shared_two : run_shared;
    return starts(&end, "_") && find_width(end, i)
           && i->operands == (two && i->which == STORE ? 3 : 2);
}

int isa_find_access(const char *name, isa_instr *i)
{
    const char *end = name;

    if (starts(&end, "ds_"))
        return find_shared(end, i);
    if (starts(&end, "s_load_")) {
        i->run = run_scalar_load;
        return i->operands == 3 && find_width(end, i);
    }
    if (starts(&end, "global_"))
        i->space = GLOBAL;
    else if (starts(&end, "flat_"))
        i->space = FLAT;
    else if (starts(&end, "scratch_"))
        i->space = SCRATCH;
    else if (starts(&end, "buffer_"))
        i->space = BUFFER;
    else
        return 0;
    if (starts(&end, "atomic_"))
        return i->space <= FLAT && find_atomic(end, i);
    i->run = i->space == BUFFER ? run_buffer : run_move;
    i->which = starts(&end, "store_") ? STORE : LOAD;
    if (i->which == LOAD && !starts(&end, "load_"))
        return 0;
    return find_width(end, i)
           && i->operands
                  == (i->space == BUFFER ? 4
                      : i->space == FLAT ? 2
                                         : 3);
}
