/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The memory of one emulated device: its allocations, which can be saved,
 * restored and compared as a whole. Thread: one at a time. */
#ifndef STFI_TESTS_SIMT_MEMORY_H
#define STFI_TESTS_SIMT_MEMORY_H

#include <stddef.h>

typedef struct stfi_simt_block {
    struct stfi_simt_block *next;
    void *data;
    size_t bytes;
} stfi_simt_block;

typedef struct stfi_simt_memory {
    stfi_simt_block *first;
} stfi_simt_memory;

/* Allocates and locks; NULL if there is no memory. */
void *stfi_simt_memory_add(stfi_simt_memory *m, size_t bytes);

/* Frees an allocation; returns 0 if there is none at `data`. */
int stfi_simt_memory_remove(stfi_simt_memory *m, void *data);
void stfi_simt_memory_clear(stfi_simt_memory *m);

/* 1 if all of the bytes lie in one allocation. */
int stfi_simt_memory_has(const stfi_simt_memory *m, const void *data,
                         size_t bytes);

/* Forbids the host's access to all of it, or allows it. */
void stfi_simt_memory_lock(const stfi_simt_memory *m, int locked);

/* Returns 0 if a guard of an allocation was written to. The memory must be
 * unlocked. */
int stfi_simt_memory_check(const stfi_simt_memory *m);

/* Copies all contents, to be freed by free(); NULL if there is no memory. Here
 * and in the next two functions the memory must be unlocked. */
char *stfi_simt_memory_save(const stfi_simt_memory *m);
void stfi_simt_memory_restore(const stfi_simt_memory *m, const char *saved);

/* Returns 0 if the contents differ from a saved copy, first at byte *offset_p
 * of an allocation. */
int stfi_simt_memory_equals(const stfi_simt_memory *m, const char *saved,
                            size_t *offset_p);

#endif
