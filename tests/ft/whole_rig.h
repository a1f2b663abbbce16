/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Plans of one problem that the cpu checks as a whole, and what happens to their checks:
 * memory is hit between the transform and its verdict, by functions that stand before
 * those of the check. */
#ifndef STFI_TESTS_FT_WHOLE_RIG_H
#define STFI_TESTS_FT_WHOLE_RIG_H

#include <stdatomic.h>

#include "backends/cpu/cpu_executable.h"
#include "run/fft/fft_plan.h"

enum {
    STFI_WHOLE_REALS = 400000,
    STFI_WHOLE_SPARE = 16,
    STFI_WHOLE_BYTES = 8 * (STFI_WHOLE_REALS + STFI_WHOLE_SPARE)
};

typedef struct stfi_whole_problem {
    stf_kind kind;
    stf_precision precision;
    int rank;
    int64_t n[2], batch;
    int threads;
} stfi_whole_problem;

/* What happens between the transform and the verdict, once. */
typedef struct stfi_whole_struck {
    const stfi_cpu_whole_kernels *real;
    stfi_cpu_whole_kernels kernels;
    stfi_cpu_whole_enter *enter[2]; /* of each direction */
    stfi_cpu_whole_judge *judge[2];
    const stfi_cpu_whole_side *side[2]; /* which the first check judges */
    stfi_cpu_whole_enter
        *share; /* what threads that share rows, forward, sum up
                                           the output by */
    size_t real_bytes;
    char *output, *input; /* the bytes that are hit, or NULL */
    atomic_int hits, skips;
    atomic_int strays;  /* so many sums are stored in the input */
    atomic_int unclean; /* rows that the first check does not find clean, */
    atomic_int unsure;  /* and verdicts that one of many may not be */
    int blind;          /* the first check sees nothing */
} stfi_whole_struck;

extern stfi_whole_struck stfi_whole_strike;

/* The input, the output, and what that should be. */
extern unsigned char stfi_whole_memory[3][STFI_WHOLE_BYTES];

/* Three plans of one problem, and its arrays. */
typedef struct stfi_whole_rig {
    const stfi_whole_problem *p;
    stf_plan *off, *correct, *detect;
    size_t bytes; /* of a component */
    stf_direction direction;
    unsigned char *in, *out, *want;
} stfi_whole_rig;

/* Makes a plan of a problem; NULL: an error. */
stf_plan *stfi_whole_plan(stf_device *dev, const stfi_whole_problem *p,
                          stf_ft_mode mode, int end_to_end);

/* Returns 0 if the plans cannot be made; even so, close it. */
int stfi_whole_open(stfi_whole_rig *r, stf_device *dev,
                    const stfi_whole_problem *p, int end_to_end);
void stfi_whole_close(stfi_whole_rig *r);

/* Executes a plan and returns its status; -100 if the output has other bits than
 * without protection, and what is behind it counts, too; -200 if it leaves flags of
 * floating-point exceptions. */
int stfi_whole_execute(stfi_whole_rig *r, stf_plan *plan,
                       stf_ft_report *report_p);

/* Lets the next execution of a plan be struck, until the end: so many times, with so many
 * times a row left out. */
void stfi_whole_set_strike(const stf_plan *plan, char *output, char *input,
                           int hits, int skips);
void stfi_whole_end_strike(const stf_plan *plan);

stfi_exec *stfi_whole_exec(const stf_plan *plan);

/* What is tested of a problem, one thing after the other. Returns how many of them are
 * wrong, and tells which. */
typedef int stfi_whole_aspect(stfi_whole_rig *);
int stfi_whole_wrong(stfi_whole_rig *r, stfi_whole_aspect *const *aspects,
                     size_t count);

/* The sign and exponent of a component in the middle of the first row, which is in
 * the first piece. */
char *stfi_whole_byte(const stfi_whole_rig *r, unsigned char *array, int side);
int64_t stfi_whole_reals(const stfi_whole_rig *r);

#endif
