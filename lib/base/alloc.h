/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Host memory of the library: aligned, counted, and able to fail on demand so
 * that tests reach every out-of-memory path. */
#ifndef STFI_BASE_ALLOC_H
#define STFI_BASE_ALLOC_H

#include <stddef.h>

#include "steadfast.h"

enum { STFI_ALIGN = 64 };

/* Allocates bytes aligned to STFI_ALIGN, zeroed; 0 bytes yields a valid
 * pointer. Many bytes are advised to lie on huge pages, where the system has them.
 * Errors: MEMORY (recorded, naming `what`). Thread: any. */
stf_status stfi_alloc(size_t bytes, const char *what, void **ptr_p);

/* As stfi_alloc(), but the memory is not zeroed: for large buffers. */
stf_status stfi_alloc_raw(size_t bytes, const char *what, void **ptr_p);

/* Frees; NULL is a no-op. */
void stfi_dealloc(void *ptr);

/* Computes a * b * c into *bytes_p. Errors: MEMORY if the product overflows. */
stf_status stfi_bytes(size_t a, size_t b, size_t c, const char *what,
                      size_t *bytes_p);

/* For tests: lets the calling thread's allocation number `countdown` from now
 * on fail, once (1 = the next); 0 switches this off. Returns how many
 * allocations the thread has made since the last call. */
long stfi_alloc_fail_at(long countdown);

#endif
