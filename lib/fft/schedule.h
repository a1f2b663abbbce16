/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The schedule: plain data that says how a transform is computed. A backend is
 * given nothing else; `steadfast plan` prints it, and the golden tests compare
 * its text.
 *
 * A pass reads tiles of `n` elements times a few lanes from one buffer, does
 * one transform per lane inside block memory, and writes the tile to another
 * buffer. A lane is one combination of the pass's loop indices. Modifiers on
 * the load and on the store (twiddle, chirp, zero fill, real data) cost no
 * extra trip through memory.
 *
 * Units:  strides in elements of the side's form: complex elements for
 *         COMPLEX and HALF, reals for REAL, PAIRS and HC.
 * Source: [Govindaraju2008] sections IV.C (hierarchical), IV.D (mixed radix),
 *         IV.E (Bluestein); [TurboFFT] section 3 (passes with transposes). */
#ifndef STFI_FFT_SCHEDULE_H
#define STFI_FFT_SCHEDULE_H

#include "device/caps.h"
#include "fft/desc.h"
#include "fft/op.h"

enum {
    STFI_MAX_STAGES = 48,
    STFI_MAX_LOOPS = STF_MAX_RANK + 2,
    STFI_MAX_PASSES = 4 * STF_MAX_RANK + 4
};

typedef enum stfi_buf {
    STFI_BUF_IN,
    STFI_BUF_OUT,
    STFI_BUF_WORK0,
    STFI_BUF_WORK1,
    STFI_BUF_COUNT
} stfi_buf;

/* How the elements of a side are stored. */
typedef enum stfi_form {
    STFI_FORM_COMPLEX, /* n complex elements */
    STFI_FORM_REAL,    /* n reals: imaginary part 0 on load, dropped on store */
    STFI_FORM_PAIRS,   /* pairs of reals: element e is the reals at e * stride
                          and e * stride + pair */
    STFI_FORM_HALF,    /* half of a spectrum of `full` elements: complex element
                          i > full/2 is the conjugate of full - i. A store skips
                          it if the lane also has its mirror image. With a limit,
                          of loads alone, which is full/2 + 1, an element stands
                          for both: it is doubled, but for the real ones */
    STFI_FORM_HC /* half of a spectrum of `full` elements as so many reals:
                          the real part of element i is real i, its imaginary
                          part is real full - i. Elements i > full/2 are loaded
                          as conjugates, or those up to a limit as HALF does;
                          stores have a limit, or rows and store them as HALF
                          does */
} stfi_form;

/* Where the reals of a side lie along its axis (fft/place.h), other than by
 * `stride`: real m of the signal lies at unit * place(m), where m is i in forms
 * REAL and HC, and 2i and 2i + 1 in form PAIRS, for the element of index i; where a
 * lane has two signals, and no `mirror`, i in form PAIRS, for each of them. In form
 * COMPLEX, element e of a lane lies at unit * place(e), and has no turn. */
/* What matrix units multiply: F32 as two pieces of F16 each, which is as exact as
 * F32, or numbers that are rounded to a half at every stage. */
typedef enum stfi_unit {
    STFI_UNIT_SPLIT,
    STFI_UNIT_F16,
    STFI_UNIT_BF16
} stfi_unit;

typedef enum stfi_order {
    STFI_ORDER_NONE,        /* by `stride` */
    STFI_ORDER_PLAIN,       /* m */
    STFI_ORDER_FOLD,        /* 2m or 2 span - 1 - 2m: even ones up, odd ones
                               down */
    STFI_ORDER_ENDS,        /* 2j and span - 1 - 2j, for m = 2j and 2j + 1 */
    STFI_ORDER_EIGHTH,      /* n + 8m in the extension of DCT4, span odd */
    STFI_ORDER_EIGHTH_BACK, /* its results */
    STFI_ORDER_EVEN,        /* even extension of span reals to 2 (span - 1) */
    STFI_ORDER_ODD          /* odd extension of span reals to 2 (span + 1) */
} stfi_order;

/* What a side with an order does to element i, with value v. A load:
 * QUARTER conj(w v), FOUR w v. A store: QUARTER, FOUR conj(2 w v). w is
 * exp(-pi i i/(2 span)) for QUARTER; for FOUR exp(-pi i (4i + 1)/(4 span)) on
 * the load and exp(-pi i i/span) on the store: with one table for both, an error
 * of its only root would count twice at span 2. */
