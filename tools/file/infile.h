/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Input files, which may be pipes: they are opened once, and read from the
 * beginning to the end. */
#ifndef STFI_FILE_INFILE_H
#define STFI_FILE_INFILE_H

#include <stdio.h>

#include "steadfast.h"

enum { STFI_INFILE_HEAD = 8 };

typedef struct stfi_infile {
    const char *path; /* for messages */
    FILE *stream;
    int64_t bytes;    /* of the whole file; < 0: a pipe or device, unknown */
    int64_t consumed; /* bytes that were read */
    unsigned char head[STFI_INFILE_HEAD];
    size_t head_bytes; /* of the first bytes, those that were looked at */
} stfi_infile;

/* Opens a file. Errors: IO (the message names the path and why), also for a
 * folder. */
stf_status stfi_infile_open(const char *path, stfi_infile *in_p);
void stfi_infile_close(stfi_infile *in);

/* Looks at the first bytes of the file, before any is read: in->head. Errors:
 * IO, also if there are none. */
stf_status stfi_infile_look(stfi_infile *in);

/* Reads bytes; returns how many, which are fewer at the end of the file or
 * after an error. */
size_t stfi_infile_read(stfi_infile *in, void *to, size_t bytes);

/* The error of what was read so far: OK or IO. */
stf_status stfi_infile_status(const stfi_infile *in);

/* Reads up to `bytes` into memory of `capacity` bytes or more, which is freed
 * by stfi_dealloc(). If the length of the file is unknown, the memory grows
 * with what there is to read, since `bytes` may be a claim; it may then be
 * smaller than `capacity` if *got_p < bytes. Errors: IO, MEMORY. */
stf_status stfi_infile_take(stfi_infile *in, size_t bytes, size_t capacity,
                            void **data_p, size_t *got_p);

#endif
