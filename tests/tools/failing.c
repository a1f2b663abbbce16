/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Lets one allocation of a program fail: a library to be loaded before all
 * others (LD_PRELOAD). The environment says which: $STF_FAIL_AT, where 1 is the
 * first that the program or the C library makes after the start. Those of other
 * libraries and of the loader are not counted, as they are not ours to bear. At
 * the end, their number is written to the file $STF_FAIL_COUNT. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* glibc's allocator under its other names. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void *__libc_memalign(size_t align, size_t bytes);

enum { PROGRAM, C_LIBRARY, OWNERS };

/* The addresses of the program and of the C library. */
static struct {
    uintptr_t begin, end;
} owners[OWNERS];
static long fail_at;
static atomic_long made;

static int find_owner(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    uintptr_t begin = UINTPTR_MAX, end = 0;
    int *objects = arg, which = -1;

    (void)bytes;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        begin = at < begin ? at : begin;
        at += info->dlpi_phdr[i].p_memsz;
        end = at > end ? at : end;
    }
    if ((*objects)++ == 0)
        which = PROGRAM;
    else if (strstr(info->dlpi_name, "/libc.so") != NULL)
        which = C_LIBRARY;
    if (which >= 0) {
        owners[which].begin = begin;
        owners[which].end = end;
    }
    return 0;
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("STF_FAIL_AT");
    int objects = 0;

    dl_iterate_phdr(find_owner, &objects);
    fail_at = text != NULL ? atol(text) : 0;
    atomic_store(&made, 0);
}

__attribute__((destructor)) static void finish(void)
{
    const char *path = getenv("STF_FAIL_COUNT");
    long count = atomic_load(&made);
    FILE *file = path != NULL ? fopen(path, "w") : NULL;

    if (file != NULL) {
        fprintf(file, "%ld\n", count);
        fclose(file);
    }
}

/* 1 if the call, which returns to that address, has to fail. */
static int fails(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;

    for (int i = 0; i < OWNERS; i++)
        if (owners[i].begin <= at && at < owners[i].end
            && atomic_fetch_add(&made, 1) + 1 == fail_at) {
            errno = ENOMEM;
            return 1;
        }
    return 0;
}

#define FAILS fails(__builtin_return_address(0))

void *malloc(size_t bytes)
{
    return FAILS ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return FAILS ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return FAILS ? NULL : __libc_realloc(old, bytes);
}

void *memalign(size_t align, size_t bytes)
{
    return FAILS ? NULL : __libc_memalign(align, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
    return FAILS ? NULL : __libc_memalign(align, bytes);
}

int posix_memalign(void **ptr_p, size_t align, size_t bytes)
{
    void *ptr = FAILS ? NULL : __libc_memalign(align, bytes);

    if (ptr != NULL)
        *ptr_p = ptr;
    return ptr != NULL ? 0 : ENOMEM;
}
