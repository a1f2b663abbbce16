/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The main path of a compiled CUDA kernel: what it runs if nothing has to be computed
 * again. Repairs are functions of their own, which the kernel calls; the main path is
 * what lies between its beginning and an end without such a call. */
#ifndef STFI_UNIT_CLEAN_PATH_H
#define STFI_UNIT_CLEAN_PATH_H

#include <stddef.h>

#include "steadfast.h"

typedef struct clean_path {
    int instructions; /* of the main path */
    int local;        /* those of them that access local memory */
} clean_path;

/* Reads the main path of an entry of a cubin. Errors: ARGUMENT (no such entry),
 * MEMORY. */
stf_status clean_path_read(const void *image, size_t bytes, const char *entry,
                           clean_path *path_p);

#endif
