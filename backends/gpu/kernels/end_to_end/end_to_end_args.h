/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The arguments of the kernels of end_to_end.h, which check executions from
 * input to output. Read by C and C++ compilers alike, after args.h, which host
 * and device include under different names. */
#ifndef STFK_E2E_ARGS_H
#define STFK_E2E_ARGS_H

#include "ft/outcome.h"

enum {
    STFK_AXES = 8,          /* as many as a transform can have */
    STFK_E2E_THREADS = 256, /* of a block */
    STFK_EXECUTIONS = 3,    /* of the same input, at most */
    STFK_EVENTS = 64        /* that are kept */
};

/* Sums over elements of a transform, of data times 2^(unit * step): units are
 * -1, 0 and 1, so that the squares of all data are in range. */
typedef struct stfk_e2e_sum {
    double re, im;         /* sum of weight * x, */
    double low_re, low_im; /* and what was rounded off, of doubles */
    double power;          /* sum of |x|^2, in the square of the unit */
    long long unit;
} stfk_e2e_sum;

/* What is known of a transform after some executions. */
typedef struct stfk_history {
    double re, im; /* the last residual */
    double ratio;  /* of the first that was not clean, else 0 */
    stfi_ft_state state;
    unsigned char reserved[3];
} stfk_history;

/* Of one execution: transforms that ask for another one, by execution, and
 * looks that were not clean. */
typedef struct stfk_retry_flags {
    unsigned long long unsettled[STFK_EXECUTIONS];
    unsigned long long alarms;
} stfk_retry_flags;

/* What was found in all executions. */
typedef struct stfk_e2e_ledger {
    unsigned long long count[STFK_COUNTS];
    unsigned long long events;
    struct {
        long long signal;
        double residual;
    } event[STFK_EVENTS];
    unsigned worst; /* a float, relative to the threshold */
    unsigned reserved;
} stfk_e2e_ledger;

/* Axes by falling distance of their elements. */
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
    int reversed;     /* weights of -i */
    int half_axis;    /* of half spectra: the axis that is half, */
    long long halved; /* and its whole length */
    int vector;       /* both components may move at once */
    int across;       /* neighbouring threads: so are transforms */
    /* A block has `parts` threads for each of its transforms, of which `near`
     * are in one wave. */
    int parts, near;
    long long elements;      /* of a transform; STFK_FOLD: partial sums */
    long long chunk, chunks; /* elements that a block adds up at once */
    long long batch;
    stfk_e2e_sum *partial; /* [batch][chunks] */
    stfk_e2e_sum *account; /* [batch], of the input */
    stfk_history *history; /* [batch] */
    stfk_retry_flags *retry_flags;
    stfk_e2e_ledger *ledger;
    const unsigned long long *gate; /* NULL, or 0: there is nothing to do */
    int output;                     /* 1: sums are held against the account's */
    int execution;                  /* 0, 1, .. */
    int correct, repeatable;
    int step, exponent; /* scale of the outputs: scale * 2^exponent */
    double scale;
    double slope; /* tau = K slope ||x|| + floor * 2^shift, of */
    double floor; /* outputs times 2^-exponent */
    int floor_shift;
    int reserved;
    long long first_signal;
} stfk_e2e;

#endif