typedef enum stfi_turn {
    STFI_TURN_NONE,
    STFI_TURN_QUARTER,
    STFI_TURN_FOUR,
    STFI_TURN_CAS,    /* store: (1 + i) v */
    STFI_TURN_EIGHTH, /* store: sqrt(2) (1 + i) v */
    STFI_TURN_IMAG /* REAL: stores minus the imaginary part; a GPU loads i v */
} stfi_turn;

/* Multiplies element e of a lane by w^(q*e), where w = exp(-2 pi i/order) and q
 * = sum of mul[l] * (index of loop l), in [0, rows). order 0: no twiddle.
 * Elements are numbered as the transform's input (on_load) or output. */
typedef struct stfi_twiddle {
    int64_t order;
    int64_t rows;
    int64_t mul[STFI_MAX_LOOPS];
    int conjugate;
    int on_load;
} stfi_twiddle;

/* The index of element e of a lane in the whole signal: e * elem + sum of
 * loop[l] * (index of loop l). Limits and chirps use it. */
typedef struct stfi_index {
    int64_t elem;
    int64_t loop[STFI_MAX_LOOPS];
} stfi_index;

typedef struct stfi_side {
    stfi_buf buf;
    stfi_form form;
    int64_t stride;
    int64_t loop_stride[STFI_MAX_LOOPS];
    stfi_index index;
    int64_t block; /* > 0: element e lies at (e % block) * stride
                       + (e / block) * block_stride */
    int64_t block_stride;
    int64_t pair;  /* form PAIRS: distance from the first real to the second;
                      spectra of R2C_TWO, C2R_TWO: from the first spectrum to
                      the second; with an order: from the first signal to the second,
                      if elements have a real of each, otherwise 0 */
    int64_t full;  /* forms HALF, HC: length of the whole spectrum */
    int64_t limit; /* > 0: elements with an index >= limit load as zero, and are
                      not stored */
    int64_t rows;  /* > 0: the same for lanes whose element 0 has an index >=
                      rows */
    int64_t chirp; /* > 0: multiply by exp(-pi i index^2 / chirp) */
    stfi_order order;
    stfi_turn turn;
    int64_t unit; /* with an order: the step from place to place; stride is 0 */
    int64_t span; /* with an order: reals of the axis in memory */
    int64_t mirror; /* > 0: the reals of element e of a lane are i and, from the
                       other end of a row of mirror + 1 reals, i + mirror - 2 j,
                       if i is the index of e, and j that of element 0 */
    int reversed;   /* 1: place p is span - 1 - p */
    int alternate;  /* 1: reals at odd places change their sign */
} stfi_side;

/* What a pass verifies; ft/instrument.h sets it and says what e and row
 * mean for each operation. All zero: unprotected. */
typedef struct stfi_check {
    stfi_check_kind kind;
    int correct;          /* 1: repair; 0: report only */
    stf_ft_level level;   /* THREAD or BLOCK */
    stf_ft_scheme scheme; /* SIGNAL, ONE_SIDED or TWO_SIDED; see
                            ft/instrument.h */
    int transactions;     /* tiles, one after the other, that one verdict
                             covers */
    int64_t points;       /* points of the transform that e and row belong to */
    int half;             /* 1: e covers only the first points/2+1 outputs */
    int64_t period;       /* > 0: elements of e this far apart follow a sign
                             pattern, ft/weights/sign_pattern.h */
    int real_row;         /* 1: the row is real */
    int real_e;           /* 1: e is real */
    double slope;         /* tau = K * slope * scale * ||x|| + floor */
    double floor;
    const void *e;   /* complex, in the schedule's precision; both belong */
    const void *row; /* to the planner, and outlive the executable */
} stfi_check;

/* The shape and memory of a device's block for this pass: advice for GPU
 * backends; the cost model and `steadfast plan` use it, too. */
