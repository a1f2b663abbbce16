/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The arguments of every kernel: what may differ between executions, or between
 * plans that share a kernel. C (host) and C++ (device) compilers both read this
 * file; 64-bit integers are `long long` because run-time compilers have no
 * <stdint.h>.
 *
 * Units: strides are in reals, from the first component of an element. */
#ifndef STFK_ARGS_H
#define STFK_ARGS_H

enum { STFK_LOOPS = 10 }; /* as many as a pass can have */

/* When the launch after a launch may begin, to wait until this one has ended: then only;
 * when the one before this one has ended; or as soon as all blocks of this one run, for
 * which either of the two has nothing to do, mostly. */
enum { STFK_LEADS_NOT, STFK_LEADS_IN_TURN, STFK_LEADS_AT_ONCE };

/* The twiddles of a stage of radix r that follows l elements of earlier
 * radices are powers 1 .. r-1 of l roots. Small stages have a table of all
 * powers; large ones have powers 1, 2, 3, 4, 8, 12, ..., and the others are
 * products of these. The first stage of an axis, where l is 1, has no twiddles. */
#define STFK_POWERS_ALL(r, l) ((r) <= 5 || ((r)-1) * (l) <= 512)
#define STFK_POWERS(r, l) \
    ((l) == 1 ? 0 : STFK_POWERS_ALL(r, l) ? (r)-1 : 3 + ((r)-1) / 4)

/* Where the pairs of roots t, t^5 lie for rows of n elements in the order QUARTER
 * (placed.h), in units of pairs: behind n/2 + 1 roots that separate spectra and n +
 * 1 roots of the turn. */
#define STFK_QUARTER_ROOTS(n) (((n) / 2 + (n) + 3) / 2)

/* What roots are multiplied by before matrix units take them; units of the pass
 * as in stfi_unit. 2^10 makes no second piece a subnormal number. The others bring
 * the cosines of multiples of pi/8 near halves that are exact: they are off by 0.03
 * of a half's round-off, and by 0.06 of a BF16's, instead of 0.21 and 0.35. */
#define STFK_UNIT_FACTOR(unit) \
    ((unit) == 0 ? 1024.0f : (unit) == 1 ? 1.86034f : 1.1328f)

/* K above which a residual is suspect, and K above which it is a fault;
 * lib/ft/threshold.h. A fault that changes a signal of many lanes by some
 * multiple of the signal's rounding error changes its own lane by a larger
 * multiple of that lane's. So, except at level THREAD, signals of
 * STFK_MANY_LANES lanes or more have a larger K for suspects. */
#define STFK_SUSPECT_AT 3
#define STFK_SUSPECT_OF_MANY 4
#define STFK_MANY_LANES 16
#define STFK_FAULTY_AT 6

/* How many threads' sums exchanges in a wave add up, at most `most`, for lanes of
 * T threads each, L lanes: NEAR threads of a lane next to each other, and FAR
 * threads at the distance of interleave * L, which is from one group of a
 * lane's threads to the next. */
#define STFK_LOWEST_BIT(n) ((n) & -(n))
#define STFK_LESSER(a, b) ((a) < (b) ? (a) : (b))
#define STFK_SUM_NEAR(interleave, most) \
    STFK_LESSER(STFK_LOWEST_BIT(interleave), most)
#define STFK_SUM_FAR(interleave, lanes, threads, wave, most)                   \
    (STFK_LOWEST_BIT((interleave) * (lanes)) == (interleave) * (lanes)         \
             && (interleave) * (lanes) < (wave)                                \
         ? STFK_LESSER(STFK_LESSER((wave) / ((interleave) * (lanes)),          \
                                   STFK_LOWEST_BIT((threads) / (interleave))), \
                       (most) / STFK_SUM_NEAR(interleave, most))               \
         : 1)

/* Division of numbers n below 2^31 by a constant d: the quotient is
 * (mulhi(n, mul) + n) >> shift. Source: Granlund and Montgomery, PLDI 1994,
 * figure 4.1. */
typedef struct stfk_divisor {
    unsigned mul;
    unsigned shift;
} stfk_divisor;

/* How many counters of what checks found a device has: as many as rows of the
 * list from which host and device (lib/ft/outcome.h) make their names. */
enum {
    STFK_COUNTS = 0
#define STFI_FT_COUNTER(name, NAME, field, combine, meaning) +1
#define STFI_FT_DEVICE_COUNTER(NAME, meaning) +1
#include "ft/counters.def"
};

/* count: the counters, which only grow until the host resets them. first: the
 * event of the lowest signal, as (signal << 24) + (pass << 16) + the upper half
 * of its residual as a float; all bits are 1 if there is none. worst: the
 * square of the largest finite residual, a float. Residuals are relative to the
 * threshold. */
typedef struct stfk_ledger {
    unsigned long long count[STFK_COUNTS];
    unsigned long long first;
    unsigned worst;
    unsigned reserved;
} stfk_ledger;

/* A fault: one component of a value is changed before a stage; see
 * stf_fault. */
