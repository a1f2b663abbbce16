/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A rig for faults in matrix products: a protected plan, its twin of mode DETECT
 * that repairs nothing, and random operands on the device and on the host. */
#ifndef STFI_INJECT_GEMM_RIG_H
#define STFI_INJECT_GEMM_RIG_H

#include "backend/gemm_ops.h"

enum { STFI_GEMM_A, STFI_GEMM_B, STFI_GEMM_C, STFI_GEMM_ARRAYS };

typedef struct stfi_gemm_rig {
    stf_device *dev;
    stf_gemm_desc full;
    stfi_gemm gemm;        /* as backends have it */
    stfi_gemm_cover cover; /* of the plan's residuals */
    stf_plan *plan;
    stf_plan *witness;               /* NULL if the plan's own mode is DETECT */
    void *host[STFI_GEMM_ARRAYS];    /* of C, NULL */
    void *widened[STFI_GEMM_ARRAYS]; /* A and B as floats if they are halves */
    void *array[STFI_GEMM_ARRAYS];
    int64_t count[STFI_GEMM_ARRAYS];
    size_t bytes[STFI_GEMM_ARRAYS];
    union {
        float f32;
        double f64;
    } alpha, beta;
} stfi_gemm_rig;

/* The kinds of data: numbers of one, and the names of all. */
int stfi_gemm_data_find(const char *name); /* -1: there is none */
const char *stfi_gemm_data_name(int kind); /* NULL past the end */

/* Makes a rig; the descriptor's matrices are packed. Errors: ARGUMENT (not
 * protected), those of planning and allocating. */
stf_status stfi_gemm_rig_make(stf_device *dev, const stf_gemm_desc *d,
                              stfi_gemm_rig *r_p);
void stfi_gemm_rig_free(stfi_gemm_rig *r);

/* Draws operands of a kind, of which those with heavy tails are smaller in F16.
 * The product is A B: alpha is 1, and beta 0. */
stf_status stfi_gemm_rig_draw(stfi_gemm_rig *r, int kind, uint64_t seed);

/* Executes a plan of the rig with these faults; `c` gets the batch of C and may
 * be NULL. The status that a fault could not be repaired is no error here. */
stf_status stfi_gemm_rig_run(stfi_gemm_rig *r, stf_plan *plan,
                             const stf_fault *fault, int count, void *c,
                             stf_ft_report *report_p);

/* A line of a tile that a residual covers, through an element of C. */
typedef struct stfi_gemm_line {
    int64_t member, row, col; /* its first element */
    int64_t count;
    int by_column; /* 1: a column */
} stfi_gemm_line;
stfi_gemm_line stfi_gemm_line_of(const stfi_gemm_rig *r, int64_t member,
                                 int64_t row, int64_t col);

/* Where element e of a line lies in C. */
int64_t stfi_gemm_line_place(const stfi_gemm_rig *r, const stfi_gemm_line *line,
                             int64_t e);

/* Of a line of `c`, without faults: its rounding error (L2), which is at least
 * 0.1 u ||a|| ||B||, as some data are multiplied nearly without error; and the
 * largest error of an element of `result` relative to
 * 2 u (sqrt(k) + s) ||a|| ||b||, with s sums that matrix units cut off, and the
 * rounding of a C of halves, which random data keep to. Long lines are judged
 * by 64 of their elements, the one at `e` among them. */
void stfi_gemm_line_measure(const stfi_gemm_rig *r, const stfi_gemm_line *line,
                            int64_t e, const void *c, const void *result,
                            double *rounding_p, double *error_p);

#endif
