/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The tables of single rows of real kinds. */
#ifndef STFI_CPU_TURNS_H
#define STFI_CPU_TURNS_H

#include "backends/cpu/compact/cpu_reals.h"

/* Writes r->turn and, without pairs, r->place. */
void stfi_cpu_turns_write(stf_precision precision, const stfi_cpu_row *row,
                          stfi_cpu_reals *r);

/* 1 if a real to real kind makes reals of a spectrum. */
int stfi_cpu_turns_are_back(stf_kind kind);

#endif
