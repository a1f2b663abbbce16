/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Emulated matrix units of halves. Products are exact; how they are summed up is
 * not the same in all devices, and what is right must be right in each way. */
#ifndef STFI_TESTS_SIMT_UNIT_H
#define STFI_TESTS_SIMT_UNIT_H

#include <stdint.h>

#include "device/caps.h"
#include "tests/simt/calls.h"

/* How a unit adds `block` products at a time to an accumulator. */
typedef struct stfi_simt_unit {
    const char *name;
    int block; /* 4, 8 or 16 */
    int cuts;  /* 1: what is added is aligned to the largest of them, and is cut
                  off below the last bit of that; 0: it is rounded once */
    int extra; /* bits below that, which are kept until the sum is cut off */
    int flushes; /* 1: operands and results that are denormal are 0 */
} stfi_simt_unit;

/* The ways that there are, and NULL past the end. */
const stfi_simt_unit *stfi_simt_unit_at(int i);

/* Sets how units add from now on; NULL stands for the way that STF_SIMT_UNIT
 * names, or for "cut". The order of the terms is drawn from the test's seed, and
 * stays. Thread: one at a time. */
void stfi_simt_unit_set(const stfi_simt_unit *unit);

/* Sets the next of these ways; the test's seed says with which they begin. */
void stfi_simt_unit_next(void);

/* In how many of these ways a problem is to be tested: one, or if its word permits
 * units as many as the test's level says. */
int stfi_simt_unit_turns(const char *word);

/* Draws the order in which units add the terms from now on, of which they take a
 * block at a time. Equal seeds give the same order. */
void stfi_simt_unit_order(uint64_t seed);

/* Finds the preset that a word of a table begins with, such as "h200/4", in which 4 is
 * the largest radix of all stages of small radices, which units have then; 0 of
 * "h200": the model's (unit_radix of stfi_choice). */
const stfi_caps *stfi_simt_preset(const char *word, int *unit_radix_p);

/* What kernels call (calls.h). */
void stfi_simt_half_multiply(int type, int steps, float *c,
                             const simt_operands *own);
void stfi_simt_wave_multiply(int type, float *c, const simt_operands *own);
float stfi_simt_half_sum(int type, int steps, float c, const unsigned short *x,
                         const unsigned short *y);
void stfi_simt_load_matrices(unsigned *word, const void *row, int transposed);

#endif
