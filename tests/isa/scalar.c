/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Scalar instructions: numbers, masks and the flow of control. */
#include <string.h>

#include "tests/isa/isa.h"

/* ----------------------------------------------------------------- numbers */

/* What an instruction computes of a and b; the flag SCC is c before, and *f
 * behind. */
typedef uint64_t compute(uint64_t a, uint64_t b, int c, int *f);

static uint64_t reversed(uint64_t a)
{
    uint64_t r = 0;

    for (int k = 0; k < 32; k++)
        r |= (a >> k & 1) << (31 - k);
    return r;
}

static uint64_t ones(uint64_t a)
{
    return (uint64_t)__builtin_popcountll(a);
}

static uint64_t first_one(uint64_t a)
{
    return a ? (uint64_t)__builtin_ctzll(a) : ~(uint64_t)0;
}

static uint64_t field(uint64_t a, uint64_t b)
{
    const uint64_t width = b >> 16 & 0x7f;

    return width >= 32 ? a >> (b & 31)
                       : a >> (b & 31) & (((uint64_t)1 << width) - 1);
}

/* The field of a 64-bit number, with its sign. */
static uint64_t signed_field(uint64_t a, uint64_t b)
{
    const uint64_t width = b >> 16 & 0x7f,
                   moved = (uint64_t)((int64_t)a >> (b & 63));

    if (width == 0)
        return 0;
    return width >= 64
               ? moved
               : (uint64_t)((int64_t)(moved << (64 - width)) >> (64 - width));
}

#define S(name, wr, wa, wb, result, flag)                            \
    static uint64_t do_##name(uint64_t a, uint64_t b, int c, int *f) \
    {                                                                \
        uint64_t r = (result);                                       \
        (void)b;                                                     \
        (void)c;                                                     \
        r = (wr) == 1 ? (uint32_t)r : r;                             \
        *f = (int)(flag);                                            \
        return r;                                                    \
    }
#include "tests/isa/scalar.def"
#undef S

static const struct number {
    const char *name;
    compute *run;
    int words, a, b;
} numbers[] = {
#define S(name, wr, wa, wb, result, flag) {#name, do_##name, wr, wa, wb},
#include "tests/isa/scalar.def"
#undef S
};

static uint64_t get(const isa_wave *w, const isa_operand *o, int words)
{
    return words == 2 ? isa_scalar64(w, o, 0) : isa_scalar32(w, o);
}

static void run_number(isa_wave *w, const isa_instr *i)
{
    const struct number *n = &numbers[i->which];
    uint64_t a = get(w, &i->op[1], n->a);
    uint64_t b = n->b ? get(w, &i->op[2], n->b) : 0;
    int flag = w->scc;

    isa_put_scalar(w, &i->op[0], n->run(a, b, w->scc, &flag));
    w->scc = flag;
}

/* Instructions with a signed constant of 16 bits. */
static uint32_t short_of(const isa_operand *o)
{
    return (uint32_t)(int32_t)(int16_t)o->bits;
}

static void run_movk(isa_wave *w, const isa_instr *i)
{
    w->s[i->op[0].reg] = short_of(&i->op[1]);
}

static void run_addk(isa_wave *w, const isa_instr *i)
{
    int flag;

    w->s[i->op[0].reg] = (uint32_t)do_s_add_i32(
        w->s[i->op[0].reg], short_of(&i->op[1]), w->scc, &flag);
    w->scc = flag;
}

static void run_mulk(isa_wave *w, const isa_instr *i)
{
    w->s[i->op[0].reg] *= short_of(&i->op[1]);
}

static void run_bitset(isa_wave *w, const isa_instr *i)
{
    const uint32_t bit = 1u << (isa_scalar32(w, &i->op[1]) & 31);
    uint32_t *to = &w->s[i->op[0].reg];

    *to = i->which ? *to | bit : *to & ~bit;
}

static void run_cmovk(isa_wave *w, const isa_instr *i)
{
    if (w->scc)
        w->s[i->op[0].reg] = short_of(&i->op[1]);
}

/* ------------------------------------------------------------- comparisons */

enum { EQ = 1, LT = 2, GT = 4 };
enum { U32, I32, U64, K_U32, K_I32 };

static void run_compare(isa_wave *w, const isa_instr *i)
{
    const int words = i->type == U64 ? 2 : 1;
    uint64_t a = get(w, &i->op[0], words), b = get(w, &i->op[1], words);
    int relation;

    if (i->type == K_U32)
        b &= 0xffff;
    if (i->type == K_I32)
        b = short_of(&i->op[1]);
    if (i->type == I32 || i->type == K_I32) {
        a = (uint32_t)a ^ 0x80000000u;
        b = (uint32_t)b ^ 0x80000000u;
    }
    relation = a == b ? EQ : a < b ? LT : GT;
    w->scc = (relation & i->which) != 0;
}

static void run_bitcmp1(isa_wave *w, const isa_instr *i)
{
    w->scc =
        isa_scalar32(w, &i->op[0]) >> (isa_scalar32(w, &i->op[1]) & 31) & 1;
}

static void run_bitcmp0(isa_wave *w, const isa_instr *i)
{
    run_bitcmp1(w, i);
    w->scc = !w->scc;
}

