/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The tables of a pass while they are made; see tables.h. Thread: one at a
 * time for a maker. */
#ifndef STFI_GPU_TABLE_MAKER_H
#define STFI_GPU_TABLE_MAKER_H

#include "backends/gpu/host/fft/tables.h"

enum { STFI_GPU_TABLES_MOST = 10 };

/* A table under construction: where it goes in the buffer, and which field of
 * the arguments will point to it. */
typedef struct stfi_gpu_table {
    void *data;
    size_t bytes, offset;
    const void **field;
} stfi_gpu_table;

typedef struct stfi_gpu_table_maker {
    const stfi_pass *p;
    const stfi_type *tables, *sums; /* types that the precision uses */
    stfk_args *args;
    stfi_gpu_table part[STFI_GPU_TABLES_MOST];
    int count;
    stf_status status;
} stfi_gpu_table_maker;

/* Returns memory, freed with the maker, for a table of `count` entries of
 * `each` bytes, to which a field of the arguments is to point; NULL without
 * memory, or after an error. */
void *stfi_gpu_new_table(stfi_gpu_table_maker *m, int64_t count, size_t each,
                         const void **field);

/* Makes the tables of the pass's check, if it has any; `ordered`: in the order of
 * registers. */
void stfi_gpu_make_check(stfi_gpu_table_maker *m, int ordered);

#endif