typedef struct stfi_block {
    int32_t lanes;        /* lanes per tile */
    int32_t threads;      /* threads per block */
    int32_t elements;     /* complex elements that a thread holds */
    int32_t staged;       /* bits: neighbouring threads load (1) or store (2)
                             rows through block memory */
    int32_t split;        /* 1: block memory holds one component at a time */
    int32_t ahead;        /* 1: a block computes tile after tile, and loads the
                             next one into block memory meanwhile */
    int32_t direct;       /* 1: matrix units take halves as memory has them in
                             the first of two stages, after which there is no
                             exchange */
    int32_t unit_rows;    /* 1: rows of halves that stay halves, all of whose
                             stages run on matrix units */
    int64_t memory_bytes; /* block memory (shared memory, cache) per tile */
    uint32_t traits;      /* of the tile, as fft/gpu_tuned.h has them */
} stfi_block;

/* The axes of an array that a tile has at once, packed in memory as a row-major
 * array: element e of a lane is element (e / inner, e % inner) of the outermost axis
 * and all others. Each stage belongs to one axis, and transforms it for every
 * combination of the others, whose stages may come between its own. The last stage is
 * one of the outermost axis. */
typedef struct stfi_axes {
    int count;                         /* 0: the tile is one axis */
    int64_t n[STF_MAX_RANK];           /* from the outermost one on */
    unsigned char of[STFI_MAX_STAGES]; /* the axis of each stage */
} stfi_axes;

typedef struct stfi_pass {
    stfi_op op;
    stfi_conv conv;
    int inverse;     /* 1: exp(+...) relative to the run's direction */
    int backward;    /* 1: the run's direction is the other one in this pass */
    int scaled;      /* 1: the direction's scale factor, or a power of two
                       of it, applies here: stfi_schedule_scale() */
    int64_t n;       /* elements per lane in block memory */
    int64_t signal;  /* CONV: the logical length of the transform */
    int64_t whole;   /* conv SPREAD: length of the whole convolution */
    int64_t results; /* conv SPREAD: how many of the transform's are wanted, the
                        first ones */
    int nstages;
    int radix[STFI_MAX_STAGES];
    stfi_axes axes;  /* op FFT without a convolution only */
    uint32_t matrix; /* a bit for each stage that runs on matrix units, if the
                        backend has such stages; others compute the same */
    stfi_unit unit;  /* what these units multiply */
    stfi_side load;
    stfi_side store;
    stfi_twiddle twiddle;
    int nloops; /* loop 0 varies fastest */
    int64_t loop_n[STFI_MAX_LOOPS];
    int batch_loop; /* which loop runs over the chunk's transforms */
    int two_loop; /* > 0: lanes have two signals, neighbours along loop two_loop
                       - 1, whose indices count pairs. Of an odd number, that loop is
                       the outermost one, and the last pair has one signal */
    int64_t
        two_count; /* signals along this loop, unless it is the batch loop */
    int odd_columns; /* 1: lanes have two columns of one signal, neighbours along loop
                        0, but the last one, as the columns are odd in number */
    int balanced; /* 1: the two signals of a lane are of different transforms:
                       the norm of each is brought near 1 meanwhile, so that
                       neither has rounding errors of the other's size */
    stfi_block block;
    stfi_check check;
    int gated; /* 1: the execution has an end-to-end check: a word in device
                  memory may hold launches back, and faults strike whatever
                  `check` is */
    int from_memory; /* 1: the pass is the only one, and its residuals are to be
                        made of what memory holds, if the backend can */
    int is_signed; /* 1: the pass is to add the bits of what it loads and stores to
                        the signature of its launch, if the backend can */
    int is_last;   /* 1: the last one of these */
    int wide_work; /* 1: WORK0 and WORK1 hold numbers in the precision of the
                        arithmetic, not in that of the data. So they do on a CPU,
                        whose caches hold them, and in all passes of a schedule
                        that has a spread convolution, whose spectra grow by the
                        padded length */
} stfi_pass;

typedef struct stfi_schedule {
    stfi_caps caps; /* device that it was planned for */
    stf_precision precision;
    int64_t batch;           /* transforms in all */
    int64_t chunk;           /* transforms that go through all passes
                                together */
    int32_t slots;           /* chunks in flight, each with its own workspace */
    int64_t batch_stride[2]; /* IN, OUT: between transforms, in reals */
    int64_t work_elems[2];   /* complex elements of WORK0, WORK1 per slot */
    int apart;               /* 1: the passes are run as they are, even if the
                                backend has a faster form of all of them */
    int npasses;
    stfi_pass pass[STFI_MAX_PASSES];
} stfi_schedule;

