/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The properties of each precision (the rows of types.def), and access to the
 * components of arrays. Thread: any. */
#ifndef STFI_BASE_TYPE_H
#define STFI_BASE_TYPE_H

#include <stddef.h>
#include <stdint.h>

#include "steadfast.h"

/* The number of precisions, and thus the length of a table with a row for
 * each. */
enum { STFI_TYPES = STF_F80 + 1 };

/* In the column of matrix units: the precision has none. */
enum { STFI_NO_MATRIX = -1 };

/* One row of types.def. A precision is what arrays are stored in; computations
 * on their elements may be done in another one. */
typedef struct stfi_type {
    stf_precision id;
    const char *name;         /* "f32" */
    const char *c_name;       /* C type of a component, "float"; NULL: none */
    size_t bytes;             /* bytes of a component in memory */
    double unit_roundoff;     /* u: half the distance from 1 to the next */
    long double least;        /* the least positive number, which is denormal */
    stf_precision arithmetic; /* what a pass computes in */
    stf_precision tables;     /* roots, chirps, kernels of convolutions */
    stf_precision sums;       /* checks: their weights and sums */
    int matrix;               /* the precision that a matrix unit takes, into
                                 which F32 is split; or STFI_NO_MATRIX */
    int wide;                 /* 1: computed in more than F32; the index into
                                 tables of {single, double} */
    int checked;              /* 1: passes can be protected */
} stfi_type;

/* Return the row of an id or of a name ("f32"); NULL if there is none. */
const stfi_type *stfi_type_get(stf_precision id);
const stfi_type *stfi_type_find(const char *name);

/* Return the row of the precision that data of `id` are computed in, have their
 * tables in, and sum their checks in. */
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

/* Read and write component i of an array; writing rounds to the nearest
 * number. */
long double stfi_type_read(stf_precision id, const void *array, int64_t i);
void stfi_type_write(stf_precision id, void *array, int64_t i,
                     long double value);

#endif
