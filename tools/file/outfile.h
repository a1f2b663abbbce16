/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Output files that appear whole or not at all: they are written under a
 * temporary name beside the target, and renamed when they are complete. */
#ifndef STFI_FILE_OUTFILE_H
#define STFI_FILE_OUTFILE_H

#include <stdio.h>

#include "steadfast.h"

typedef struct stfi_outfile {
    FILE *stream;    /* the stream to write to */
    char *path;      /* path of the target */
    char *temporary; /* NULL: a device or pipe, which is written directly */
} stfi_outfile;

/* Opens the temporary file. Errors: IO (the message names the path and why),
 * MEMORY. */
stf_status stfi_outfile_open(const char *path, stfi_outfile *out_p);

/* Closes and renames. Errors: IO; the temporary file is then removed. */
stf_status stfi_outfile_commit(stfi_outfile *out);

/* Closes and removes what was written; may also be called after a failed
 * open. */
void stfi_outfile_discard(stfi_outfile *out);

#endif
