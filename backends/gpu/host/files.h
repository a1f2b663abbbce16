/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernel sources of backends/gpu/kernels/, as they are embedded in the
 * library. */
#ifndef STFI_GPU_FILES_H
#define STFI_GPU_FILES_H

#include <stddef.h>

typedef struct stfi_gpu_file {
    const char *name;
    const unsigned char *data;
    size_t size;
} stfi_gpu_file;

extern const stfi_gpu_file stfi_gpu_files[]; /* ends with a NULL name */

#endif
