/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The arguments of every kernel: what may differ between executions, or
 * between plans that share a kernel. Read by C (host) and C++ (device)
 * compilers alike; 64-bit integers are `long long` because run-time compilers
 * have no <stdint.h>.
 *
 * Units: strides in reals, from the first component of an element. */
#ifndef STFK_ARGS_H
#define STFK_ARGS_H

enum { STFK_LOOPS = 10 }; /* as many as a pass can have */

/* Twiddles of a stage of radix r after l elements of earlier radices, powers
 * 1 .. r-1 of l roots. Short ones have a table of all powers; long ones of
 * powers 1, 2, 3, 4, 8, 12, ..., of which the others are products. */
#define STFK_POWERS_ALL(r, l) ((r) <= 5 || ((r)-1) * (l) <= 512)
#define STFK_POWERS(r, l) (STFK_POWERS_ALL(r, l) ? (r)-1 : 3 + ((r)-1) / 4)

/* K of what is suspect, and of what is faulty; lib/ft/threshold.h. What changes
 * a signal of many lanes by so many times its rounding error changes one of the
 * lanes by more: of STFK_MANY_LANES, less is suspect. */
#define STFK_SUSPECT_AT 3
#define STFK_SUSPECT_OF_MANY 4
#define STFK_MANY_LANES 16
#define STFK_FAULTY_AT 6

/* Sums over the threads of a lane: in a wave, so many threads next to each
 * other, and so many at the distance of all lanes' `interleave` threads, can be
 * added up by exchanges; T threads a lane, L lanes. */
#define STFK_LOWEST_BIT(n) ((n) & -(n))
#define STFK_LESSER(a, b) ((a) < (b) ? (a) : (b))
#define STFK_SUM_NEAR(interleave, wave) \
    STFK_LESSER(STFK_LOWEST_BIT(interleave), wave)
#define STFK_SUM_FAR(interleave, lanes, threads, wave)                 \
    (STFK_LOWEST_BIT((interleave) * (lanes)) == (interleave) * (lanes) \
             && (interleave) * (lanes) < (wave)                        \
         ? STFK_LESSER((wave) / ((interleave) * (lanes)),              \
                       STFK_LOWEST_BIT((threads) / (interleave)))      \
         : 1)

/* Division by a constant d of numbers below 2^31: q = (mulhi(n, mul) + n)
 * >> shift. Source: Granlund and Montgomery, PLDI 1994, figure 4.1. */
typedef struct stfk_divisor {
    unsigned mul;
    unsigned shift;
} stfk_divisor;

/* What checks found, by the same list as the host's ledgers. Counters only
 * grow until the host resets them. */
enum {
#define STFI_FT_COUNTER(name, NAME, field, combine, meaning) STFK_##NAME,
#define STFI_FT_DEVICE_COUNTER(NAME, meaning) STFK_##NAME,
#include "ft/counters.def"
    STFK_COUNTS
};

/* first: the event of the lowest signal, as (signal << 24) + (pass << 16)
 * + the upper half of the float that is its residual; all ones: none. worst:
 * the float that is the square of the largest finite residual; residuals are
 * relative to the threshold. */
typedef struct stfk_ledger {
    unsigned long long count[STFK_COUNTS];
    unsigned long long first;
    unsigned worst;
    unsigned reserved;
} stfk_ledger;

/* A value that gets another value before a stage; see stf_fault. */
typedef struct stfk_fault {
    long long lane;
    double magnitude; /* bit -1: added */
    int element;
    int stage;
    int component;
    int bit;
    int persistent; /* strikes when computed again, too */
    int reserved;
} stfk_fault;

/* The check of a pass; lib/ft/instrument.h. */
typedef struct stfk_check {
    const void *e; /* host/tables.c */
    const void *row;
    stfk_ledger *ledger;
    const stfk_fault *fault; /* of this launch */
    long long faults;
    long long first_signal;
    double slope; /* tau = K slope ||x|| + floor, of |d| */
    double floor; /* times `down`, a power of two */
    double down;
    float down_f;     /* the same */
    float suspect_at; /* K of what is suspect */
    double limit[2];  /* (K slope)^2, suspect and faulty */
    float limit_f[2]; /* the same: no kernel converts */
    int correct;
    int pass;
    int batch_loop;
    int tiles; /* of a verdict; 1: before it is stored */
    int again; /* the launch repeats one before it */
} stfk_check;

typedef struct stfk_side {
    void *base;                  /* element 0 of lane 0 */
    long long elem;              /* from one element of a lane to the next */
    long long im;                /* from the first component to the second;
                                     OP_*_TWO: from one spectrum to the other */
    long long loop[STFK_LOOPS];  /* from one index of a loop to the next */
    long long index[STFK_LOOPS]; /* of the signal, per index of a loop */
    long long index_elem;        /* of the signal, per element */
    long long limit;             /* first index that is not there */
    long long rows;              /* the same for lanes, by their element 0 */
    long long full;              /* form HALF: the spectrum's whole length */
    long long far;               /* from one block of elements to the next */
    long long unit;              /* form HALF: from one index of the spectrum
                                     to the next */
    long long vector;            /* 1: both components may move at once,
                                     2: those of two elements */
} stfk_side;

typedef struct stfk_args {
    stfk_side load;
    stfk_side store;
    long long lanes; /* in all */
    long long loop_n[STFK_LOOPS];
    stfk_divisor loop_div[STFK_LOOPS];
    long long twiddle_mul[STFK_LOOPS];
    const void *stage;         /* twiddles of the stages, see tables.c */
    const void *fine;          /* w^i, i < 2^root_shift, w of the */
    const void *coarse;        /* twiddle's order; w^(i << root_shift) */
    const void *chirp;         /* exp(-pi i j^2/n) */
    const void *product;       /* transformed kernel / length */
    const void *separate;      /* exp(-2 pi i k/(2n)) */
    const unsigned *load_pos;  /* Rader: tile place of memory element e */
    const unsigned *store_pos; /* Rader: tile place of output element e */
    stfk_check check;          /* of protected passes */
    double scale;
    float scale_f; /* the same: no kernel need convert it */
    int inverse;   /* the run's direction */
    int root_shift;
    unsigned *tile_counters;        /* of tiles that are not a block's first;
                                     NULL: there are none */
    const unsigned long long *gate; /* gated passes: NULL, or 0: there is
                                       nothing to do */
} stfk_args;

#endif
