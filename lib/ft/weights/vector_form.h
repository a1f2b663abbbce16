/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The form of a pass's left vector e. All of its elements may be free, which
 * gives the largest least weight. On a GPU, protected rows wait for reads of e
 * and its row; so there e may instead follow a sign pattern (sign_pattern.h),
 * or be its own mirror image, so that its row is real. Each form is chosen
 * where measurements showed that it gains more time than it costs in weight;
 * the lengths from which on it is chosen are data of the device
 * (device/tuning.def), and doc/abft.md has the numbers. Thread: any. */
#ifndef STFI_WEIGHTS_VECTOR_FORM_H
#define STFI_WEIGHTS_VECTOR_FORM_H

#include "device/tuning.h"
#include "fft/schedule.h"

/* For a pass whose check has its kind, level and points: returns the number T
 * of threads per lane if e follows a sign pattern with that period, or 0 if it
 * follows none. */
int64_t stfi_ft_sign_pattern_period(const stfi_pass *p, stf_precision precision,
                                    const stfi_tuning *tuning);

/* For the same pass: returns 1 if its row r is real, which halves its bytes and
 * its products. Then e is its own mirror image, e[n - k] = conj e[k]. */
int stfi_ft_row_is_real(const stfi_pass *p, stf_precision precision,
                        const stfi_tuning *tuning);

/* For the same pass: returns 1 if e itself is real, which halves the products of
 * the sum over the output. */
int stfi_ft_e_is_real(const stfi_pass *p, stf_precision precision,
                      const stfi_caps *caps);

/* Returns 1 if a pass of R2C or C2R gets the residual of the complex transform in it,
 * with an e and a real row of that (network_fold.h). */
int stfi_ft_may_fold(const stfi_pass *p, const stfi_caps *caps);

/* Returns 1 if the check of a marked pass is such a one: of real data, only these have
 * real rows. */
int stfi_ft_is_folded(const stfi_pass *p);

#endif
