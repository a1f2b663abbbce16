/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The emulated multiprocessor; see machine.h. */
#include "tests/simt/machine.h"

#include <string.h>

#include "base/status.h"
#include "tests/simt/fiber.h"
#include "tests/simt/guarded.h"
#include "tests/simt/unit.h"

enum { GIVEN_BYTES = 32 };

typedef enum thread_state {
    READY,
    AT_BLOCK,
    AT_WAVE,
    AT_SHUFFLE,
    ENDED
} thread_state;

static const char *const state_names[] = {
    [READY] = "is running",
    [AT_BLOCK] = "waits at a barrier of the block",
    [AT_WAVE] = "waits at a barrier of its wave",
    [AT_SHUFFLE] = "waits at a shuffle",
    [ENDED] = "has ended",
};

typedef struct simt_thread {
    stfi_fiber fiber;
    thread_state state;
    uint32_t index;
    int waited; /* for the launch before it */
    int vote;   /* vote at a barrier */
    int outcome;
    uint32_t bytes;  /* size of the shuffled value */
    uint32_t source; /* the lane whose value it wants */
    /* What it gives, and what it gave last: others may read that while it is on
     * its way to the next shuffle. */
    _Alignas(16) unsigned char given[GIVEN_BYTES];
    _Alignas(16) unsigned char gave[GIVEN_BYTES];
} simt_thread;

/* The process has one machine. Its user holds a lock. */
static struct {
    const stfi_simt_grid *grid;
    unsigned char *shared;
    uint32_t block;
    uint32_t opened; /* number of threads that have a stack */
    int early;       /* a thread of the block did not wait */
    simt_thread *running;
    simt_thread thread[STFI_SIMT_MAX_THREADS];
} machine;

/* -------------------------------------------------- what a kernel may call */

static unsigned thread_index(void)
{
    return machine.running->index;
}

/* A launch of which a block takes itself for another one, until it asks anew. */
static struct {
    int launches; /* that come before it; -1: none is so */
    uint32_t block, seen;
} stray = {-1, 0, 0};

void stfi_simt_stray(int launches, uint32_t block, uint32_t seen)
{
    stray.launches = launches;
    stray.block = block;
    stray.seen = seen;
}

static unsigned block_index(void)
{
    return stray.launches == 0 && machine.block == stray.block ? stray.seen
                                                               : machine.block;
}

static unsigned block_index_anew(void)
{
    return machine.block;
}

static unsigned block_count(void)
{
    return machine.grid->blocks;
}

static unsigned char *shared_memory(void)
{
    return machine.shared;
}

static void wait_for_previous(void)
{
    machine.running->waited = 1;
}

static void reach_memory(void)
{
    machine.early |= machine.grid->overlaps && !machine.running->waited;
}

static void wait_at(thread_state state)
{
    simt_thread *t = machine.running;

    t->state = state;
    stfi_fiber_leave(&t->fiber);
}

static void block_sync(void)
{
    wait_at(AT_BLOCK);
}

static void wave_sync(void)
{
    wait_at(AT_WAVE);
}

/* A thread that waits at a barrier without a vote counts as a vote of 0. */
static int block_any(int one)
{
    machine.running->vote = one != 0;
    wait_at(AT_BLOCK);
    return machine.running->outcome;
}

static int block_is_whole(void)
{
    uint32_t i;

    wait_at(AT_BLOCK);
    for (i = 0; i < machine.grid->threads; i++)
        if (machine.thread[i].state == ENDED)
            return 0;
    return 1;
}

static int wave_any(int one)
{
    machine.running->vote = one != 0;
    wait_at(AT_WAVE);
    return machine.running->outcome;
}

static void shuffle(void *value, unsigned bytes, unsigned lane)
{
    simt_thread *t = machine.running;

    t->bytes = bytes;
    t->source = lane % machine.grid->wave;
    memcpy(t->given, value, bytes);
    wait_at(AT_SHUFFLE);
    memcpy(value,
           machine.thread[t->index - t->index % machine.grid->wave + t->source]
               .gave,
           bytes);
}

static void shuffle_xor(void *value, unsigned bytes, unsigned mask)
{
    shuffle(value, bytes, machine.running->index ^ mask);
}

unsigned stfi_simt_lane(void)
{
    return machine.running->index % machine.grid->wave;
}

