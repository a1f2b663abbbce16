/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The planner's predictions of what a schedule costs on a device. */
#ifndef STFI_FFT_COST_H
#define STFI_FFT_COST_H

#include "device/caps.h"
#include "fft/schedule.h"

/* A predicted cost. */
typedef struct stfi_cost {
    double bytes; /* of device memory, read + written */
    double flops;
    double seconds;
} stfi_cost;

stfi_cost stfi_cost_pass(const stfi_pass *p, stf_precision precision,
                         const stfi_caps *caps);
stfi_cost stfi_cost_schedule(const stfi_schedule *s, const stfi_caps *caps);

#endif
