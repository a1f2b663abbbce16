/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Measuring which of several choices makes the fastest plan: the model's and
 * candidates that differ from it, on arrays that are made for that, interleaved
 * so that a busy machine slows all of them. */
#ifndef STFI_RUN_FFT_MEASURE_H
#define STFI_RUN_FFT_MEASURE_H

#include "run/fft/fft_plan.h"

typedef struct stfi_measured {
    stfi_choice choice; /* the winner */
    int ways;           /* how many were tried, the model's among them */
    double ratio;       /* the winner's time over the model's; 1: it is that */
    double seconds;     /* what it took */
    char reason[128];   /* why nothing was measured, or "" */
} stfi_measured;

/* Finds the fastest choice for a completed descriptor, within about its
 * effort_seconds. The model's stays unless another one is clearly faster. What
 * cannot be measured, as memory is short or time, is left out, and the reason
 * says so if nothing is left. Errors: those of the model's plan. */
stf_status stfi_fft_measure(stf_device *dev, const stf_fft_desc *d,
                            const stf_fft_desc *full, stfi_measured *m_p);

#endif
