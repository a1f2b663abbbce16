/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernel cache on disk. Every byte of an entry is verified when it is read.
 * An entry that is damaged, of another format, made from other sources or by
 * another user is treated as absent, and the next write replaces it. If the
 * cache cannot be used (no directory, no space, no permission), nothing is
 * cached, which is no error.
 *
 * Any number of processes, also on several hosts, may use one directory: an
 * entry is written under a temporary name and renamed when it is complete. A
 * process that reads an entry while it is replaced goes on reading the old
 * one.
 *
 * Thread: any. */
#ifndef STFI_CACHE_CACHE_H
#define STFI_CACHE_CACHE_H

#include "backends/gpu/host/cache/cache_dir.h"
#include "backends/gpu/host/cache/cache_entry.h"

/* Looks for an entry in the user's cache, then in the sites' caches. An
 * entry of the user's cache must be made by the compiler that `wanted`
 * names, if it names one, since a user with a new compiler wants its code.
 * An entry of a site's cache may be made by any compiler, since it was
 * installed on purpose, for this library's sources, so that users need not
 * compile. *image_p is freed by stfi_dealloc(). Errors: MEMORY. */
stf_status stfi_cache_read(const stfi_cache_head *wanted, void **image_p,
                           size_t *bytes_p, int *found_p);

/* Writes an entry to the user's cache, if possible. `head` need not be
 * sealed. */
void stfi_cache_write(const stfi_cache_head *head, const void *image,
                      size_t bytes);

/* Writes an entry to a directory that `make` fills. Errors: IO. */
stf_status stfi_cache_build(const char *directory, const stfi_cache_head *head,
                            const void *image, size_t bytes);

/* As stfi_cache_read(), for a directory that `make` fills. */
stf_status stfi_cache_built(const char *directory,
                            const stfi_cache_head *wanted, void **image_p,
                            size_t *bytes_p, int *found_p);

typedef enum stfi_cache_state {
    STFI_CACHE_OK,
    STFI_CACHE_STALE,   /* from other sources or another version */
    STFI_CACHE_DAMAGED, /* damaged or not to be trusted */
    STFI_CACHE_PARTIAL  /* being written, or left by a killed writer */
} stfi_cache_state;

/* The state of a file in a cache. *head_p is zeroed unless the state is OK or
 * STALE. */
stfi_cache_state stfi_cache_inspect(stfi_cache_kind kind,
                                    const stfi_cache_file *file,
                                    stfi_cache_head *head_p);

/* ---------------------------------------------------------- keeping order */

/* The largest size of the user's cache, in bytes: $STEADFAST_CACHE_MAX_MB, or
 * 256 MB without it. Errors: ARGUMENT. */
stf_status stfi_cache_limit(int64_t *bytes_p);

/* Called after each write. Once in a while it removes temporary files that are
 * older than a day and, if the cache is too large, the entries that have not
 * been used for the longest time. Two processes may do so at once. */
void stfi_cache_tidy(int place_fd);

/* Removes all of the library's files from the user's cache.
 * Errors: IO, if something cannot be removed. */
stf_status stfi_cache_clear(stfi_cache_place *place, int64_t *files_p,
                            int64_t *bytes_p);

#endif
