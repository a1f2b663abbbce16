/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the lowerings have in common: a schedule under construction, and the
 * passes of one axis. */
#ifndef STFI_FFT_BUILDER_H
#define STFI_FFT_BUILDER_H

#include "fft/choice.h"
#include "fft/cost.h"

typedef struct stfi_builder {
    const stf_fft_desc *desc;
    const stfi_caps *caps;
    const stfi_choice *choice; /* NULL: the model's */
    size_t real_bytes;         /* of the arithmetic */
    size_t stored_bytes;       /* of the data, and of the workspace of a GPU */
    int64_t chunk;             /* transforms per chunk */
    double lanes; /* lanes that one axis has over the whole batch */
    stfi_schedule *s;
    int64_t most_tile;  /* the most elements that a tile may have */
    int64_t unfit_tile; /* > 0: a tile of so many elements fits no block, which
                           has set the status */
    stf_status status;  /* first error */
    stfi_pass spare;    /* dummy for passes beyond the last, never read */
} stfi_builder;

/* A transform along one axis, for every combination of the other loops. In both
 * sides, loop_stride and index.loop are indexed by those loops. */
typedef struct stfi_axis {
    int64_t n;
    stfi_axes axes; /* what n consists of, if it is several axes */
    stfi_side load; /* its stride is that of the axis */
    stfi_side store;
    int nloops;
    int64_t loop_n[STFI_MAX_LOOPS];
    int batch_loop;
} stfi_axis;

/* Appends a zeroed pass and returns it; if the schedule is full, sets the
 * status and returns the spare. */
stfi_pass *stfi_builder_pass(stfi_builder *b, stfi_op op);

/* Merges two loops into one where all strides allow it, such as the two outer axes
 * of a packed 3-D array. */
void stfi_builder_merge(stfi_pass *p);

/* Sorts the loops of an axis by the load's strides. */
void stfi_axis_sort(stfi_axis *axis);

/* Appends the passes of a complex transform along an axis; uses WORK0. */
void stfi_lower_axis(stfi_builder *b, const stfi_axis *axis);

/* Returns 1 if no other loop is inside the axis in memory: then nothing can be
 * read in longer runs than columns of the axis. */
int stfi_axis_is_innermost(const stfi_axis *axis);

/* Appends the two passes of a long DCT1 or DST1, whose reals, in the order EVEN or
 * ODD on both sides, extend to so many; uses WORK0. Returns 0, and does nothing,
 * if that is not possible, or if the extension is short. */
int stfi_lower_mirrored(stfi_builder *b, const stfi_axis *axis,
                        int64_t extended);

/* Appends the two passes of a long real transform on a GPU, R2C
 * or (`inverse`) C2R, along an axis whose real side has the form REAL; uses
 * WORK0. Returns 0, and does nothing, if other ways are better. `others`: lanes
 * of the axis over the whole batch. */
int stfi_lower_real_two(stfi_builder *b, const stfi_axis *axis, int inverse,
                        double others);

/* Appends the pass over the signals of n reals, of a length that would
 * otherwise take complex transforms of n points with no imaginary parts: each lane
 * has two signals. The sides are those of one signal a lane, the real one REAL.
 * Returns 0, and does nothing, if there are no two signals, or if they fit no
 * tile. */
int stfi_lower_two_signals(stfi_builder *b, const stfi_axis *axis, int inverse);

/* Returns 1 if h complex elements, as 2h reals, fit one tile by radices alone, so
 * that the separating step can be part of that pass. `lanes`: see
 * stfi_axis_lanes(). */
int stfi_real_fits(const stfi_builder *b, int64_t h, double lanes);

/* Returns 1 if a real transform of n goes through the complex transform of n: odd
 * lengths, and 2 on a GPU, where a block would take a single pair of reals for a
 * long row, and two passes for its sum and its difference. */
int stfi_real_is_whole(const stfi_builder *b, int64_t n);

/* Returns the lanes of an axis over the whole batch. */
double stfi_axis_lanes(const stfi_builder *b, const stfi_axis *axis);

