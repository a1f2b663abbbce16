/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Finds the main path of a kernel; see clean_path.h. The machine code is read as a
 * graph of instructions: those are on the main path that can be reached from the
 * first one, and from which an exit can be reached, without a call of a function that
 * the compiler did not add itself. As the encoding is not documented, its fields are
 * those that nvdisasm shows. */
#include "tests/unit/clean_path.h"

#include <stdint.h>
#include <string.h>

#include "backends/cuda/cubin.h"
#include "base/alloc.h"

enum {
    INSTRUCTION_BYTES = 16,
    /* The lowest 12 bits of an instruction. */
    BSYNC = 0x941,
    CALL = 0x944,
    BSSY = 0x945,
    JUMP = 0x947, /* with and without a condition */
    COLLECTIVE = 0x348,
    EXIT = 0x94d,
    RETURN = 0x950,
    /* The lowest 9 bits. */
    LOAD_LOCAL = 0x183,
    STORE_LOCAL = 0x187,
    ALWAYS = 7,     /* the predicate that is always true */
    BARRIERS = 16,  /* that threads wait at */
    MOST_NEXT = 64, /* instructions that may follow one */
    FORWARD = 1,    /* marks: reached from the beginning, */
    BACKWARD = 2    /* reaches an exit */
};

/* A kernel's instructions and their marks. */
typedef struct graph {
    stfi_cubin_code code;
    int count;
    unsigned char *mark;
} graph;

/* What may follow an instruction; leaves: 1 if the thread may end there. */
typedef struct following {
    int count, leaves;
    int next[MOST_NEXT];
} following;

static uint64_t word_at(const graph *g, int i, int half)
{
    const unsigned char *p = g->code.section + g->code.begin
                             + (size_t)i * INSTRUCTION_BYTES + 8 * half;
    uint64_t word = 0;

    for (int k = 8; k-- > 0;)
        word = word << 8 | p[k];
    return word;
}

static int what(const graph *g, int i)
{
    return (int)(word_at(g, i, 0) & 0xfff);
}

/* 1 if all threads take the instruction. A jump has a second predicate. */
static int is_certain(const graph *g, int i)
{
    const uint64_t low = word_at(g, i, 0), high = word_at(g, i, 1);

    return (low >> 12 & 15) == ALWAYS
           && (what(g, i) != JUMP || (high >> 23 & 31) == ALWAYS);
}

/* The place in the section, in bytes, that an instruction jumps to. */
static int64_t target_of(const graph *g, int i)
{
    const uint64_t low = word_at(g, i, 0), high = word_at(g, i, 1);
    uint64_t offset = low >> 34 | (high & 0x3ffff) << 30;

    if (offset >> 47)
        offset |= ~UINT64_C(0) << 48;
    if (g->code.wide_jumps && what(g, i) != BSSY)
        offset = offset << 8 | (low >> 16 & 255);
    return (int64_t)g->code.begin + (int64_t)(i + 1) * INSTRUCTION_BYTES
           + (int64_t)(offset << 2);
}

static void add(const graph *g, int64_t place, following *f)
{
    const int64_t i = (place - (int64_t)g->code.begin) / INSTRUCTION_BYTES;

    if (i >= 0 && i < g->count && f->count < MOST_NEXT)
        f->next[f->count++] = (int)i;
}

static void add_next(const graph *g, int i, following *f)
{
    add(g, (int64_t)g->code.begin + (int64_t)(i + 1) * INSTRUCTION_BYTES, f);
}

/* Threads that have waited at a barrier go on where it was announced that they do. The
 * same barrier may have been announced for several places. */
static void add_announced(const graph *g, int i, following *f)
{
    const uint64_t barrier = word_at(g, i, 0) >> 16 & (BARRIERS - 1);

    for (int k = 0; k < g->count; k++)
        if (what(g, k) == BSSY
            && (word_at(g, k, 0) >> 16 & (BARRIERS - 1)) == barrier)
            add(g, target_of(g, k), f);
}

/* 1 if a call comes back and is of no interest: into the code itself, or of a function
 * of the compiler's own. */
static int is_helper(const graph *g, int64_t place)
{
    for (int k = 0; k < g->code.helpers; k++)
        if ((int64_t)g->code.helper[k] == place)
            return 1;
    return place >= (int64_t)g->code.begin && place < (int64_t)g->code.end;
}

static void follow(const graph *g, int i, following *f)
{
    const int is_call = what(g, i) == CALL, certain = is_certain(g, i);

    f->count = f->leaves = 0;
    switch (what(g, i)) {
    case EXIT: f->leaves = 1; break;
    case BSYNC: add_announced(g, i, f); break;
    case CALL:
    case COLLECTIVE:
    case JUMP:
        if (!is_call || is_helper(g, target_of(g, i)))
            add(g, target_of(g, i), f);
        break;
    case RETURN: break;
    default: add_next(g, i, f); return;
    }
    if (!certain || what(g, i) == COLLECTIVE
        || (is_call && is_helper(g, target_of(g, i))))
        add_next(g, i, f);
}

/* Marks what is reached until nothing changes: most jumps go forwards. */
static void mark_forward(const graph *g)
{
    following f;
    int changed = 1;

    g->mark[0] = FORWARD;
    while (changed) {
        changed = 0;
        for (int i = 0; i < g->count; i++) {
            if (!(g->mark[i] & FORWARD))
                continue;
            follow(g, i, &f);
            for (int k = 0; k < f.count; k++) {
                changed |= !(g->mark[f.next[k]] & FORWARD);
                g->mark[f.next[k]] |= FORWARD;
            }
        }
    }
}

static void mark_backward(const graph *g)
{
    following f;
    int changed = 1;

    while (changed) {
        changed = 0;
        for (int i = g->count; i-- > 0;) {
            int ends;

            if (g->mark[i] & BACKWARD)
                continue;
            follow(g, i, &f);
            ends = f.leaves;
            for (int k = 0; k < f.count; k++)
                ends |= g->mark[f.next[k]] & BACKWARD;
            if (ends) {
                g->mark[i] |= BACKWARD;
                changed = 1;
            }
        }
    }
}

stf_status clean_path_read(const void *image, size_t bytes, const char *entry,
                           clean_path *path_p)
{
    graph g;
    void *memory;
    stf_status status = stfi_cubin_code_of(image, bytes, entry, &g.code);

    if (status != STF_OK)
        return status;
    g.count = (int)((g.code.end - g.code.begin) / INSTRUCTION_BYTES);
    status = stfi_alloc((size_t)g.count, "marks of instructions", &memory);
    if (status != STF_OK)
        return status;
    g.mark = memset(memory, 0, (size_t)g.count);
    mark_forward(&g);
    mark_backward(&g);
    *path_p = (clean_path){0, 0};
    for (int i = 0; i < g.count; i++) {
        const int op = what(&g, i) & 0x1ff;
        if (g.mark[i] != (FORWARD | BACKWARD))
            continue;
        path_p->instructions++;
        path_p->local += op == LOAD_LOCAL || op == STORE_LOCAL;
    }
    stfi_dealloc(memory);
    return STF_OK;
}