void stfi_simt_give(const void *value, unsigned bytes)
{
    simt_thread *t = machine.running;

    t->bytes = bytes;
    t->source = t->index % machine.grid->wave;
    memcpy(t->given, value, bytes);
    wait_at(AT_SHUFFLE);
}

const void *stfi_simt_given(unsigned lane)
{
    return machine.thread[machine.running->index - stfi_simt_lane() + lane]
        .gave;
}

const simt_calls *stfi_simt_calls(void)
{
    static const simt_calls calls = {
        .thread_index = thread_index,
        .block_index = block_index,
        .block_index_anew = block_index_anew,
        .block_count = block_count,
        .shared_memory = shared_memory,
        .wait_for_previous = wait_for_previous,
        .reach_memory = reach_memory,
        .block_sync = block_sync,
        .wave_sync = wave_sync,
        .block_any = block_any,
        .block_is_whole = block_is_whole,
        .wave_any = wave_any,
        .shuffle = shuffle,
        .shuffle_xor = shuffle_xor,
        .half_multiply = stfi_simt_half_multiply,
        .wave_multiply = stfi_simt_wave_multiply,
        .load_matrices = stfi_simt_load_matrices,
        .half_sum = stfi_simt_half_sum,
    };
    return &calls;
}

/* ------------------------------------------------------------------ waves */

/* The threads [first, end) of a wave or of the block. */
typedef struct range {
    uint32_t first;
    uint32_t end;
} range;

static range wave_range(uint32_t wave)
{
    const stfi_simt_grid *g = machine.grid;
    range r = {wave * g->wave, (wave + 1) * g->wave};

    if (r.end > g->threads)
        r.end = g->threads;
    return r;
}

/* The state of all threads that have not ended: ENDED if all have ended, READY
 * if their states differ. */
static thread_state common_state(range r)
{
    thread_state common = ENDED;
    uint32_t i;

    for (i = r.first; i < r.end; i++) {
        thread_state state = machine.thread[i].state;
        if (state == ENDED || state == common)
            continue;
        if (common != ENDED)
            return READY;
        common = state;
    }
    return common;
}

static void let_go(range r)
{
    uint32_t i;
    int any = 0;

    for (i = r.first; i < r.end; i++)
        any |= machine.thread[i].vote;
    for (i = r.first; i < r.end; i++) {
        if (machine.thread[i].state != ENDED)
            machine.thread[i].state = READY;
        machine.thread[i].vote = 0;
        machine.thread[i].outcome = any;
    }
}

static stf_status bad_shuffle(uint32_t thread, const char *what)
{
    return stfi_error(STF_ERR_DEVICE, "%s: block %u: thread %u %s",
                      machine.grid->name, machine.block, thread, what);
}

/* Lets every thread of a wave read the value that it asked for. */
static stf_status exchange(range r)
{
    uint32_t i;

    for (i = r.first; i < r.end; i++)
        if (machine.thread[i].state == ENDED)
            return bad_shuffle(i, "has ended, others of its wave shuffle");
    for (i = r.first; i < r.end; i++) {
        simt_thread *t = &machine.thread[i];
        const simt_thread *from = &machine.thread[r.first + t->source];
        if (r.first + t->source >= r.end)
            return bad_shuffle(i, "shuffles with a lane that does not exist");
        if (from->bytes != t->bytes)
            return bad_shuffle(i, "shuffles with one at another shuffle");
        memcpy(t->gave, t->given, t->bytes);
    }
    return STF_OK;
}

static void run_ready(range r)
{
    uint32_t count = r.end - r.first, k;

    for (k = 0; k < count; k++) {
        uint32_t i = machine.grid->descending ? r.end - 1 - k : r.first + k;
        simt_thread *t = &machine.thread[i];
        if (t->state != READY)
            continue;
        machine.running = t;
        stfi_fiber_enter(&t->fiber);
        if (t->fiber.ended)
            t->state = ENDED;
    }
}

/* Runs a wave until all of its threads have ended or wait for the block. */
static stf_status run_wave(range r)
{
    thread_state state;

    for (;;) {
        run_ready(r);
        state = common_state(r);
        if (state == AT_SHUFFLE && exchange(r) != STF_OK)
            return STF_ERR_DEVICE;
        if (state != AT_SHUFFLE && state != AT_WAVE)
            return STF_OK;
        let_go(r);
    }
}

