/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the lowerings share: a schedule under construction, and the passes of
 * one axis. */
#ifndef STFI_FFT_BUILDER_H
#define STFI_FFT_BUILDER_H

#include "fft/cost.h"

typedef struct stfi_builder {
    const stf_fft_desc *desc;
    const stfi_caps *caps;
    size_t real_bytes;
    int64_t chunk; /* transforms per round */
    double lanes;  /* lanes that one axis has over the whole batch */
    stfi_schedule *s;
    stf_status status; /* first error */
    stfi_pass spare;   /* takes passes that do not fit, never read */
} stfi_builder;

/* A transform along one axis, for every combination of the other loops. Both
 * sides' loop_stride, index.loop are by those loops. */
typedef struct stfi_axis {
    int64_t n;
    stfi_side load; /* stride: of the axis */
    stfi_side store;
    int nloops;
    int64_t loop_n[STFI_MAX_LOOPS];
    int batch_loop;
} stfi_axis;

/* Appends a pass, zeroed, and returns it; when the schedule is full, sets the
 * status and returns the spare. */
stfi_pass *stfi_builder_pass(stfi_builder *b, stfi_op op);

/* Appends the passes of a complex transform along an axis; uses WORK0. */
void stfi_lower_axis(stfi_builder *b, const stfi_axis *axis);

/* Appends the two passes over a GPU's memory of a long real transform of even
 * length, R2C or (`inverse`) C2R, along an axis whose real side is in single
 * reals; uses WORK0. Returns 0 if other ways are better; then it did nothing.
 * `others`: lanes of the axis over the whole batch. */
int stfi_lower_real_two(stfi_builder *b, const stfi_axis *axis, int inverse,
                        double others);

/* Appends the passes of one kind. */
void stfi_lower_c2c(stfi_builder *b);
void stfi_lower_r2c(stfi_builder *b);
void stfi_lower_c2r(stfi_builder *b);

/* An axis of the descriptor with all other axes and the batch as loops. The
 * sides are IN and OUT, in their layouts; `half`: the other axes have the
 * extents of the half spectrum. */
void stfi_builder_axis(const stfi_builder *b, int a, int half,
                       stfi_axis *axis_p);

/* Strides of the side become those of a packed row-major array of the given
 * extents in `buf`, one per transform of the chunk; returns its elements. */
int64_t stfi_builder_pack(const stfi_builder *b, int a, int64_t last,
                          stfi_buf buf, stfi_side *side);

/* Notes that a chunk needs so many complex elements of WORK0 or WORK1. */
void stfi_builder_work(stfi_builder *b, int which, int64_t elems);

/* 1 if the elements of a lane are neighbours in memory. */
int stfi_builder_is_row(const stfi_side *side);

/* Fills in what a block holds: lanes, threads, memory; on a GPU the radices
 * too. */
void stfi_builder_block(stfi_builder *b, stfi_pass *p);

/* Lanes that the cost of a pass is counted in: a CPU's vector, 1 on GPUs. */
double stfi_builder_width(const stfi_builder *b);

/* Longest tile of a single pass, of one whose elements are all in block
 * memory at once, and of a column pass, in elements. */
int64_t stfi_builder_max_single(const stfi_builder *b);
int64_t stfi_builder_max_whole(const stfi_builder *b);
int64_t stfi_builder_max_column(const stfi_builder *b);

/* 1 if a GPU's block has a shape for rows of n elements; `whole`: with both
 * components of all, and of one more, in block memory at once. */
int stfi_builder_fits(const stfi_builder *b, int64_t n, int whole);

#endif
