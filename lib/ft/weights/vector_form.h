/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The form of a pass's left vector e. Its elements may all be free, which makes
 * the largest least weight; on a GPU, where reading e and its row is what
 * protected rows wait for, e may instead follow a sign pattern
 * (sign_pattern.h), or be its own mirror image, so that its row is real. Each
 * form is taken where it was measured to gain more than it costs in weight: from
 * which lengths on is data of the device (device/tuning.def), and doc/abft.md has
 * the numbers. Thread: any. */
#ifndef STFI_WEIGHTS_VECTOR_FORM_H
#define STFI_WEIGHTS_VECTOR_FORM_H

#include "device/tuning.h"
#include "fft/schedule.h"

/* Of a pass whose check says what there is to check: the number T of threads
 * whose sign pattern e follows, or 0, where it follows none. */
int64_t stfi_ft_sign_pattern_period(const stfi_pass *p, stf_precision precision,
                                    const stfi_tuning *tuning);

/* Of the same pass: 1 if its row r is real, so that half of its bytes do, and
 * half of its products. Then e is its own mirror image, e[n - k] = conj e[k].
 */
int stfi_ft_row_is_real(const stfi_pass *p, stf_precision precision,
                        const stfi_tuning *tuning);

#endif
