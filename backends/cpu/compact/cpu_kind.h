/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Which real to real transform of packed rows a schedule computes. */
#ifndef STFI_CPU_KIND_H
#define STFI_CPU_KIND_H

#include "backends/cpu/compact/cpu_reals.h"

/* Fills in the kind, the length and the sides of rows. Returns 0 if the schedule
 * does anything else, or its passes do more than transforms. */
int stfi_cpu_kind_find(const stfi_schedule *s, stfi_cpu_row *row);

#endif
