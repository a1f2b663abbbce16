/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Memory with the data between two guards; see guarded.h. */
#include "tests/simt/guarded.h"

#include <string.h>
#include <sys/mman.h>

#include "tests/simt/sanitizer.h"

/* Block memory begins at a multiple of the front guard, as some units want it. */
enum { GUARD_BYTES = 1024, PAGE_BYTES = 4096, POISON = 0xff, CANARY = 0xa5 };

static size_t whole(size_t bytes)
{
    return (2 * GUARD_BYTES + bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* The bytes of the last page behind the data, which belong to the rear
 * guard. */
static size_t behind(size_t bytes)
{
    return whole(bytes) - GUARD_BYTES - bytes;
}

static char *page_of(void *data)
{
    return (char *)data - GUARD_BYTES;
}

static void set_guards(char *page, size_t bytes)
{
    memset(page, CANARY, GUARD_BYTES);
    memset(page + GUARD_BYTES + bytes, CANARY, behind(bytes));
}

static void forbid_guards(char *page, size_t bytes)
{
#if STFI_ASAN
    __asan_poison_memory_region(page, GUARD_BYTES);
    __asan_poison_memory_region(page + GUARD_BYTES + bytes, behind(bytes));
#else
    (void)page;
    (void)bytes;
#endif
}

static void allow(char *page, size_t bytes)
{
#if STFI_ASAN
    __asan_unpoison_memory_region(page, whole(bytes));
#else
    (void)page;
    (void)bytes;
#endif
}

void *stfi_guarded_alloc(size_t bytes)
{
    char *page;

    if (bytes > (size_t)-1 / 2)
        return NULL;
    page = mmap(NULL, whole(bytes), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return NULL;
    allow(page, bytes);
    memset(page + GUARD_BYTES, POISON, bytes);
    set_guards(page, bytes);
    forbid_guards(page, bytes);
    return page + GUARD_BYTES;
}

void stfi_guarded_free(void *data, size_t bytes)
{
    if (data == NULL)
        return;
    allow(page_of(data), bytes);
    munmap(page_of(data), whole(bytes));
}

static int intact(const char *guard, size_t bytes)
{
    size_t i;

    for (i = 0; i < bytes; i++)
        if ((unsigned char)guard[i] != CANARY)
            return 0;
    return 1;
}

int stfi_guarded_check(void *data, size_t bytes)
{
    char *page = page_of(data);
    int good;

    allow(page, bytes);
    good = intact(page, GUARD_BYTES)
           && intact(page + GUARD_BYTES + bytes, behind(bytes));
    if (!good)
        set_guards(page, bytes);
    forbid_guards(page, bytes);
    return good;
}

void stfi_guarded_lock(void *data, size_t bytes, int locked)
{
    mprotect(page_of(data), whole(bytes),
             locked ? PROT_NONE : PROT_READ | PROT_WRITE);
}
