/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How fast a protected plan is under load, without faults and with some. */
#ifndef STFI_INJECT_LOAD_H
#define STFI_INJECT_LOAD_H

#include "tools/inject/rig.h"

/* Medians over several rounds; rounds without and with faults alternate. */
typedef struct stfi_load {
    double clean;  /* transforms per second */
    double struck; /* transforms per second, with faults */
    double faults_per_minute;
} stfi_load;

/* Measures for about two seconds. Leaves data of its own in the rig. Errors:
 * those of executing and injecting. */
stf_status stfi_load_measure(stfi_rig *r, uint64_t seed, stfi_load *load_p);

#endif
