/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks of transforms as a whole (ft/whole.h), around the kernels of
 * unprotected plans: sums over the input in memory, the transform, sums over the
 * output in memory. They suit transforms that are computed as one: there are no
 * values between passes to be checked, and short ones are computed without the
 * tiles of passes, which few rows do not fill. */
#ifndef STFI_PROTECT_CPU_WHOLE_H
#define STFI_PROTECT_CPU_WHOLE_H

#include <stdatomic.h>

#include "backends/cpu/protect/cpu_spread.h"
#include "backends/cpu/simd/isas.h"
#include "ft/whole.h"

/* The weights of a side. */
typedef enum stfi_cpu_whole_form {
    STFI_CPU_WHOLE_PAIRED, /* one plane: reals at even places add up to the real
                               part of the sum, those at odd places to the
                               imaginary part */
    STFI_CPU_WHOLE_COMPLEX, /* one plane, for the real part: pairs of reals are
                               complex numbers, and so are the weights */
    STFI_CPU_WHOLE_PLANES,  /* one for the real part, one for the other */
    STFI_CPU_WHOLE_FORMS
} stfi_cpu_whole_form;

/* By pieces of how many bytes a row of the output is read. */
typedef enum stfi_cpu_whole_piece {
    STFI_CPU_WHOLE_ANY, /* by vectors */
    STFI_CPU_WHOLE_8,
    STFI_CPU_WHOLE_16,
    STFI_CPU_WHOLE_32,
    STFI_CPU_WHOLE_PIECES
} stfi_cpu_whole_piece;

typedef struct stfi_cpu_whole_side stfi_cpu_whole_side;
typedef struct stfi_cpu_whole_limit stfi_cpu_whole_limit;

/* Sums up one row of the input. `terms` is memory for the sums: equal rows have equal
 * ones, bit by bit. Returns where it has stored them. */
typedef const void *stfi_cpu_whole_enter(const stfi_cpu_whole_side *in,
                                         const void *src, void *terms);
/* Sums up one row of the output. Returns 1 if the residual is small, and raises
 * *worst to |residual|^2 / norm^2. */
typedef int stfi_cpu_whole_judge(const stfi_cpu_whole_side *out,
                                 const void *dst, const void *terms,
                                 const stfi_cpu_whole_limit *limit,
                                 double *worst);

/* One side of the rows, a row being what one transform has there. Of each plane
 * of weights, one real for each real of the row, the last `lanes` are those of the
 * vector that ends the row if it is no whole number of vectors: it overlaps the one
 * before, with weights of 0, and ones[] are 0 there, too.
 *
 * If the row is less than a vector, a plane has STFI_CPU_WHOLE_UNITS vectors instead: one
 * for each of its units, as far as they are so few, which are pairs, or reals if their
 * number is odd; it has the weights of a unit again and again. Behind that are those of
 * pieces of a row of at most two vectors, again a vector for each. Pieces are quarters of
 * vectors of 64 bytes, of longer rows half of a vector. The last one overlaps the one
 * before; behind the first vector of ones[] is one for it.
 *
 * An array of several axes may be so many lines, which have the same planes of weights,
 * and what is added up of each is multiplied by a weight of its own (ft/whole.h). */
enum { STFI_CPU_WHOLE_UNITS = 5 };

struct stfi_cpu_whole_side {
    int64_t reals; /* of a row */
    int64_t
        step; /* reals from row to row, without gaps if elements have some */
    int64_t lines; /* 1, or those of an array, each with two reals of outer[] */
    const void *outer;
    int64_t vectors,
        rest; /* whole vectors of a row, or line, and the reals behind them */
    stfi_cpu_whole_form form;
    int by_lanes; /* 1 if each of many rows has a sum of its own: row_lanes.h */
    int64_t ahead; /* reals to the rows that are next, 0 if they are near */
    int in_order; /* 1 if joint rows are read in order before they are summed up */
    const void *plane[2];
    const void *ones;
    stfi_cpu_spread spread;      /* where the elements of a row lie */
    stfi_cpu_whole_enter *enter; /* of a row of this length; */
    stfi_cpu_whole_judge *judge; /* of one of the output */
};

/* What a verdict needs beside the sums. */
struct stfi_cpu_whole_limit {
    double factor; /* what sums over the output are multiplied by: 1 / scale */
    double most;   /* the largest clean |residual|^2 / norm^2 */
};

/* Functions over one row are by its vectors, as far as these are few; those of number
 * 0 take any. */
enum { STFI_CPU_WHOLE_FEW = 16 };

/* What summing up rows of the input has done: how many there were, behind what address
 * the last sums are stored, and the bits of all of them. */
typedef struct stfi_cpu_whole_entered {
    int64_t rows;
    const void *end;
    uint64_t bits;
} stfi_cpu_whole_entered;

/* The functions of one instruction set and precision. `terms` is memory for the
 * sums over rows of the input: equal rows have equal ones, bit by bit. */
