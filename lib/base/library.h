/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Shared libraries of this process. Thread: any. */
#ifndef STFI_BASE_LIBRARY_H
#define STFI_BASE_LIBRARY_H

#include <stddef.h>

/* Writes the absolute path, without symbolic links, of the library that has a
 * function. Returns 0 if it is not known or too long. */
int stfi_library_path(void (*function)(void), char *path, size_t capacity);

#endif