/* Returns what a pass of that operation checks, as far as the completed
 * protection alone decides: all zero if passes are not protected. */
stfi_check stfi_check_of(const stf_ft_desc *ft, stfi_op op);

/* Returns the bytes of workspace that an execution of the schedule needs, for
 * all slots. */
size_t stfi_schedule_work_bytes(const stfi_schedule *s);

/* Returns the bytes of WORK0 (which = 0) or WORK1 (1) in one slot, rounded up
 * to the alignment of the workspace. */
size_t stfi_schedule_slot_bytes(const stfi_schedule *s, int which);

/* Returns what a pass finds in a buffer, and a schedule in all of its passes:
 * numbers in the data's precision or, in wide workspaces, in that which they are
 * computed in. */
stf_precision stfi_pass_format(const stfi_pass *p, stf_precision data,
                               stfi_buf buf);
stf_precision stfi_schedule_format(const stfi_schedule *s, stfi_buf buf);

/* Returns the factor of a scaled pass, given that of the direction. Passes before
 * the last are scaled if they store halves: by powers of two that the factor
 * contains, at most as many as their results may have grown, so that no value
 * between passes leaves the range of halves before the results do. The last pass
 * has what is left. The factors' product is `scale`, without an error. */
double stfi_schedule_scale(const stfi_schedule *s, int pass, double scale);

/* Marks the passes of a schedule for executions with an end-to-end check. Its passes
 * have their own checks already, if any: they are signed if each element that a
 * pass stores is loaded by the next one, as it is, and has a residual in both. */
void stfi_schedule_gate(stfi_schedule *s);

/* Returns how many elements of a lane lie between neighbours along the axis of a
 * stage: the product of the axes inside of it. */
int64_t stfi_pass_inner(const stfi_pass *p, int stage);

/* Returns the product of the radices of the earlier stages of the same axis. */
int64_t stfi_pass_before(const stfi_pass *p, int stage);

/* Return how many elements apart the inputs of a butterfly of a stage are in the
 * tile, and its results. */
int64_t stfi_pass_reach(const stfi_pass *p, int stage);
int64_t stfi_pass_spread(const stfi_pass *p, int stage);

/* Returns the number of lanes of a pass: the product of its loops. */
int64_t stfi_pass_lanes(const stfi_pass *p);

/* Returns the number of lanes that one transform of the chunk has. */
int64_t stfi_pass_signal_lanes(const stfi_pass *p);

/* For a round of so many transforms, returns the indices of the batch loop; the
 * lanes; and how many of these, the first ones, have all of their signals. */
int64_t stfi_pass_batch(const stfi_pass *p, int64_t transforms);
int64_t stfi_pass_round_lanes(const stfi_pass *p, int64_t transforms);
int64_t stfi_pass_full_lanes(const stfi_pass *p, int64_t transforms);

/* Returns the first transform of index i of the batch loop. */
int64_t stfi_pass_transform(const stfi_pass *p, int64_t i);

/* Returns 1 if element e of each lane has index e. */
int stfi_pass_has_own_indices(const stfi_pass *p, const stfi_side *side);

/* Returns 1 if neighbouring lanes are closer in memory than neighbouring
 * elements. */
int stfi_pass_is_across(const stfi_pass *p, const stfi_side *side);

/* Returns 1 if each lane of a side begins so many numbers behind the one before, in the
 * units of its strides. */
int stfi_pass_lanes_follow(const stfi_pass *p, const stfi_side *side,
                           int64_t apart);

/* Returns 1 if the rows of a side follow each other in memory without gaps. */
int stfi_pass_is_packed(const stfi_pass *p, const stfi_side *side);

/* Returns how many elements of the side's form have room in the gap behind each row of
 * reals of a lane, if these lie one after the other as rows are padded in place: in an
 * execution in place, the gap belongs to the spectrum; but for real to real kinds that
 * come from one, whose rows have the length of the reals. 0: there is none. */
int64_t stfi_pass_gap(const stfi_pass *p, const stfi_side *side);

/* The same for rows of reals or half spectra, of which a lane has two neighbours. Rows
 * of reals may have gaps of one. */
int stfi_pass_has_rows_of_two(const stfi_pass *p, const stfi_side *side);

#endif
