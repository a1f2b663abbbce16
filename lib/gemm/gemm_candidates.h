/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Candidates of matrix products on a GPU: choices that differ from another one in
 * one respect, and may be faster than it. What they gain, a measurement says. Pure
 * functions. Thread: any. */
#ifndef STFI_GEMM_GEMM_CANDIDATES_H
#define STFI_GEMM_GEMM_CANDIDATES_H

#include "gemm/gemm_tiles.h"

/* Of any backend. */
enum { STFI_GEMM_CANDIDATES = 16 };

/* Lists what may be changed in the choice of the product, for which the tiling was
 * made: at most 2 each other tiles, with as many parts of k as the model gives them,
 * and `each` other numbers of parts with the same tile; those first of each that are
 * predicted to be the fastest. Returns how many there are. */
int stfi_gemm_candidates(const stfi_gemm *gemm, const stfi_caps *caps,
                         const stfi_gemm_tiling *tiling, int each,
                         stfi_gemm_choice list[STFI_GEMM_CANDIDATES]);

#endif
