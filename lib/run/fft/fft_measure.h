/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Contests of plans of transforms. */
#ifndef STFI_RUN_FFT_MEASURE_H
#define STFI_RUN_FFT_MEASURE_H

#include "run/contest.h"
#include "run/fft/fft_plan.h"

/* Finds the fastest choice for a completed descriptor. As stfi_plan_contest_run(). */
stf_status stfi_fft_measure(stf_device *dev, const stf_fft_desc *d,
                            const stf_fft_desc *full, stfi_choice *choice_p,
                            stfi_measured *m_p);

#endif