/* ----------------------------------------------------------------- blocks */

static void body(void *arg)
{
    (void)arg;
    machine.grid->entry(machine.grid->args);
}

/* Reports, in words, two threads that wait for each other. */
static stf_status report_stuck(void)
{
    const simt_thread *a = machine.thread, *b;

    while (a->state == ENDED)
        a++;
    for (b = a + 1; b->state == ENDED || b->state == a->state; b++)
        continue;
    return stfi_error(STF_ERR_DEVICE,
                      "%s: block %u is stuck: thread %u %s, "
                      "thread %u %s",
                      machine.grid->name, machine.block, a->index,
                      state_names[a->state], b->index, state_names[b->state]);
}

/* What is damaged, and how many runs were. */
static struct {
    stfi_simt_damage set;
    int runs;
} damage = {{.launches = -1}, 0};

int stfi_simt_set_damage(const stfi_simt_damage *set)
{
    const int runs = damage.runs;

    damage.set = *set;
    damage.runs = 0;
    return runs;
}

/* All threads of the block meet, which they have done so often before. */
static void damage_memory(int meetings)
{
    const stfi_simt_damage *d = &damage.set;

    if (d->launches != 0 || d->block != machine.block
        || d->meetings != meetings)
        return;
    for (uint32_t i = 2; i < d->bytes; i += 4)
        machine.shared[d->at + i] ^= 0x08;
    damage.runs++;
}

static stf_status run_block(void)
{
    const stfi_simt_grid *g = machine.grid;
    uint32_t waves = (g->threads + g->wave - 1) / g->wave, i;
    range all = {0, g->threads};
    thread_state state;
    int meetings = 0;

    memset(machine.shared, 0xff, g->shared_bytes);
    for (i = 0; i < g->threads; i++) {
        machine.thread[i].state = READY;
        machine.thread[i].waited = 0;
        machine.thread[i].vote = 0;
        stfi_fiber_set(&machine.thread[i].fiber, body, NULL);
    }
    for (;;) {
        for (i = 0; i < waves; i++) {
            uint32_t w = g->descending ? waves - 1 - i : i;
            if (run_wave(wave_range(w)) != STF_OK)
                return STF_ERR_DEVICE;
        }
        state = common_state(all);
        if (state == ENDED)
            return STF_OK;
        if (state != AT_BLOCK)
            return report_stuck();
        damage_memory(meetings++);
        let_go(all);
    }
}

static stf_status open_threads(uint32_t threads)
{
    for (; machine.opened < threads; machine.opened++) {
        machine.thread[machine.opened].index = machine.opened;
        if (!stfi_fiber_open(&machine.thread[machine.opened].fiber))
            return stfi_error(STF_ERR_MEMORY,
                              "no memory for the stacks of "
                              "%u emulated threads",
                              threads);
    }
    return STF_OK;
}

static stf_status run_blocks(void)
{
    const stfi_simt_grid *g = machine.grid;
    uint32_t i;

    for (i = 0; i < g->blocks; i++) {
        machine.block = g->descending ? g->blocks - 1 - i : i;
        if (run_block() != STF_OK)
            return STF_ERR_DEVICE;
        if (machine.early)
            return stfi_error(
                STF_ERR_DEVICE,
                "%s: a thread of block %u reaches memory that the "
                "launch before may still write",
                g->name, machine.block);
        if (!stfi_guarded_check(machine.shared, g->shared_bytes))
            return stfi_error(STF_ERR_DEVICE,
                              "%s: block %u wrote beside its "
                              "%u bytes of shared memory",
                              g->name, machine.block, g->shared_bytes);
    }
    return STF_OK;
}

stf_status stfi_simt_run(const stfi_simt_grid *grid)
{
    stf_status status = open_threads(grid->threads);

    if (status != STF_OK)
        return status;
    machine.grid = grid;
    machine.early = 0;
    machine.shared = stfi_guarded_alloc(grid->shared_bytes);
    if (machine.shared == NULL)
        return stfi_error(STF_ERR_MEMORY, "no memory for emulated shared "
                                          "memory");
    status = run_blocks();
    if (grid->descending && stray.launches >= 0)
        stray.launches--;
    if (grid->descending && damage.set.launches >= 0)
        damage.set.launches--;
    stfi_guarded_free(machine.shared, grid->shared_bytes);
    return status;
}
