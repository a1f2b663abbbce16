/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* All values of a result, and how two machines' values differ. In files of
 * digests they follow the line of their result: "= f32 2000", then lines
 * ": 3f800000 ..." with the bits of each component. */
#ifndef STFI_VERIFY_VALUES_H
#define STFI_VERIFY_VALUES_H

#include <stddef.h>
#include <stdio.h>

#include "steadfast.h"

/* The components of a result's transforms, one after the other, packed. All
 * zero: values that are not known. */
typedef struct stfi_values {
    stf_precision precision;
    int64_t count; /* of components */
    int64_t known; /* so many have been read from a file */
    void *data;
} stfi_values;

/* How values differ from those of another machine. */
typedef struct stfi_values_gap {
    int64_t count, other; /* components, and those with other bits */
    double distance;      /* L2 norm of the differences, relative to that of the
                             other machine's values; INFINITY if either is not
                             finite */
    double largest;       /* difference, relative to the root mean square */
    int64_t at;           /* the component that has it */
} stfi_values_gap;

/* Takes the values of a result, whose element 0 is at `out`. Errors: MEMORY. */
stf_status stfi_values_take(const stf_fft_desc *full, const void *out,
                            stfi_values *values_p);

/* The same of an array of so many numbers. */
stf_status stfi_values_of_array(stf_precision precision, const void *x,
                                int64_t count, stfi_values *values_p);
void stfi_values_free(stfi_values *values);

/* Returns the components of one transform's result. */
int64_t stfi_values_components(const stf_fft_desc *full);

/* Returns the bytes of a component that are its own: of the 16 bytes of an x87
 * number the last six are not. */
size_t stfi_values_bytes(stf_precision precision);

void stfi_values_print(const stfi_values *values, FILE *file);

/* Reads one line that begins with '=' or ':'. Returns 0 if it is damaged, or if
 * there is no memory for it. */
int stfi_values_parse(const char *line, stfi_values *values);

/* 1 if all values have been read. */
int stfi_values_complete(const stfi_values *values);

/* Compares values with those of another machine. Returns 0 if either is not
 * known, or if they are of different shapes. */
int stfi_values_compare(const stfi_values *mine, const stfi_values *its,
                        stfi_values_gap *gap_p);

#endif
