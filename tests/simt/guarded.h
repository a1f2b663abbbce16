/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Memory of the emulated device. Overruns are found: by the address sanitizer
 * at once; without it, writes nearby are found when the guards are looked at
 * later. The host cannot touch the memory unless it is unlocked. */
#ifndef STFI_TESTS_SIMT_GUARDED_H
#define STFI_TESTS_SIMT_GUARDED_H

#include <stddef.h>

/* Allocates unlocked memory aligned to 64 bytes, with all bits set, which is a
 * NaN in every precision. NULL if there is none. */
void *stfi_guarded_alloc(size_t bytes);
void stfi_guarded_free(void *data, size_t bytes);

/* Returns 0 if a guard was written to, and restores it. */
int stfi_guarded_check(void *data, size_t bytes);

/* Forbids the host's access (locked = 1) or allows it. */
void stfi_guarded_lock(void *data, size_t bytes, int locked);

#endif