typedef struct stfk_fault {
    long long lane;
    double magnitude; /* added if bit is -1 */
    int element;
    int stage;
    int component;
    int bit;
    int persistent; /* 1: strikes each time the value is computed */
    int reserved;
} stfk_fault;

/* The check of a pass; lib/ft/instrument.h. */
typedef struct stfk_check {
    const void *e; /* the left vector; host/fft/tables.c */
    const void *row;
    stfk_ledger *ledger;
    const stfk_fault *fault; /* the faults of this launch */
    long long faults;
    long long first_signal;
    /* tau = K slope ||x|| + floor is the threshold of |d| times `down`, a power
     * of two. */
    double slope;
    double floor;
    double down;
    float down_f;       /* `down` as a float */
    float suspect_at;   /* K above which a residual is suspect */
    double limit[2];    /* (K slope)^2 of what is suspect, of a fault */
    float limit_f[2];   /* the same as floats: no kernel converts */
    float floor_square; /* floor^2; halves are large where it is needed */
    int correct;
    int pass;
    int batch_loop;
    int tiles; /* tiles of one verdict; 1: judged before it is stored */
    int again; /* 1: the launch repeats an earlier one */
} stfk_check;

/* One side of a pass. Distances are in reals, indices are those of the
 * signal, from 0. */
typedef struct stfk_side {
    void *base; /* element 0 of lane 0 */
    /* From one element of a lane to the next; with an order, from one place to
     * the next. */
    long long elem;
    /* From the first component to the second; with OP_*_TWO, from one spectrum
     * to the other. With an order: lib/fft/schedule.h, mirror. */
    long long im;
    long long loop[STFK_LOOPS];  /* from one index of a loop to the next */
    long long index[STFK_LOOPS]; /* the signal's index, per index of a loop */
    long long index_elem;        /* the signal's index, per element */
    long long limit;             /* the first index that is not there */
    long long rows;              /* the same for lanes, by their element 0 */
    /* Form HALF: the spectrum's whole length; with an order: the reals of the
     * axis. */
    long long full;
    long long far;  /* from one block of elements to the next */
    long long unit; /* form HALF: from one index to the next */
    /* How many elements may move at once, 0: not even both components of one. */
    long long vector;
    /* 1: in place, where gaps behind real rows belong to them. */
    long long whole;
} stfk_side;

/* For an execution with an end-to-end check: how much was found that asks for
 * it, after the executions before; how many groups its passes could not
 * repair; and how many of the input had Inf or NaN. An array has one for each execution,
 * and one behind the last. */
typedef struct stfk_gate {
    unsigned long long wanted, failed, non_finite;
} stfk_gate;

/* What a launch without sums of its own leaves for the end-to-end check
 * (protect/signature.h), all zero before it: the second gate of its passes, and
 * words whose sum is 0 unless something went wrong. */
enum { STFK_SIGNATURE_WORDS = 64 };
typedef struct stfk_signature {
    stfk_gate gate[2];
    unsigned word[STFK_SIGNATURE_WORDS];
} stfk_signature;

typedef struct stfk_args {
    stfk_side load;
    stfk_side store;
    long long lanes; /* the number of lanes */
    long long
        full_lanes; /* those that have both of two signals: the first ones */
    long long loop_n[STFK_LOOPS];
    stfk_divisor loop_div[STFK_LOOPS];
    long long twiddle_mul[STFK_LOOPS];
    const void *stage; /* twiddles of the stages, see tables.c */
    /* Twiddles between passes have a root w: w^i for i < 2^root_shift, and
     * w^(i << root_shift). */
    const void *fine;
    const void *coarse;
    const void *chirp;   /* exp(-pi i j^2/n) */
    const void *product; /* transformed kernel / length */
    /* R2C, C2R: exp(-2 pi i k/(2n)), k <= n/2. Then, if a side turns its
     * elements, the roots of lib/fft/tables/turn.h. */
    const void *separate;
    const unsigned *load_pos;  /* Rader: tile place of memory element e */
    const unsigned *store_pos; /* Rader: tile place of output element e */
    stfk_check check;          /* in protected passes */
    double scale;
    float scale_f;   /* `scale` as a float: no kernel converts it */
    float scale_low; /* `scale` - `scale_f` */
    int inverse;     /* the run's direction */
    int root_shift;
    /* Counts the tiles that are not a block's first one; NULL: there are no
     * such tiles. */
    unsigned *tile_counters;
    /* Gated passes: the gate of the execution. One that repeats another has
     * nothing to do if it is not wanted. NULL: no gate. */
    stfk_gate *gate;
    /* The words of the launch's signature; NULL: it has none. */
    unsigned *signature;
    /* How often a thread turns the elements of a tile for the direction: at the load
     * and at the store, or never. A number of its own, so that a thread which took
     * `inverse` for another one does not take this for it, too. */
    unsigned turns;
    /* What the bits of a pass count in the signature that it loads, and that it stores:
     * those that it stores as much as the next pass counts them. Otherwise a tile that
     * nobody computes would have no effect where a pass overwrites its input. */
    unsigned load_factor, store_factor;
    unsigned leads; /* STFK_LEADS_.. */
} stfk_args;

#endif
