/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Output files that appear whole or not at all: they are written under a
 * temporary name beside the target, and renamed when they are complete. A file
 * that is there already passes its owner, its mode and its access control list
 * on to the new one; it stays as it is until that moment, whatever happens, and
 * a signal that ends the process leaves no temporary file.
 *
 * Devices and pipes, and whatever standard output is, are written directly. */
#ifndef STFI_FILE_OUTFILE_H
#define STFI_FILE_OUTFILE_H

#include <stdio.h>

#include "steadfast.h"

/* One of these may be open at a time, and it must not be moved. */
typedef struct stfi_outfile {
    FILE *stream;      /* for text, which is kept until the commit and
                          * follows what was written; NULL: not open */
    char *text;        /* what the stream holds */
    size_t text_bytes; /* its length */
    int fd, error;     /* the first errno of a write that failed, or 0 */
    char *path;        /* the target, after symbolic links */
    char *temporary;   /* NULL: written directly */
} stfi_outfile;

/* Tells before any work whether an output may have this name. Refused are names
 * in no folder, folders, files that may not be written to, symbolic links to
 * nothing, and files with several hard links, which renaming would tear apart.
 * Errors: IO (the message names the path and why). */
stf_status stfi_outfile_check(const char *path);

/* 1 if two paths name one file, which may not be there yet, through whatever
 * links. Devices of characters, such as /dev/null, are never the same. */
int stfi_outfile_same(const char *a, const char *b);

/* 1 if the path names the pipe or file that standard output goes to. */
int stfi_outfile_is_stdout(const char *path);

/* Checks the path and opens the temporary file. Errors: IO (also if the new
 * file cannot have the owner of the old one), MEMORY. */
stf_status stfi_outfile_open(const char *path, stfi_outfile *out_p);

/* Writes bytes. What fails is reported by the commit. */
void stfi_outfile_write(stfi_outfile *out, const void *from, size_t bytes);

/* Writes the stream's text, closes and renames. Errors: IO, MEMORY; the
 * temporary file is then removed. */
stf_status stfi_outfile_commit(stfi_outfile *out);

/* Closes and removes what was written; may also be called after a failed
 * open, and with a zeroed struct. */
void stfi_outfile_discard(stfi_outfile *out);

#endif