/* Finds s_cmp_<relation>_<type> and s_cmpk_... */
static int find_compare(const char *name, isa_instr *i)
{
    static const struct {
        const char *name;
        int set;
    } relations[] = {{"eq", EQ},      {"lg", LT | GT}, {"gt", GT},
                     {"ge", GT | EQ}, {"lt", LT},      {"le", LT | EQ}};
    int k = strncmp(name, "s_cmpk_", 7) == 0;

    if (!k && strncmp(name, "s_cmp_", 6) != 0)
        return 0;
    name += 6 + k;
    for (size_t r = 0; r < sizeof relations / sizeof *relations; r++) {
        if (strncmp(name, relations[r].name, 2) != 0)
            continue;
        i->which = relations[r].set;
        i->run = run_compare;
        i->type = !strcmp(name + 2, "_u32")   ? (k ? K_U32 : U32)
                  : !strcmp(name + 2, "_i32") ? (k ? K_I32 : I32)
                  : !strcmp(name + 2, "_u64") ? U64
                                              : -1;
        return i->type >= 0 && i->operands == 2;
    }
    return 0;
}

/* ------------------------------------------------------------------- flow */

enum { SCC0, SCC1, VCCZ, VCCNZ, EXECZ, EXECNZ, ALWAYS };

static void run_branch(isa_wave *w, const isa_instr *i)
{
    const uint64_t vcc = isa_pair(w, ISA_VCC), exec = isa_exec(w);
    const int taken[] = {!w->scc,   w->scc,    vcc == 0, vcc != 0,
                         exec == 0, exec != 0, 1};

    if (taken[i->which])
        w->pc = (uint64_t)(uintptr_t)w->launch->image + i->target;
}

static void run_end(isa_wave *w, const isa_instr *i)
{
    (void)i;
    w->ended = 1;
}

static void run_barrier(isa_wave *w, const isa_instr *i)
{
    (void)i;
    w->waits = 1;
}

static void run_nothing(isa_wave *w, const isa_instr *i)
{
    (void)w;
    (void)i;
}

static void run_getpc(isa_wave *w, const isa_instr *i)
{
    isa_set_pair(w, i->op[0].reg, w->pc);
}

static void run_setpc(isa_wave *w, const isa_instr *i)
{
    w->pc = isa_pair(w, i->op[0].reg);
}

static void run_swappc(isa_wave *w, const isa_instr *i)
{
    const uint64_t to = isa_pair(w, i->op[1].reg);

    isa_set_pair(w, i->op[0].reg, w->pc);
    w->pc = to;
}

enum { AND, OR, XOR, ANDN2, ORN2 };

static void run_saveexec(isa_wave *w, const isa_instr *i)
{
    const uint64_t old = isa_exec(w), a = isa_scalar64(w, &i->op[1], 0);
    const uint64_t now = i->which == AND     ? a & old
                         : i->which == OR    ? a | old
                         : i->which == XOR   ? a ^ old
                         : i->which == ANDN2 ? a & ~old
                                             : a | ~old;

    isa_set_pair(w, i->op[0].reg, old);
    isa_set_pair(w, ISA_EXEC, now);
    w->scc = now != 0;
}

/* ------------------------------------------------------------------- table */

static const struct {
    const char *name;
    isa_run *run;
    int which, operands; /* -1: any number, which say nothing here */
} rows[] = {
    {"s_movk_i32", run_movk, 0, 2},
    {"s_addk_i32", run_addk, 0, 2},
    {"s_mulk_i32", run_mulk, 0, 2},
    {"s_cmovk_i32", run_cmovk, 0, 2},
    {"s_bitset0_b32", run_bitset, 0, 2},
    {"s_bitset1_b32", run_bitset, 1, 2},
    {"s_bitcmp1_b32", run_bitcmp1, 0, 2},
    {"s_bitcmp0_b32", run_bitcmp0, 0, 2},
    {"s_cbranch_scc0", run_branch, SCC0, 1},
    {"s_cbranch_scc1", run_branch, SCC1, 1},
    {"s_cbranch_vccz", run_branch, VCCZ, 1},
    {"s_cbranch_vccnz", run_branch, VCCNZ, 1},
    {"s_cbranch_execz", run_branch, EXECZ, 1},
    {"s_cbranch_execnz", run_branch, EXECNZ, 1},
    {"s_branch", run_branch, ALWAYS, 1},
    {"s_endpgm", run_end, 0, 0},
    {"s_barrier", run_barrier, 0, 0},
    {"s_nop", run_nothing, 0, -1},
    {"s_waitcnt", run_nothing, 0, -1},
    {"s_sleep", run_nothing, 0, -1},
    {"s_setprio", run_nothing, 0, -1},
    {"s_code_end", run_nothing, 0, 0},
    {"buffer_wbl2", run_nothing, 0, -1},
    {"buffer_inv", run_nothing, 0, -1},
    {"buffer_invl2", run_nothing, 0, -1},
    {"buffer_wbinvl1_vol", run_nothing, 0, -1},
    {"buffer_wbinvl1", run_nothing, 0, -1},
    {"s_getpc_b64", run_getpc, 0, 1},
    {"s_setpc_b64", run_setpc, 0, 1},
    {"s_swappc_b64", run_swappc, 0, 2},
    {"s_and_saveexec_b64", run_saveexec, AND, 2},
    {"s_or_saveexec_b64", run_saveexec, OR, 2},
    {"s_xor_saveexec_b64", run_saveexec, XOR, 2},
    {"s_andn2_saveexec_b64", run_saveexec, ANDN2, 2},
    {"s_orn2_saveexec_b64", run_saveexec, ORN2, 2},
};

int isa_find_scalar(const char *name, isa_instr *i)
{
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (strcmp(numbers[k].name, name) == 0) {
            i->run = run_number;
            i->which = (int)k;
            return i->operands == (numbers[k].b ? 3 : 2)
                   && i->op[0].kind == ISA_SCALAR
                   && i->op[0].count == numbers[k].words;
        }
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (strcmp(rows[k].name, name) == 0) {
            i->run = rows[k].run;
            i->which = rows[k].which;
            return rows[k].operands < 0 || i->operands == rows[k].operands;
        }
    return find_compare(name, i);
}
