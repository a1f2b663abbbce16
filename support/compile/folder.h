/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Private folders, in which compilers and disassemblers that are programs of
 * their own find and leave their files. Thread: any. */
#ifndef STFI_COMPILE_FOLDER_H
#define STFI_COMPILE_FOLDER_H

#include <stddef.h>

#include "steadfast.h"

enum { STFI_FOLDER_BYTES = 960 };

/* Makes a folder in $TMPDIR or /tmp that only the user may read. Errors:
 * COMPILE. */
stf_status stfi_folder_make(char path_p[STFI_FOLDER_BYTES]);

/* Removes a folder with all that is in it. */
void stfi_folder_remove(const char *path);

/* Writes a file of a folder. Errors: COMPILE. */
stf_status stfi_folder_write(const char *path, const char *name,
                             const void *data, size_t bytes);

/* Reads a file of a folder and adds a NUL; to be freed by stfi_dealloc().
 * Errors: COMPILE, MEMORY. */
stf_status stfi_folder_read(const char *path, const char *name, void **data_p,
                            size_t *bytes_p);

/* Fails with what the file "log" of a folder says first of an error, for the
 * kernel `name`. Errors: COMPILE. */
stf_status stfi_folder_complain(const char *path, const char *name);

#endif
