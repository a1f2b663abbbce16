/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the run-time compilers of all vendors take, and how what they say becomes
 * an error message. */
#ifndef STFI_KERNELS_SOURCE_H
#define STFI_KERNELS_SOURCE_H

#include "backends/gpu/host/kernels/family.h"
#include "backends/gpu/host/kernels/files.h"
#include "base/status.h"

/* A program to compile and the files that it may include: `files`, of which the
 * last has the name NULL, and `config` under the name config.h. */
typedef struct stfi_gpu_source {
    const char *program;
    const stfi_gpu_file *files;
    const char *config;
} stfi_gpu_source;

/* The kernel sources of the library with this text as config.h. */
stfi_gpu_source stfi_gpu_source_of(const char *config);

/* The files that a program may include, config.h and the kernels' own, as two
 * lists. */
enum { STFI_GPU_MOST_HEADERS = STFI_GPU_MOST_FILES + 1 };
typedef struct stfi_gpu_headers {
    int count;
    const char *text[STFI_GPU_MOST_HEADERS], *name[STFI_GPU_MOST_HEADERS];
} stfi_gpu_headers;

/* Errors: INTERNAL (more files than there is room for). */
stf_status stfi_gpu_headers_of(const stfi_gpu_source *source,
                               stfi_gpu_headers *headers_p);

/* Finds the first error message in a compiler's log, with the source line that
 * follows it, or the first two lines of the log if none contains "error".
 * Returns them as one line; the log is changed. */
const char *stfi_gpu_log_line(char *log);

#endif
