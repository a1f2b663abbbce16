/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Candidates: choices that differ from another one in one respect, and may be
 * faster than it. They are data; whether they are possible, lowering says, and
 * what they gain, a measurement. Those of a GPU are splits, shapes of tiles, and
 * whether stages run on matrix units that the descriptor permits, and which.
 * Pure functions. Thread: any. */
#ifndef STFI_FFT_CANDIDATES_H
#define STFI_FFT_CANDIDATES_H

#include "fft/choice.h"
#include "fft/schedule.h"

enum { STFI_CANDIDATES = 40 };

/* Lists what may be changed in `base`, for which `s` is the schedule of the
 * completed descriptor; whole: 1 if the device computes that in a form of its
 * own, and not pass by pass. There are at most `each` ways of every sort (without
 * matrix units, pass by pass, chunks, splits, radices, shapes), the likeliest ones
 * first. Returns how many there are. */
int stfi_candidates(const stf_fft_desc *full, const stfi_schedule *s, int whole,
                    const stfi_choice *base, int each,
                    stfi_choice list[STFI_CANDIDATES]);

#endif
