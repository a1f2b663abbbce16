/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Aligned host memory; see alloc.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_HUGE_PAGES
#include <sys/mman.h>
#endif

#include "base/status.h"

/* Per thread, so that a test that injects failures disturbs nobody else. */
static _Thread_local long fail_countdown;
static _Thread_local long allocations;

long stfi_alloc_fail_at(long countdown)
{
    long made = allocations;
    fail_countdown = countdown;
    allocations = 0;
    return made;
}

static int injected_failure(void)
{
    allocations++;
    return fail_countdown > 0 && --fail_countdown == 0;
}

#ifdef HAVE_HUGE_PAGES
/* The size of a huge page of x86, and of ARM with pages of 4 KiB, and how many bytes
 * are worth them: fewer are within reach of what a processor remembers of small
 * pages (TLB). Where a huge page is larger, the advice changes little. */
enum { HUGE_BYTES = 2 << 20, LEAST_HUGE = 4 << 20 };

/* Memory on huge pages, where the system grants them: passes go through an array with
 * strides of many small pages. The part of a page at the end is not advised, so that
 * no more memory is taken than was asked for. Advice that is refused is no error. */
static void *huge(size_t bytes)
{
    size_t whole = bytes / HUGE_BYTES * HUGE_BYTES;
    void *ptr =
        aligned_alloc(HUGE_BYTES, whole < bytes ? whole + HUGE_BYTES : whole);

    if (ptr != NULL)
        (void)madvise(ptr, whole, MADV_HUGEPAGE);
    return ptr;
}
#endif

static void *allocate(size_t bytes)
{
#ifdef HAVE_HUGE_PAGES
    if (bytes >= LEAST_HUGE)
        return huge(bytes);
#endif
    return aligned_alloc(STFI_ALIGN, bytes);
}

stf_status stfi_alloc_raw(size_t bytes, const char *what, void **ptr_p)
{
    size_t rounded = (bytes + STFI_ALIGN - 1) / STFI_ALIGN * STFI_ALIGN;
    void *ptr = NULL;

    if (rounded < bytes || rounded > PTRDIFF_MAX)
        return stfi_error(STF_ERR_MEMORY,
                          "%s: %zu bytes do not fit into "
                          "memory",
                          what, bytes);
    if (rounded == 0)
        rounded = STFI_ALIGN;
    if (!injected_failure())
        ptr = allocate(rounded);
    if (ptr == NULL)
        return stfi_error(STF_ERR_MEMORY,
                          "out of memory: %zu bytes for %s; "
                          "use a smaller batch or fewer threads",
                          bytes, what);
    *ptr_p = ptr;
    return STF_OK;
}

stf_status stfi_alloc(size_t bytes, const char *what, void **ptr_p)
{
    stf_status status = stfi_alloc_raw(bytes, what, ptr_p);
    if (status == STF_OK)
        memset(*ptr_p, 0, bytes);
    return status;
}

void stfi_dealloc(void *ptr)
{
    free(ptr);
}

stf_status stfi_bytes(size_t a, size_t b, size_t c, const char *what,
                      size_t *bytes_p)
{
    size_t ab;
    if (b != 0 && a > SIZE_MAX / b)
        return stfi_error(STF_ERR_MEMORY, "%s: the size overflows", what);
    ab = a * b;
    if (c != 0 && ab > SIZE_MAX / c)
        return stfi_error(STF_ERR_MEMORY, "%s: the size overflows", what);
    *bytes_p = ab * c;
    return STF_OK;
}
