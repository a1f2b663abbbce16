/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Arrays in memory, as files hold them: packed, row-major, of any rank. */
#ifndef STFI_FILE_ARRAY_H
#define STFI_FILE_ARRAY_H

#include <stddef.h>

#include "steadfast.h"

enum { STFI_ARRAY_RANK = 16 };

typedef struct stfi_array {
    stf_precision precision;
    int complex; /* 1 if an element has two components */
    int rank;    /* 1 .. STFI_ARRAY_RANK */
    int64_t n[STFI_ARRAY_RANK];
    double rate; /* samples per second along the last axis; 0: unknown */
    void *data;
} stfi_array;

/* Allocates data for the shape. Errors: MEMORY, also for a shape that does
 * not fit into an address. */
stf_status stfi_array_alloc(stfi_array *a);

/* Frees the data; does nothing for a zeroed array. */
void stfi_array_free(stfi_array *a);

/* The number of elements, and the bytes of one element. */
int64_t stfi_array_count(const stfi_array *a);
size_t stfi_array_element_bytes(const stfi_array *a);

/* Bytes of all data. Errors: MEMORY when they overflow. */
stf_status stfi_array_bytes(const stfi_array *a, size_t *bytes_p);

/* Changes the precision and, where asked, makes real elements complex (never
 * complex ones real). Errors: MEMORY. */
stf_status stfi_array_convert(stfi_array *a, stf_precision precision,
                              int complex);

/* 1 if no component is an infinity or a NaN. */
int stfi_array_finite(const stfi_array *a);

/* Prints "64x60x50 complex f32" like snprintf. */
int stfi_array_print(const stfi_array *a, char *text, size_t capacity);

#endif
