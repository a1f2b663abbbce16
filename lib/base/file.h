/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Whole files: read, and replaced so that a reader finds the old contents or the
 * new ones, never a part, whatever fails. Thread: any. */
#ifndef STFI_BASE_FILE_H
#define STFI_BASE_FILE_H

#include <stdint.h>
#include <sys/types.h>

/* Reads bytes from an offset; returns 0 if not all are there. */
int stfi_file_read(int fd, void *to, uint64_t bytes, off_t offset);

/* Bytes to be written. */
typedef struct stfi_file_part {
    const void *data;
    size_t bytes;
} stfi_file_part;

/* Writes a file in an open folder under a name that begins with `temporary`, and
 * renames it to `name` when it is complete. Returns 0, or an errno after
 * removing what was written: EFBIG if the process may not write such files,
 * which would otherwise end it by a signal.
 *
 * There is no fsync(): a file that a crash of the machine cuts short has to be
 * noticed by its reader. */
int stfi_file_replace(int folder_fd, const char *temporary, const char *name,
                      mode_t mode, const stfi_file_part *part, int parts);

#endif
