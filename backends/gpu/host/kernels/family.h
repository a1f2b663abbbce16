/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Families of kernels: transforms, protected transforms, and end-to-end checks.
 * A kernel is compiled only from the files that its family's entry file
 * includes, so that an edit of one family does not invalidate the cached
 * kernels of the others. */
#ifndef STFI_KERNELS_FAMILY_H
#define STFI_KERNELS_FAMILY_H

#include "base/hash.h"

/* The hash of a family covers so many embedded files at most;
 * tests/unit/cuda_rtc.t fails if there are more. */
enum { STFI_GPU_MOST_FILES = 128 };

/* The program that is compiled with this text as config.h. Thread: any. */
const char *stfi_gpu_program(const char *config);

/* The hash of the names and contents of the files that this program includes.
 * It is computed once per process. Thread: any. */
stfi_hash stfi_gpu_family_hash(const char *config);

/* 1 if some family of this library has this hash. Thread: any. */
int stfi_gpu_family_known(stfi_hash sources);

#endif
