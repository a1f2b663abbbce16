/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernel sources, which build-aux/embed.sh embeds in the library. The
 * run-time compilers get them, and the hash of a family's files (family.h) is
 * part of a compiled kernel's cache key. */
#ifndef STFI_KERNELS_FILES_H
#define STFI_KERNELS_FILES_H

#include <stddef.h>

typedef struct stfi_gpu_file {
    const char *name; /* relative to the folder kernels/, as in includes */
    const char *data; /* text, followed by a NUL */
    size_t size;      /* bytes without the NUL */
} stfi_gpu_file;

/* All kernel sources; the last entry has the name NULL. */
extern const stfi_gpu_file stfi_gpu_files[];

#endif
