/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The roots by which a side turns the elements of real to real transforms. */
#ifndef STFI_TABLES_TURN_H
#define STFI_TABLES_TURN_H

#include "fft/schedule.h"

/* Returns the side of a pass whose turn has roots, or NULL. If both have some,
 * they are the same. */
const stfi_side *stfi_turn_side(const stfi_pass *p);

/* Returns the number of roots of such a side: span/2 + 1 for QUARTER; span/2 of
 * the load and then span/2 of the store for FOUR. */
int64_t stfi_turn_count(const stfi_side *side);

/* Computes them, as schedule.h has them. Errors: MEMORY. Thread: any. */
stf_status stfi_table_turn(const stfi_side *side, stf_precision precision,
                           void *table);

/* Computes the pairs t, t^5, t = exp(-2 pi i k/order), k < count, by which rows are
 * turned by quarters while their spectra are separated or joined: for rows of n
 * elements 8n is the order, and k goes to n/2. Errors: MEMORY. Thread: any. */
stf_status stfi_table_quarter_pairs(int64_t order, int64_t count,
                                    stf_precision precision, void *table);

#endif
