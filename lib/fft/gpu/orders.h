/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What kernels have to know about sides whose reals have an order. Thread: any. */
#ifndef STFI_FFT_GPU_ORDERS_H
#define STFI_FFT_GPU_ORDERS_H

#include "device/tuning.h"
#include "fft/gpu/config.h"

/* Return 1 if both reals of an element are neighbours, or it is complex; and if
 * neighbouring elements of a lane are neighbours in memory. Elements whose reals are
 * apart are so if their first reals are. */
int stfi_gpu_is_adjoined(const stfi_side *side);
int stfi_gpu_is_unit(const stfi_side *side);

/* Returns 1 if the lanes of a side are whole rows of reals in an order, which follow
 * each other in memory without gaps. */
int stfi_gpu_is_run(const stfi_pass *p, const stfi_side *side);

/* Decides whether half spectra are loaded by all threads of a block in the order of
 * memory, though those of a lane alone sum it up, and whether several are one run.
 * Where those of a lane are so many that they access two sectors at once, this is not
 * worth its way through block memory: on an H200, rows of 8 threads and more took 0.92
 * of the time without, and such of 5 threads in F32 1.05. Half-complex spectra, which
 * have four runs in a row, need whole lines. */
void stfi_gpu_set_swept(const stfi_pass *p, stfi_gpu_config *c);

/* Returns 1 if the layout of block memory heeds that threads take pairs of spectra
 * from there. In F64 such layouts were slower: on an H100, 44 points took 149 us, and
 * 176 so; in F32, 112 points took 113, and 105 so. */
int stfi_gpu_takes_pairs(const stfi_gpu_config *c);

/* Says how many elements of the gap behind each row of reals zeros fill, and where packed
 * rows have any. */
void stfi_gpu_set_gaps(const stfi_pass *p, stfi_gpu_config *c);

/* Returns 1 if the threads of a single stage take what they hold from natural order, or
 * put it there, while others take neighbours. Rows of reals, copies and halves lie
 * otherwise. */
int stfi_gpu_moves_own_row(const stfi_gpu_config *c);

/* Decides whether they are copied to block memory, or from there, as they lie: where
 * the exchanges' part of it has room for them. A second look at what a launch has
 * loaded or stored would be one at the copy. Those that are copied are not staged. */
void stfi_gpu_set_copied(const stfi_pass *p, stfi_gpu_config *c);

/* Returns 1 if element e of each lane is element e of a signal whose reals have
 * an order, or of which memory has half a spectrum. */
int stfi_gpu_is_whole(const stfi_pass *p, const stfi_side *side);

/* Returns 1 if numbers of reals, or eight times as much, exceed 32 bits. */
int stfi_gpu_is_long(const stfi_side *side);

/* Returns 1 if threads t and T - 1 - t of a lane swap reals of this side, so that
 * each loads or stores what lies side by side: in these orders neighbouring reals
 * belong to elements e and n - 1 - e, one of which either thread has. `radix` is
 * that of the stage beside it. */
int stfi_gpu_is_swapped(const stfi_pass *p, const stfi_side *side, int radix,
                        int wave);

/* Returns how many reals of a side may move at once if all strides are multiples
 * of that; 0: only single ones may. */
int stfi_gpu_most_at_once(const stfi_side *side);

/* Returns 1 if the rows of a side follow each other in memory without gaps, except those
 * of reals in place, and are reals, or half spectra, each of which is a lane of a complex
 * transform that fills in or leaves out the other half. */
int stfi_gpu_has_rows_of_one(const stfi_pass *p, const stfi_side *side);

/* Returns 1 if a side, 1 of the load and 2 of the store, goes through block memory,
 * unless its threads swap reals. `stored` is the type of its numbers. */
int stfi_gpu_goes_staged(const stfi_tuning *t, const stfi_pass *p, int side,
                         int64_t stored);

/* Returns 1 if the residuals of the only pass of a plan with an end-to-end check are made
 * of what memory holds, before and after: backends/gpu/kernels/protect/from_memory.h.
 * The configuration is complete but for that. */
int stfi_gpu_is_from_memory(const stfi_pass *p, const stfi_gpu_config *c);

#endif
