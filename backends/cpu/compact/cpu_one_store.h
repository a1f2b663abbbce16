/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How the functions of short arrays (cpu_one.h) store, which what reads their results
 * at once has to know. */
#ifndef STFI_CPU_ONE_STORE_H
#define STFI_CPU_ONE_STORE_H

#include "backends/cpu/compact/cpu_one.h"

/* Returns how many bytes a function stores at a time; 0 if it is none of those
 * that stfi_cpu_one_make() finds. */
int stfi_cpu_one_store_bytes(stfi_cpu_one_fn *run);

#endif
