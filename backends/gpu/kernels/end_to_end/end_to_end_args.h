/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The arguments of the kernels of end_to_end.h, the end-to-end check. C and
 * C++ compilers read this file, after args.h, which host and device include
 * under different names. */
#ifndef STFK_E2E_ARGS_H
#define STFK_E2E_ARGS_H

#include "ft/outcome.h"

enum {
    STFK_AXES = 8,          /* the most axes of a transform */
    STFK_E2E_THREADS = 256, /* threads of a block, */
    STFK_E2E_SLOTS = 64,    /* and sums that its memory has room for */
    STFK_EXECUTIONS = 3,    /* executions with the same input, at most */
    STFK_EVENTS = 64        /* events that are kept */
};

/* Sums over elements of a transform, made from data times 2^(unit * step).
 * Units are -1, 0 and 1, chosen so that the squares of all data are in
 * range. */
typedef struct stfk_e2e_sum {
    double re, im;         /* sum of weight * x, */
    double low_re, low_im; /* and their rounding errors, of doubles */
    double power;          /* sum of |x|^2, in the square of the unit */
    long long unit;
} stfk_e2e_sum;

/* What is known of a transform after some executions. */
typedef struct stfk_history {
    double re, im; /* the last residual */
    double norm;   /* of its input */
    double ratio;  /* residual / tau of the first not clean, or 0 */
    stfi_ft_state state;
    unsigned char reserved[3];
} stfk_history;

/* What later kernels read: the gates of executions, and how many verdicts were
 * not clean. Only one launch has a signature, the first. */
typedef struct stfk_retry_flags {
    stfk_gate gate[STFK_EXECUTIONS + 1];
    unsigned long long alarms;
    unsigned long long lost; /* 1: the signature of the launch was wrong */
} stfk_retry_flags;

/* What all executions have found. */
typedef struct stfk_e2e_ledger {
    unsigned long long count[STFK_COUNTS];
    unsigned long long events;
    struct {
        long long signal;
        double residual;
    } event[STFK_EVENTS];
    unsigned worst; /* largest residual / tau, the bits of a float */
    unsigned reserved;
} stfk_e2e_ledger;

/* The arguments. Axes are ordered from the largest distance of elements to
 * the smallest. */
typedef struct stfk_e2e {
    const void *base; /* element 0 of transform 0 */
    long long dist;   /* from one transform to the next, in reals */
    long long n[STFK_AXES];
    long long stride[STFK_AXES];
    long long period[STFK_AXES];
    const void *weight[STFK_AXES];
    stfk_divisor div[STFK_AXES];
    int rank;
    int wide;         /* too many elements for the divisors */
    int reversed;     /* the weight of element -i belongs to i */
    int half_axis;    /* the axis that is half, in half spectra, */
    long long halved; /* and its whole length */
    /* Both components of a complex element may move at once; all of a pack may. */
    int even, vector;
    int unit;   /* neighbours along the last axis follow each other */
    int across; /* neighbouring threads take neighbouring transforms */
    /* A block has `parts` threads for each of its transforms, of which `near`
     * are in one wave. */
    int parts, near;
    long long packs;    /* of neighbours along the last axis, in one row */
    long long elements; /* packs of a transform; E2E_FOLD: its partial sums */
    /* Packs of a chunk, which a block adds up at once, and the number of
     * chunks of a transform. */
    long long chunk, chunks;
    long long batch;
    stfk_e2e_sum *partial; /* [batch][chunks] */
    stfk_e2e_sum *account; /* [batch], sums of the input */
    stfk_history *history; /* [batch] */
    stfk_retry_flags *retry_flags;
    stfk_e2e_ledger *ledger;
    const stfk_signature *signs; /* E2E_CONCLUDE: if not NULL, it is judged */
    /* There is nothing to do if it points to 0. NULL: no gate. */
    const unsigned long long *gate;
    int output;    /* 1: sums are compared with those of the input */
    int execution; /* 0, 1, .. */
    int first;     /* the execution whose output is summed up first */
    int again;     /* 1: sums of arrays that were summed up before */
    int correct, repeatable;
    int step, exponent; /* the outputs have the scale `scale` * 2^exponent */
    double scale;
    double slope; /* tau = K slope ||x|| + floor * 2^floor_shift, */
    double floor; /* for outputs times 2^-exponent */
    int floor_shift;
    double suspect; /* K of a residual that is looked at again */
    long long first_signal;
    unsigned leads; /* STFK_LEADS_.. */
} stfk_e2e;

#endif
