/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Families of kernels: those that transform, those that also check what they
 * do, and those that check from input to output. A kernel is compiled from the
 * files that its family's entry file includes, and from no others, so that an
 * edit of one family leaves the cached kernels of the others as they are. */
#ifndef STFI_KERNELS_FAMILY_H
#define STFI_KERNELS_FAMILY_H

#include "base/hash.h"

/* The program to be compiled with the config.h of this text.
 * Thread: any. */
const char *stfi_gpu_program(const char *config);

/* The hash of the files that it includes, by names and contents. It is made
 * once for all kernels. Thread: any. */
stfi_hash stfi_gpu_family_hash(const char *config);

/* 1 if some family of this library has this hash. Thread: any. */
int stfi_gpu_family_known(stfi_hash sources);

#endif
