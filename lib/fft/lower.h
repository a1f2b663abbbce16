/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Lowering: makes the schedule of a completed descriptor for a device. */
#ifndef STFI_FFT_LOWER_H
#define STFI_FFT_LOWER_H

#include "fft/choice.h"
#include "fft/cost.h"

/* Makes the schedule of a completed descriptor for a device with `caps`,
 * executed by up to `threads` host threads (1 on GPUs).
 * Errors: UNSUPPORTED (kind or size), INTERNAL. Thread: any. */
stf_status stfi_lower(const stf_fft_desc *full, const stfi_caps *caps,
                      int threads, stfi_schedule *s_p);

/* As stfi_lower(), with a workspace of at most `most_bytes`, if smaller chunks
 * and fewer slots suffice for that. */
stf_status stfi_lower_within(const stf_fft_desc *full, const stfi_caps *caps,
                             int threads, size_t most_bytes,
                             stfi_schedule *s_p);

/* As stfi_lower_within(), with a choice (NULL: the model's). Errors: those, and
 * UNSUPPORTED if the choice is not possible. */
stf_status stfi_lower_chosen(const stf_fft_desc *full, const stfi_caps *caps,
                             int threads, size_t most_bytes,
                             const stfi_choice *choice, stfi_schedule *s_p);

#endif
