/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reads or makes the input data of commands that take files. */
#ifndef STFI_FILE_INPUT_H
#define STFI_FILE_INPUT_H

#include "tools/file/array.h"
#include "tools/command/options.h"

typedef struct stfi_input {
    stfi_array array;
    const char *name; /* name for messages: the file, or "random numbers" */
    const char *note; /* what was changed while reading, or NULL */
    const char *axes; /* the default of --axes; NULL: all axes */
} stfi_input;

/* Reads the file, or makes the random array, that the options ask for. The
 * first bytes of a file tell whether it is .npy or sound; with --shape it is
 * raw numbers. Errors: ARGUMENT, IO, MEMORY. */
stf_status stfi_input_open(const stfi_args *args, stfi_input *input_p);

/* Reads one file, whatever else the options ask for, and converts it to `wanted`
 * unless that is NULL. The same errors. */
stf_status stfi_input_read(const stfi_args *args, const char *path,
                           const stf_precision *wanted, stfi_input *input_p);

#endif
