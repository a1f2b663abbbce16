/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Output files that appear whole or not at all: written under a temporary
 * name beside the target, and renamed when complete. */
#ifndef STFI_FILE_OUTFILE_H
#define STFI_FILE_OUTFILE_H

#include <stdio.h>

#include "steadfast.h"

typedef struct stfi_outfile {
    FILE *stream;    /* write here */
    char *path;      /* the target */
    char *temporary; /* NULL: a device or pipe, which is written directly */
} stfi_outfile;

/* Errors: IO (the message names the path and why), MEMORY. */
stf_status stfi_outfile_open(const char *path, stfi_outfile *out_p);

/* Closes and renames. Errors: IO, after which nothing is left behind. */
stf_status stfi_outfile_commit(stfi_outfile *out);

/* Closes and removes what was written; also after a failed open. */
void stfi_outfile_discard(stfi_outfile *out);

#endif
