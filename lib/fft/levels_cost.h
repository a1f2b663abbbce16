/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the passes of a split cost: on a CPU operations per element, on a GPU
 * their time in copies of the data. */
#ifndef STFI_FFT_LEVELS_COST_H
#define STFI_FFT_LEVELS_COST_H

#include "fft/levels.h"

/* Returns the time, in copies, of one of two passes that exchange data in
 * blocks of WORK0 and store runs of so many bytes. */
double stfi_levels_blocked(const stfi_builder *b, const stfi_level *l,
                           int first, double run);

/* Returns 1 if a block can have so many lanes of a level's tile on a GPU. Some lengths
 * of doubles have no such shape that is protected. whole: 1 if block memory must hold
 * both components at once. */
int stfi_levels_has_lanes(const stfi_builder *b, const stfi_level *l, int whole,
                          int lanes);

/* Returns the lanes of a level's tiles of columns on a GPU; first: 1 for the first
 * level of several. Where a block cannot have the lanes that fill a sector of memory,
 * tiles are narrower. */
int stfi_levels_width(const stfi_builder *b, const stfi_level *l, int64_t lanes,
                      int first);

/* Returns the cost of a pass on a GPU: the time of its reads and writes, in
 * copies. Arithmetic breaks ties. */
double stfi_levels_gpu_cost(const stfi_builder *b, const stfi_level *l,
                            int width, double lanes, double copies);

/* Returns the operations per element by which two passes on a CPU are dearer
 * because vectors beyond the lanes that are neighbours in memory are loaded and
 * stored component by component: the first pass loads lines as long as the
 * second level, and the second pass loads and stores lines as long as the
 * first. */
double stfi_levels_scatter(const stfi_builder *b, const stfi_split *two,
                           double others);

/* Returns the cost of pass i of a transform of n elements. row: 1 if a single
 * pass would read rows; block: that of the WORK0 between two levels, or 0. */
double stfi_levels_cost(const stfi_builder *b, const stfi_split *s, int i,
                        double n, double others, int row, int block);

#endif
