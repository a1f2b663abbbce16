/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* NumPy's .npy files, versions 1 to 3, of floating-point numbers. */
#ifndef STFI_FILE_NPY_H
#define STFI_FILE_NPY_H

#include "tools/file/array.h"
#include "tools/file/infile.h"

/* 1 if a file begins like a .npy file. */
int stfi_npy_recognise(const unsigned char *head, size_t bytes);

/* Reads a file into a new array: float32, float64, longdouble, complex64,
 * complex128, clongdouble, and float16, which becomes F32. Fortran order
 * becomes row-major, and big-endian numbers are swapped. *note_p says what was
 * changed, NULL if nothing was. Errors: IO (the message names the file and what
 * is wrong with it), MEMORY. */
stf_status stfi_npy_read(stfi_infile *in, stfi_array *a_p, const char **note_p);

/* Writes an array, whole or not at all. Errors: IO, MEMORY. */
stf_status stfi_npy_write(const char *path, const stfi_array *a);

/* Reads a file of nothing but raw numbers in the host's byte order into `a`,
 * whose shape and precision are set. Errors: IO, MEMORY. */
stf_status stfi_raw_read(stfi_infile *in, stfi_array *a);

#endif
