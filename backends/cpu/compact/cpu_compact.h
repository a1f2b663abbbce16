/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compact transforms: transforms of packed arrays that fit the
 * second-level cache, of one or several axes. All passes of their schedule are
 * done as one, between the load and the store of an array. Their only checks are
 * around them: protect/bracket.h.
 *
 * In scratch, the real and the imaginary parts are two planes, and vectors run
 * over elements of a plane, so that one array fills the vectors; or over W
 * arrays, where there are so many and they are small. Each step reads one pair
 * of planes and writes another one, so that indices need no reversal.
 * Source: Stockham's algorithm, as in [Govindaraju2008], section IV. */
#ifndef STFI_CPU_COMPACT_H
#define STFI_CPU_COMPACT_H

#include "backends/cpu/simd/isas.h"
#include "backends/cpu/compact/cpu_conv.h"
#include "backends/cpu/compact/cpu_one.h"
#include "backends/cpu/compact/cpu_reals.h"
#include "backends/cpu/compact/cpu_rows.h"
#include "base/type.h"
#include "fft/schedule.h"

typedef enum stfi_cpu_step_kind {
    STFI_CPU_COLUMNS, /* butterflies; vectors run over index q */
    STFI_CPU_ROWS,    /* butterflies; vectors run over index p; s is 1 */
    STFI_CPU_TURN,    /* [m][s] becomes [s][m] */
    STFI_CPU_SEPARATE, /* spectra of two rows of reals in one become two halves; */
    STFI_CPU_JOIN      /* the reverse */
} stfi_cpu_step_kind;

/* A step over [blocks][radix][m][s] elements, indices b, j, p, q: butterflies
 * over j, whose results are multiplied by exp(-2 pi i p j/(m radix)) and stored
 * at [b][p][j][q].
 *
 * SEPARATE and JOIN, between [blocks][m][s] elements and half spectra: two for each
 * pair of b and q, whose element k is at (b (m/2 + 1) + k) line + q, and at `other`
 * elements from there. */
typedef struct stfi_cpu_step {
    stfi_cpu_step_kind kind;
    int radix;
    int64_t blocks, m, s;
    int64_t line, other;
    void *twiddle; /* NULL if m is 1. COLUMNS: [p][j - 1], complex;
                    ROWS: [j - 1][re, im][p], stfi_cpu_row_of(m) for each */
} stfi_cpu_step;

enum { STFI_CPU_STEPS = 24 };

/* What of an array is real; the other side is then half of its spectrum. */
typedef enum stfi_cpu_compact_form {
    STFI_CPU_COMPLEX,
    STFI_CPU_REAL_IN,
    STFI_CPU_REAL_OUT
} stfi_cpu_compact_form;

typedef struct stfi_cpu_compact_kernels stfi_cpu_compact_kernels;

typedef struct stfi_cpu_compact {
    const stfi_cpu_compact_kernels *kernels;
    stfi_cpu_compact_form form;
    int64_t n;     /* elements of an array, of all its spectrum if real */
    int64_t last;  /* those of its last axis */
    int64_t pitch; /* reals from row to row of an array of reals */
    int group;     /* arrays that are computed together: 1, or all lanes */
    int64_t plane; /* reals of a plane, with what vectors exceed it by */
    int64_t src_step, dst_step; /* reals from array to array */
    stfi_cpu_one one;           /* of a single short array, in place of steps */
    stfi_cpu_rows_fn *rows;     /* of many short rows, in place of steps */
    stfi_cpu_reals *reals;      /* NULL, or what arrays of reals have around the
                                   transform of n numbers */
    stfi_cpu_conv *conv; /* NULL, or the convolution that the steps are of */
    int at_once; /* 1: complex axes of up to STFI_CPU_ONE_WHOLE numbers are one
                    butterfly each, whatever the radices of their passes */
    int nsteps;
    stfi_cpu_step step[STFI_CPU_STEPS];
} stfi_cpu_compact;

/* What a thread computes in one execution: arrays [begin, end). */
typedef struct stfi_cpu_compact_run {
    const void *src;
    void *dst;
    void *scratch; /* stfi_cpu_compact_bytes() */
    double scale;
    int inverse;
    int64_t begin, end;
    int64_t behind; /* arrays behind these that the next calls compute */
    /* Arrays to those whose input is prefetched, 0: nearest. Where they are compared, to
     * those of both sides, 0: none. */
    int64_t ahead;
} stfi_cpu_compact_run;

/* The functions of one instruction set and precision. */
struct stfi_cpu_compact_kernels {
    stfi_isa_key key;
    void (*run)(const stfi_cpu_compact *c, const stfi_cpu_compact_run *run);
    /* May be NULL. Computes arrays again, and returns 1 if `dst` has the same results,
     * bit by bit, and all are finite. The scale has to be one real. It takes no
     * scratch. */
    int (*is_same)(const stfi_cpu_compact *c, const stfi_cpu_compact_run *run);
    /* If that is not NULL: adds up the bits of arrays of the input (0), or of the
     * output (1). has_gaps: what is between arrays is left out; else it counts, but
     * behind the last one of the input. Those of parts of the output add up to those of
     * the whole. */
    uint64_t (*bits)(const stfi_cpu_compact *c, const stfi_cpu_compact_run *run,
                     int side, int has_gaps);
};

/* Returns the kernels of an instruction set or, if they have more than `most`
 * lanes, the widest that have not; NULL if there are none. */
const stfi_cpu_compact_kernels *
stfi_cpu_compact_find(const char *isa, stf_precision precision, int64_t most);

/* The most points of a row that has kernels of its own, few.h: these know no steps. */
enum { STFI_CPU_FEW = 16 };

/* Returns the kernels for rows of few points, chosen as above; NULL if there are none. */
const stfi_cpu_compact_kernels *
stfi_cpu_few_find(const char *isa, stf_precision precision, int64_t most);

/* The reals of a row of twiddles for p < m, which is read in whole vectors. */
static inline int64_t stfi_cpu_row_of(int64_t m, int lanes)
{
    return m > lanes ? m : lanes;
}

/* Rows of reals are transformed two at a time, as real and imaginary parts: the first
 * so many of them and the last so many. An odd number has one row in both. */
static inline int64_t stfi_cpu_row_pairs(int64_t rows)
{
    return (rows + 1) / 2;
}

/* Makes the steps for a schedule; *compact_p is NULL if it is none of a compact
 * transform. `from`: the schedule's passes, and a transform. Errors: MEMORY, and those
 * of the transform. */
stf_status stfi_cpu_compact_make(const char *isa, const stfi_schedule *s,
                                 const stfi_cpu_conv_from *from,
                                 stfi_cpu_compact **compact_p);
void stfi_cpu_compact_destroy(stfi_cpu_compact *c);

/* The bytes of scratch that a thread needs: four planes, and two for an array between
 * the transform and what is around it. */
static inline size_t stfi_cpu_compact_bytes(const stfi_cpu_compact *c,
                                            stf_precision precision)
{
    return (c->reals != NULL ? 6 : 4) * (size_t)c->plane
           * stfi_type_get(precision)->bytes;
}

#endif
