/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Signatures of launches: what end-to-end checks add to the residuals of passes,
 * which are themselves from memory to memory. A residual cannot tell whether a
 * tile was computed at all, or from the right place, nor whether memory changed
 * between two passes. So the checks add up
 *
 * - where each of their lanes was read and written, and with which scale and
 *   direction;
 * - the bits of what a pass stored, less those of what the next one loaded.
 *
 * The second sum is 0 without faults. The first is known beforehand, without
 * a walk over the lanes: this file computes it. All sums are of integers, so
 * that they do not depend on how threads share the work. */
#ifndef STFI_CPU_SIGNATURE_H
#define STFI_CPU_SIGNATURE_H

#include "backends/cpu/cpu_pass.h"

/* Factors of the parts of a signature, so that errors of one do not make up for
 * errors of another: odd numbers without a pattern. */
#define STFI_CPU_SIGN_FROM UINT64_C(0x9e3779b97f4a7c15)
#define STFI_CPU_SIGN_TO UINT64_C(0xc2b2ae3d27d4eb4f)
#define STFI_CPU_SIGN_RUN UINT64_C(0x165667b19e3779f9)

/* Finds out what passes hand on to each other, and sets their `carries`. Returns
 * 1 if the passes have signatures. */
int stfi_cpu_sign_passes(stfi_cpu_pass *pass, int count, stf_precision data);

/* The part of each lane of a run that is the same for all. */
uint64_t stfi_cpu_sign_lane(const stfi_cpu_pass *cp, const stfi_cpu_run *run);

/* Where addresses of a side are counted from: its workspace, or 0. */
uint64_t stfi_cpu_sign_origin(const stfi_side *side, const void *array);

/* The signature of all lanes of a run. */
uint64_t stfi_cpu_sign(const stfi_cpu_pass *cp, const stfi_cpu_run *run);

#endif
