/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernel sources, embedded in the library by build-aux/embed.sh: what the
 * run-time compilers are given, and, by families (family.h), part of a
 * compiled kernel's cache key. */
#ifndef STFI_KERNELS_FILES_H
#define STFI_KERNELS_FILES_H

#include <stddef.h>

typedef struct stfi_gpu_file {
    const char *name; /* from the folder kernels/ on, as in their includes */
    const char *data; /* a NUL follows */
    size_t size;      /* without it */
} stfi_gpu_file;

/* A file with name NULL ends it. */
extern const stfi_gpu_file stfi_gpu_files[];

#endif