typedef struct stfi_cpu_whole_kernels {
    stfi_isa_key key;
    int joined; /* so many of many rows are judged by one sum */
    double least_power,
        most_power; /* squares of norms between these are in range */
    /* Of one row; NULL where there is none for so many vectors. */
    stfi_cpu_whole_enter *enter[STFI_CPU_WHOLE_FORMS][STFI_CPU_WHOLE_FEW + 1];
    stfi_cpu_whole_judge *judge[STFI_CPU_WHOLE_PIECES][STFI_CPU_WHOLE_FORMS]
                               [STFI_CPU_WHOLE_FEW + 1];
    /* Of one that is less than a vector, in vectors that are a quarter of 64 bytes. */
    stfi_cpu_whole_enter *enter_part[STFI_CPU_WHOLE_FORMS];
    stfi_cpu_whole_judge *judge_part[STFI_CPU_WHOLE_FORMS];
    /* Of an array of lines. */
    stfi_cpu_whole_enter *enter_lines[STFI_CPU_WHOLE_FORMS];
    stfi_cpu_whole_judge *judge_lines[STFI_CPU_WHOLE_FORMS];
    /* Of many rows. The other
     * judges rows [first, rows); returns the first of those that are judged by the
     * same sum and may not be clean, or `rows`. Rows are then judged one by one, by
     * the other functions. */
    stfi_cpu_whole_entered (*enter_rows)(const stfi_cpu_whole_side *in,
                                         const void *src, int64_t rows,
                                         void *terms);
    int64_t (*judge_rows)(const stfi_cpu_whole_side *out, const void *dst,
                          int64_t first, int64_t rows, const void *terms,
                          const stfi_cpu_whole_limit *limit, double *worst);
} stfi_cpu_whole_kernels;

/* Rows of so many vectors, and of a part of one more, are judged each in a lane:
 * row_lanes.h. Longer ones take more instructions than joint sums of them. */
enum { STFI_CPU_WHOLE_SHORT = 4 };

static inline int stfi_cpu_whole_is_short(int64_t reals, int lanes)
{
    return reals >= 2 && reals / lanes <= STFI_CPU_WHOLE_SHORT;
}

/* One check of one direction. */
typedef struct stfi_cpu_whole_way {
    const stfi_ft_offline *check; /* NULL: there is no such direction */
    stfi_cpu_whole_side side[2];  /* input, output */
    stfi_cpu_whole_limit limit;
} stfi_cpu_whole_way;

/* What threads that share rows have behind their sums. */
enum { STFI_CPU_WHOLE_WORD = 64 };

/* The checks of an executable. All zero: none. */
typedef struct stfi_cpu_whole {
    const stfi_cpu_whole_kernels *kernels;
    stfi_cpu_whole_way way[2][STFI_WHOLE_CHECKS]; /* forward, inverse */
    int checks; /* of each direction: 2 from end to end */
    int twice; /* rows of a batch are computed twice instead (cpu_exec_twice.c), and
                  there are no kernels */
    int shared; /* if threads share each row (cpu_exec_shared.c), the rows of a chunk;
                      else 0 */
    int alone; /* each row is summed up and judged by the functions of its side: the
                      only one, or arrays of lines */
    int joined;    /* rows that are judged by one sum */
    int64_t tile;  /* rows that the kernels compute at a time */
    int64_t piece; /* rows that are computed between sums */
    /* Rows to the input that kernels prefetch, 0: nearest. Where rows are computed
     * twice, to both sides of the next piece, 0: nothing is prefetched. */
    int64_t ahead;
    size_t
        keep; /* bytes of the copy of a piece of the input, in place; 0: it would be
                      too long, and what is in place has the checks of passes */
    size_t terms;         /* bytes of its sums, of one check */
    size_t packed;        /* bytes of a piece without gaps, 0 if none has any */
    _Atomic double worst; /* the largest |residual|^2 / norm^2 of clean rows */
    void *tables;
} stfi_cpu_whole;

/* Bytes of the terms of a group of rows that are summed up together: as many as there are
 * lanes, or a row that is alone. */
static inline size_t stfi_cpu_whole_terms(const stfi_cpu_whole *w)
{
    const stfi_isa_key *k = &w->kernels->key;
    const int vectors = w->alone         ? 2
                        : w->joined == 1 ? 3
                                         : 2 + k->lanes / w->joined;

    return (size_t)(vectors * k->lanes) * (k->precision == STF_F32 ? 4 : 8);
}

static inline int64_t stfi_cpu_whole_group(const stfi_cpu_whole *w)
{
    return w->alone ? 1 : w->kernels->key.lanes;
}

/* 1 if there are checks as a whole, of whatever kind. */
static inline int stfi_cpu_whole_is_made(const stfi_cpu_whole *w)
{
    return w->kernels != NULL || w->twice;
}

/* Returns the kernels of an instruction set or, if they have more than `most`
 * lanes, the widest that have not; NULL if there are none. */
const stfi_cpu_whole_kernels *
stfi_cpu_whole_find(const char *isa, stf_precision precision, int64_t most);

/* Makes the tables, for rows that are `step` reals apart, which are computed
 * `tile` at a time or, by passes, any number up to that, of which `passes` fill
 * their vectors (else 0). *whole_p is all zero before, and has no kernels afterwards
 * if such rows are not checked as a whole. Errors: MEMORY. */
stf_status stfi_cpu_whole_make(const char *isa, stf_precision precision,
                               const stfi_ft_whole_checks *checks,
                               const int64_t step[2], int64_t batch,
                               int64_t tile, int64_t passes,
                               stfi_cpu_whole *whole_p);
void stfi_cpu_whole_free(stfi_cpu_whole *whole);

/* Lets rows be prefetched if they are in no cache, those of the next piece by the sums or
 * by kernels, or joint ones by reading them in order; pieces are smaller then. */
void stfi_cpu_whole_prefetch(stfi_cpu_whole *whole, int64_t batch);

/* Lets the only row be read as it has just been stored, `bytes` at a time. */
void stfi_cpu_whole_read_by(stfi_cpu_whole *whole, int bytes);

#endif