/* Sets the stages of a tile of n elements: the choice's, or the cheapest. Returns
 * their number, -1 if there are none. A choice that is not possible sets the
 * status to UNSUPPORTED. */
int stfi_builder_stages(stfi_builder *b, int64_t n, int radix[STFI_MAX_STAGES]);

/* Sets the status to UNSUPPORTED, since the choice of something for a length is not
 * possible. */
void stfi_choice_refuse(stfi_builder *b, const char *what, int64_t n);

/* Appends a pass over rows of h = n/2 elements with op R2C or C2R. */
void stfi_lower_rows(stfi_builder *b, const stfi_axis *axis, stfi_op op);

/* Appends the separating or joining step of 2h = n reals alone: pairs 0 .. h/2,
 * in parts, so that several threads share a long row. */
void stfi_lower_pairs(stfi_builder *b, const stfi_axis *axis, stfi_op op);

/* Appends the passes of one kind. */
void stfi_lower_c2c(stfi_builder *b);
void stfi_lower_r2c(stfi_builder *b);
void stfi_lower_c2r(stfi_builder *b);
void stfi_lower_r2r(stfi_builder *b);

/* Neighbouring axes of the descriptor that are transformed together. */
typedef struct stfi_axis_run {
    int first, last;
} stfi_axis_run;

/* Makes the axes of a run, one or several, with all other axes and the batch as
 * loops. The sides are IN and OUT, in their layouts. half: 1 if the other axes
 * have the extents of the half spectrum. */
void stfi_builder_axis(const stfi_builder *b, stfi_axis_run run, int half,
                       stfi_axis *axis_p);

static inline stfi_axis_run stfi_last_axis(const stfi_builder *b)
{
    return (stfi_axis_run){b->desc->rank - 1, b->desc->rank - 1};
}

/* Divides the axes 0 .. last into runs, which are transformed from the last one on:
 * several axes are one run where one tile is faster than a pass for each. The first
 * run to be transformed loads with the strides `load`; all others work in place, with
 * the strides `store`. NULL stands for an array without gaps. Axes of length 1 are left
 * out; if there are no others, and `one` is 1, one of them is a run. Returns the number
 * of runs. */
int stfi_builder_runs(stfi_builder *b, int last, int half, const int64_t *load,
                      const int64_t *store, int one,
                      stfi_axis_run run[STF_MAX_RANK]);

/* Sets the strides of the side of a run to those of a packed row-major array in
 * `buf` with the extents of the axes, the last of them being `last`, one array per
 * transform of the chunk. Returns the elements of one array. */
int64_t stfi_builder_pack(const stfi_builder *b, stfi_axis_run run,
                          int64_t last, stfi_buf buf, stfi_side *side);

/* Records that a chunk needs `elems` complex elements of WORK0 (which = 0) or
 * WORK1 (1). */
void stfi_builder_work(stfi_builder *b, int which, int64_t elems);

/* Returns 1 if the elements of a lane are neighbours in memory. */
int stfi_builder_is_row(const stfi_side *side);

/* Sets the lanes, threads and memory of a block; on a GPU also the radices. If
 * the kernel with its checks fits no block, sets unfit_tile. */
void stfi_builder_block(stfi_builder *b, stfi_pass *p);

/* Returns the number of lanes that are computed together, for costs: those of a
 * CPU's vector, or 1 on a GPU. */
double stfi_builder_width(const stfi_builder *b);

/* Return the longest tile, in elements: of an axis done in a single pass; of a
 * pass with all elements in block memory at once; of a pass over columns. */
int64_t stfi_builder_max_single(const stfi_builder *b);
int64_t stfi_builder_max_whole(const stfi_builder *b);
int64_t stfi_builder_max_column(const stfi_builder *b);

/* Returns 1 if passes are checked as they run. */
int stfi_builder_is_protected(const stfi_builder *b);

/* Returns 1 if a GPU's block can have a shape for rows of n elements. whole: 1
 * if block memory must hold both components of all elements, and of one more,
 * at once. */
int stfi_builder_fits(const stfi_builder *b, int64_t n, int whole);

#endif
