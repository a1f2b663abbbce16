/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The roots of unity that separate the spectrum of n complex numbers, read as
 * 2n reals, into that of the reals, or join it from that. */
#ifndef STFI_TABLES_HALF_TURN_H
#define STFI_TABLES_HALF_TURN_H

#include <stdint.h>

#include "steadfast.h"

/* Computes exp(-2 pi i k/(2n)) for k <= n/2 into table[n/2 + 1]. Errors:
 * MEMORY. Thread: any. */
stf_status stfi_table_half_turn(int64_t n, stf_precision precision,
                                void *table);

#endif
