/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The tables of checks as a whole: the weights of each side, as cpu_whole.h has them. */
#ifndef STFI_PROTECT_CPU_WHOLE_TABLES_H
#define STFI_PROTECT_CPU_WHOLE_TABLES_H

#include "backends/cpu/protect/cpu_whole.h"

/* A table as it is written, for vectors of `lanes`. */
typedef struct stfi_cpu_whole_table {
    stf_precision precision;
    char *at;
    int lanes;
} stfi_cpu_whole_table;

/* The least planes that hold the weights of a side, or of its lines; rows in lanes have
 * no complex weights. */
stfi_cpu_whole_form stfi_cpu_whole_form_of(const stfi_ft_side *s,
                                           stf_precision precision,
                                           int by_lanes);

/* The reals of a side's tables. */
int64_t stfi_cpu_whole_table_reals(const stfi_cpu_whole_table *t,
                                   const stfi_ft_side *s,
                                   stfi_cpu_whole_form form);

/* Makes a side, whose form and spread are known, and its tables, which are all 0
 * before. */
void stfi_cpu_whole_make_side(stfi_cpu_whole_table *t, const stfi_ft_side *s,
                              int64_t step, stfi_cpu_whole_side *side);

#endif
