/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The matrix unit of the emulated multiprocessor. What vendors do not specify
 * (how sums are rounded, in which order, whether subnormal numbers count) is set
 * by the test: a kernel has to be right with each model. */
#ifndef STFI_TESTS_SIMT_MATRIX_UNIT_H
#define STFI_TESTS_SIMT_MATRIX_UNIT_H

#include <stdint.h>

#include "tests/simt/calls.h"

enum { STFI_SIMT_GROUP = 32 }; /* threads that a unit works for at once */

typedef enum stfi_simt_sums {
    STFI_SIMT_NEAREST, /* each addition is rounded to nearest */
    STFI_SIMT_CUT,     /* terms are aligned to the largest one and cut off */
    STFI_SIMT_FLUSHED, /* to nearest; subnormal operands and results are 0 */
    STFI_SIMT_SUMS
} stfi_simt_sums;

/* CUT: `block` terms and the sum so far are aligned at once, and 24 + `bits`
 * bits are kept. Source: Fasi, Higham, Mikaitis, Pranesh, PeerJ CS 7:e330
 * (2021): 4 and 0 (V100), 4 and 0 (T4), 8 and 1 (A100). `seed`: the order of
 * the terms is drawn from it. */
typedef struct stfi_simt_matrix_unit {
    stfi_simt_sums sums;
    int block; /* a power of two */
    int bits;
    uint64_t seed;
} stfi_simt_matrix_unit;

/* Sets the model of all launches to come. The first one is {NEAREST}. */
void stfi_simt_set_matrix_unit(const stfi_simt_matrix_unit *unit);

/* Computes the products of a group of threads: the operands of thread i, and its
 * sums, are p[i]. */
void stfi_simt_multiply(simt_product *const p[STFI_SIMT_GROUP]);

#endif
