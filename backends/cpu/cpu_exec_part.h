/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The part of an execution with checks of transforms as a whole (cpu_exec_whole.c) that
 * one thread computes: how its rows are computed, and what becomes of those that are not
 * clean. */
#ifndef STFI_CPU_EXEC_PART_H
#define STFI_CPU_EXEC_PART_H

#include <string.h>

#include "backends/cpu/cpu_executable.h"
#include "base/type.h"

/* The most bytes of terms (stfi_cpu_whole_terms). */
enum { STFI_CPU_MOST_TERMS = 6 * 64 };

typedef struct stfi_cpu_part {
    stfi_exec *x;
    const stfi_buffers *b;
    stfi_ft_result *result;
    const char *from; /* what is computed again: in place, the copy of the
                         piece, as if all rows were there */
    int slot;         /* of the workspace */
    char *scratch;    /* of the kernels; */
    void *keep;       /* then a copy of a piece of the input, or NULL, */
    char *sums;       /* its sums, by each check, */
    char *packed;     /* and rows without gaps */
    int by;           /* the check that rows are summed up or judged by */
    int strayed;      /* sums have hit the input, or results are elsewhere */
    int team;         /* how many threads share rows, if they do */
    int told;         /* the first check has told of some rows of the piece */
    int looked;      /* a row of it, computed twice, was looked for elsewhere */
    double worst;    /* largest |residual|^2 / norm^2 of clean rows */
    double ratio;    /* largest residual / tau of those that were settled */
    uint64_t read;   /* bits of the sums over the input, of the first check, or
                           of the input of rows that are computed twice; */
    uint64_t bits;   /* then, those of the piece, */
    uint64_t stored; /* and of results */
    int64_t first, end; /* the rows that are computed piece by piece */
    int repaired;
    int brief; /* what overflowed is left to a launch: its scale may have been
                  wrong, which is read once for a brief call; */
    int again; /* that has happened */
} stfi_cpu_part;

/* The check that rows are summed up or judged by. */
static inline const stfi_cpu_whole_way *
stfi_cpu_part_way(const stfi_cpu_part *p)
{
    return &p->x->whole.way[p->b->backward][p->by];
}

/* Where elements lie, which all checks agree on. */
static inline const stfi_cpu_whole_side *
stfi_cpu_part_layout(const stfi_cpu_part *p, int side)
{
    return &p->x->whole.way[p->b->backward][0].side[side];
}

/* The sums of a piece by this check. */
static inline char *stfi_cpu_part_sums(const stfi_cpu_part *p)
{
    return p->sums + (size_t)p->by * stfi_cpu_round_up(p->x->whole.terms);
}

/* Bytes from row to row of a side. */
static inline int64_t stfi_cpu_part_row_bytes(const stfi_exec *x, int side)
{
    return x->schedule.batch_stride[side]
           * (int64_t)stfi_type_get(x->schedule.precision)->bytes;
}

/* Where a row of a side is. */
static inline const char *stfi_cpu_part_row(const stfi_exec *x,
                                            const stfi_buffers *b, int side,
                                            int64_t row)
{
    return (side ? (const char *)b->out : (const char *)b->in)
           + row * stfi_cpu_part_row_bytes(x, side);
}

/* The bits of sums. */
static inline uint64_t stfi_cpu_part_bits(const char *terms, size_t bytes)
{
    uint64_t all = 0, word;

    for (size_t i = 0; i + sizeof word <= bytes; i += sizeof word) {
        memcpy(&word, terms + i, sizeof word);
        all += word;
    }
    return all;
}

/* Computes rows [begin, end), of which `src` and `dst` have row 0, without checks. */
void stfi_cpu_part_compute(const stfi_cpu_part *p, const void *src, void *dst,
                           int64_t begin, int64_t end);

/* Copies rows of the input. Nothing is read or written between elements: in gaps,
 * somebody else may be at work. */
void stfi_cpu_part_copy(const stfi_cpu_part *p, const void *from, void *to,
                        int64_t rows);

/* Returns where `rows` rows of a side are without gaps: where they lie, or in a copy
 * that the next call overwrites. */
const void *stfi_cpu_part_without_gaps(const stfi_cpu_part *p, int side,
                                       const void *at, int64_t rows);

/* Looks at a row that may not be clean, and computes it again if it is not: as
 * long as the input is what it was when it was summed up, to `terms`, those of the group
 * of `rows` rows from `begin` on, or of the only row. Otherwise nobody knows what is
 * right. */
void stfi_cpu_part_settle(stfi_cpu_part *p, int64_t row, const void *terms,
                          int64_t begin, int64_t rows);

/* 1 if the input of a row that threads share, number r of its chunk, has other sums than
 * it had. */
int stfi_cpu_exec_share_changed(const stfi_cpu_part *p, int64_t row, int64_t r);

/* Notes what came of a row. */
void stfi_cpu_part_note(stfi_cpu_part *p, int64_t row, stfi_ft_outcome outcome,
                        double ratio);

/* Notes what the sums of stf_check_fft() find in a row, which nothing else is wrong
 * with. */
void stfi_cpu_part_note_as_found(stfi_cpu_part *p, int64_t row);

/* Notes, for row `row`, that nobody knows what is right. */
void stfi_cpu_part_note_lost(stfi_cpu_part *p, int64_t row);

/* Rows [begin, end) that are computed twice (cpu_exec_twice.c): adds the bits of the
 * input to p->read; computes them, compares, and repairs them. Both return how many these
 * were. */
int64_t stfi_cpu_exec_enter_twice(stfi_cpu_part *p, int64_t begin, int64_t end);
int64_t stfi_cpu_exec_run_twice(stfi_cpu_part *p, int64_t begin, int64_t end);

/* Ends that, after all pieces of [begin, end): tells if results have changed since they
 * were compared. */
void stfi_cpu_exec_end_twice(stfi_cpu_part *p, int64_t begin, int64_t end);

/* Runs one thread's share of all transforms, if threads share them; `p`: of the first
 * thread, what came of them. */
void stfi_cpu_exec_run_shared(stfi_exec *x, const stfi_buffers *b, int thread,
                              int threads, stfi_cpu_part *p);

#endif
