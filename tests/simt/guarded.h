/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Memory of the emulated device: overruns are found, by the address sanitizer
 * at once, else, if they are writes nearby, by a look at what lies beside it;
 * and the host cannot touch it unless it is unlocked. */
#ifndef STFI_TESTS_SIMT_GUARDED_H
#define STFI_TESTS_SIMT_GUARDED_H

#include <stddef.h>

/* Unlocked memory aligned to 64 bytes, all bits set, which is a NaN in every
 * precision. NULL if there is none. */
void *stfi_guarded_alloc(size_t bytes);
void stfi_guarded_free(void *data, size_t bytes);

/* 0 if something was written beside it, which is mended. */
int stfi_guarded_check(void *data, size_t bytes);

/* Allows or forbids access. */
void stfi_guarded_lock(void *data, size_t bytes, int locked);

#endif
