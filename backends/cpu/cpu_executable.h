/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* An executable of the CPU backend, as the files that make it one share it:
 * cpu_exec.c makes and launches it, cpu_exec_checks.c has its faults and
 * signatures. */
#ifndef STFI_CPU_EXECUTABLE_H
#define STFI_CPU_EXECUTABLE_H

#include "backends/cpu/compact/cpu_compact.h"
#include "backends/cpu/cpu_exec.h"
#include "backends/cpu/cpu_pass.h"
#include "backends/cpu/protect/cpu_whole.h"
#include "base/alloc.h"

struct stfi_exec {
    stfi_schedule schedule;
    int64_t lanes;     /* of all passes and transforms */
    int threads;       /* number of threads of an execution, each with a tile */
    int checked;       /* 1 if some pass is checked */
    int has_signature; /* launches have one, with the bits of the tables: */
    uint64_t table_bits;       /* what they are, */
    stfi_ft_bit_sum *add_bits; /* and what adds them up; NULL: they are left
                                  out */
    stfi_cpu_log log;
    stfi_cpu_fault *fault;
    atomic_int faults;   /* number of faults for the next launch */
    atomic_int suffered; /* number of faults that the last launch had */
    size_t slot_bytes[2];
    size_t tile_bytes;
    size_t work_bytes;         /* of the schedule */
    stfi_cpu_compact *compact; /* what replaces the passes, or NULL */
    stfi_exec *bare; /* the same without checks, or NULL, and the checks around
                        it: cpu_exec_whole.c */
    stfi_cpu_whole whole;
    stfi_brief_arrays asked; /* of brief launches of these */
    size_t whole_at[3]; /* in a thread's tile: the copy of a piece, its sums, a
                           piece without gaps */
    int npasses;
    stfi_cpu_pass pass[];
};

/* The number of a thread, and how many share the work. */
typedef struct stfi_cpu_team {
    int thread, threads;
} stfi_cpu_team;

/* The lanes [*begin, *end) of a pass that one thread computes: whole tiles of
 * `width` lanes, but for the last. */
void stfi_cpu_exec_share(int64_t lanes, int width, const stfi_cpu_team *t,
                         int64_t *begin, int64_t *end);

/* A thread's tile in the workspace of a launch. */
static inline char *stfi_cpu_exec_tile(const stfi_exec *x, void *work,
                                       int thread)
{
    return (char *)work + x->work_bytes + (size_t)thread * x->tile_bytes;
}

/* Where the transforms of a buffer from number `first` on are, in a chunk of
 * which they are the first. */
void *stfi_cpu_exec_buffer(const stfi_exec *x, const stfi_buffers *b,
                           stfi_buf which, int64_t first, int slot);

/* Runs a thread's share of the passes of an executable without checks over transforms
 * [begin, end), at most a chunk, in the buffers of a slot. Threads meet after each
 * pass. */
void stfi_cpu_exec_run_passes(const stfi_exec *x, const stfi_buffers *b,
                              int slot, void *scratch, int64_t begin,
                              int64_t end, const stfi_cpu_team *t);

/* Adds an outcome to the ledger and to the result of a launch. Thread: any. */
void stfi_cpu_exec_note(stfi_exec *x, stfi_ft_result *result,
                        stfi_ft_outcome outcome, const stf_ft_event *event);

/* The status of a launch by what its checks found. The output is complete in any
 * case. */
stf_status stfi_cpu_exec_conclude(const stfi_ft_result *result);

/* Prepares the signatures of launches, when all passes are made. */
void stfi_cpu_exec_sign(stfi_exec *x, const char *isa);

/* Returns the sum of the bits of the tables as they are. */
uint64_t stfi_cpu_exec_bits(const stfi_exec *x);

/* The bytes of a part of the workspace, so that the next part is aligned. */
static inline size_t stfi_cpu_round_up(size_t bytes)
{
    return (bytes + STFI_ALIGN - 1) / STFI_ALIGN * STFI_ALIGN;
}

#endif
