/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Runs the blocks of a launch one after the other. The waves of a block take
 * turns at barriers. Registers and block memory hold garbage at first. */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "tests/isa/isa.h"
#include "tests/isa/places.h"

enum { GARBAGE = 0x7fc5a5a5, MOST_STEPS = 20000000 };

/* What one launch works in. */
typedef struct machine {
    isa_launch *launch;
    isa_wave *wave[ISA_MOST_WAVES];
    int waves;
} machine;

/* --------------------------------------------------------- how waves start */

/* Where the scalar registers that the host fills in end. */
static int user_registers(const isa_start *s)
{
    return (int)(s->resources >> 1 & 31);
}

/* Fills in the addresses that the descriptor asks for, in its order: the
 * stack's buffer, the packet, the queue, the arguments, the dispatch, the
 * initial stack, its size. */
static void set_addresses(isa_wave *w)
{
    static const int counts[] = {4, 2, 2, 2, 2, 2, 1};
    const isa_launch *l = w->launch;
    int at = 0;

    for (int bit = 0; bit < 7; bit++) {
        if (!(l->start.properties >> bit & 1))
            continue;
        if (bit == 0) {
            isa_set_pair(w, at, 0);
            isa_set_pair(w, at + 2, (uint64_t)ISA_STACK_MARK << 32);
        } else if (bit == 1) {
            isa_set_pair(w, at, (uint64_t)(uintptr_t)l->packet);
        } else if (bit == 3) {
            isa_set_pair(w, at, (uint64_t)(uintptr_t)l->args);
        } else if (bit == 6) {
            w->s[at] = l->stack_bytes;
        } else {
            isa_set_pair(w, at, 0);
        }
        at += counts[bit];
    }
    for (uint32_t k = 0; k < (l->start.preload & 0x7f); k++)
        memcpy(&w->s[at + (int)k],
               l->args + 4 * ((l->start.preload >> 7 & 0x1ff) + k), 4);
}

static void start_wave(isa_wave *w, uint32_t block, uint32_t first)
{
    const isa_launch *l = w->launch;
    const uint32_t threads = l->threads - first;
    int at = user_registers(&l->start);

    for (int r = 0; r < ISA_VECTORS; r++)
        for (int k = 0; k < ISA_LANES; k++)
            w->v[r][k] = GARBAGE;
    for (int r = 0; r < ISA_SCALARS; r++)
        w->s[r] = GARBAGE;
    memset(w->stack, 0x5a, (size_t)w->stack_bytes);
    set_addresses(w);
    for (int bit = 7; bit <= 9; bit++) /* the block's indices */
        if (l->start.resources >> bit & 1)
            w->s[at++] = bit == 7 ? block : 0;
    if (l->start.resources >> 10 & 1)
        w->s[at++] = GARBAGE;
    if (l->start.resources & 1 && !l->separate_stack)
        w->s[at++] = 0; /* where the wave's stack begins */
    for (int k = 0; k < ISA_LANES; k++)
        w->v[0][k] = first + (uint32_t)k;
    isa_set_pair(w, ISA_EXEC,
                 threads >= ISA_LANES ? ~(uint64_t)0
                                      : ((uint64_t)1 << threads) - 1);
    w->scc = 0;
    w->ended = w->waits = 0;
    w->pc = (uint64_t)(uintptr_t)l->image + l->start.entry;
}

/* ---------------------------------------------------------------- running */

static const isa_instr *fetch(const isa_wave *w)
{
    const isa_launch *l = w->launch;
    const isa_program *p = l->program;
    const uint64_t at = w->pc - (uint64_t)(uintptr_t)l->image - p->first;

    if (at % 4 != 0 || at / 4 >= p->words || p->index[at / 4] < 0)
        return NULL;
    return &p->instr[p->index[at / 4]];
}

/* Runs a wave to its next barrier or its end. */
static void run_wave(isa_wave *w)
{
    w->waits = 0;
    for (long steps = 0; !w->ended && !w->waits; steps++) {
        const isa_instr *i = fetch(w);
        if (i == NULL || steps == MOST_STEPS) {
            isa_fail(w, i == NULL ? "a jump to where no instruction is"
                                  : "a wave that does not end");
            return;
        }
        w->pc += i->bytes;
        i->run(w, i);
        w->launch->executed++;
    }
}

/* Runs a block. A barrier is passed once all waves that have not ended wait
 * for it. */
static void run_block(machine *m, uint32_t block, int descending)
{
    isa_launch *l = m->launch;
    int running = 1;

    for (uint32_t k = 0; k < l->shared_bytes / 4; k++) {
        uint32_t garbage = GARBAGE;
        memcpy(l->shared + 4 * k, &garbage, 4);
    }
    for (int k = 0; k < m->waves; k++)
        start_wave(m->wave[k], block, (uint32_t)(k * ISA_LANES));
    while (running && l->error[0] == '\0') {
        running = 0;
        for (int k = 0; k < m->waves && l->error[0] == '\0'; k++) {
            isa_wave *w = m->wave[descending ? m->waves - 1 - k : k];
            if (!w->ended)
                run_wave(w);
            running |= !w->ended;
        }
    }
}

static void clear(machine *m)
{
    for (int k = 0; k < m->waves; k++) {
        if (m->wave[k] != NULL)
            free(m->wave[k]->stack);
        free(m->wave[k]);
    }
}

static int prepare(machine *m)
{
    int good = 1;

    for (int k = 0; k < m->waves; k++) {
        isa_wave *w = m->wave[k] = calloc(1, sizeof *w);
        if (w == NULL)
            return 0;
        w->launch = m->launch;
        w->stack_bytes = (uint64_t)m->launch->stack_bytes * ISA_LANES;
        w->stack = malloc((size_t)w->stack_bytes + 1);
        good = good && w->stack != NULL;
    }
    return good;
}

stf_status isa_machine_run(isa_launch *l, int descending)
{
    machine m = {.launch = l,
                 .waves = (int)((l->threads + ISA_LANES - 1) / ISA_LANES)};
    stf_status status = STF_OK;

    if (m.waves > ISA_MOST_WAVES)
        return stfi_error(STF_ERR_DEVICE, "%s: a block of %u threads", l->name,
                          l->threads);
    l->near = l->near_end = 0;
    if (!prepare(&m))
        status = stfi_error(STF_ERR_MEMORY, "no memory to run %s", l->name);
    for (uint32_t b = 0; status == STF_OK && b < l->blocks; b++) {
        run_block(&m, descending ? l->blocks - 1 - b : b, descending);
        if (l->error[0] != '\0')
            status = stfi_error(STF_ERR_DEVICE, "%s: %s", l->name, l->error);
    }
    clear(&m);
    return status;
}
