/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the library knows of each precision: the rows of types.def, and
 * components of arrays of any of them. Thread: any. */
#ifndef STFI_BASE_TYPE_H
#define STFI_BASE_TYPE_H

#include <stddef.h>
#include <stdint.h>

#include "steadfast.h"

/* Precisions, and so the length of a table with a row for each. */
enum { STFI_TYPES = STF_F80 + 1 };

/* In the column of matrix units: they do not take the precision. */
enum { STFI_NO_MATRIX = -1 };

/* One row of types.def. A precision is what arrays are stored in; what is
 * done with their elements may be done in another one. */
typedef struct stfi_type {
    stf_precision id;
    const char *name;         /* "f32" */
    const char *c_name;       /* of a component in C, "float"; NULL: none */
    size_t bytes;             /* of a component in memory */
    double unit_roundoff;     /* u: half the distance from 1 to the next */
    long double least;        /* the least positive number, a denormal one */
    stf_precision arithmetic; /* what a pass computes in */
    stf_precision tables;     /* roots, chirps, kernels of convolutions */
    stf_precision sums;       /* checks: their weights and sums */
    int matrix;               /* what a matrix unit takes: a precision, to
                                 which F32 is split; or STFI_NO_MATRIX */
    int wide;                 /* 1: computed in more than F32; which entry of
                                 tables {single, double} goes for it */
    int checked;              /* 1: passes can be protected */
} stfi_type;

/* Rows by id, by name ("f32"); NULL when there is none. */
const stfi_type *stfi_type_get(stf_precision id);
const stfi_type *stfi_type_find(const char *name);

/* Rows of what a precision is computed in, has its tables in, and sums its
 * checks in. */
static inline const stfi_type *stfi_type_arithmetic(stf_precision id)
{
    return stfi_type_get(stfi_type_get(id)->arithmetic);
}

static inline const stfi_type *stfi_type_tables(stf_precision id)
{
    return stfi_type_get(stfi_type_get(id)->tables);
}

static inline const stfi_type *stfi_type_sums(stf_precision id)
{
    return stfi_type_get(stfi_type_get(id)->sums);
}

/* Component i of an array; writing rounds to the nearest number. */
long double stfi_type_read(stf_precision id, const void *array, int64_t i);
void stfi_type_write(stf_precision id, void *array, int64_t i,
                     long double value);

#endif
