/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What must hold of every schedule: data come from the input and end in the
 * output, no pass reads what none wrote, blocks and launches keep to the
 * device's limits, and the workspace is at most twice the data, or as much more
 * as doc/architecture.md says. */
#ifndef STFI_UNIT_INVARIANTS_H
#define STFI_UNIT_INVARIANTS_H

#include "fft/schedule.h"

/* A schedule that is being examined. */
typedef struct invariants_view {
    const stf_fft_desc *d;
    const stfi_caps *caps;
    const stfi_schedule *s;
} invariants_view;

typedef struct invariant {
    const char *what;
    /* Returns what is wrong, or NULL. */
    const char *(*wrong)(const invariants_view *v);
} invariant;

/* Returns the i-th invariant, or NULL past the end. */
const invariant *invariant_at(int i);

#endif
