/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernel cache on disk. What is read was verified to its last byte; what
 * is damaged, of another format, made from other sources or by somebody else
 * is as if it were not there, and the next write replaces it. Trouble of any
 * kind (no directory, no space, no permission) means only that nothing is
 * cached.
 *
 * Any number of processes, on several hosts too, may use one directory: an
 * entry is written under a temporary name and renamed when complete, and who
 * reads while it is replaced goes on reading the old one.
 *
 * Thread: any. */
#ifndef STFI_CACHE_CACHE_H
#define STFI_CACHE_CACHE_H

#include "backends/gpu/host/cache/cache_dir.h"
#include "backends/gpu/host/cache/cache_entry.h"

/* Looks for an entry in the user's cache, then in the sites'. In the user's
 * it has to be of the compiler that `wanted` names, if it names one: whoever
 * changes the compiler wants what the new one makes. A site's is taken
 * whichever compiler made it: it was installed for this library's sources on
 * purpose, and is there to spare everyone the compiling.
 * *image_p is freed by stfi_dealloc(). Errors: MEMORY. */
stf_status stfi_cache_read(const stfi_cache_head *wanted, void **image_p,
                           size_t *bytes_p, int *found_p);

/* Puts an entry into the user's cache, if it can; `head` needs no seal. */
void stfi_cache_write(const stfi_cache_head *head, const void *image,
                      size_t bytes);

/* The same for a directory that `make` fills. Errors: IO. */
stf_status stfi_cache_build(const char *directory, const stfi_cache_head *head,
                            const void *image, size_t bytes);

/* Looks for an entry in such a directory, as stfi_cache_read(). */
stf_status stfi_cache_built(const char *directory,
                            const stfi_cache_head *wanted, void **image_p,
                            size_t *bytes_p, int *found_p);

typedef enum stfi_cache_state {
    STFI_CACHE_OK,
    STFI_CACHE_STALE,   /* of other sources or another version */
    STFI_CACHE_DAMAGED, /* or not to be trusted */
    STFI_CACHE_PARTIAL  /* being written, or left behind */
} stfi_cache_state;

/* What a file in a cache is; *head_p is zeroed unless OK or STALE. */
stfi_cache_state stfi_cache_inspect(stfi_cache_kind kind,
                                    const stfi_cache_file *file,
                                    stfi_cache_head *head_p);

/* ---------------------------------------------------------- keeping order */

/* Bytes that the user's cache may take: $STEADFAST_CACHE_MAX_MB, or 256 MB
 * without it. Errors: ARGUMENT. */
stf_status stfi_cache_limit(int64_t *bytes_p);

/* After a write: once in a while, removes what was left behind a day ago or
 * longer, and the entries that were not used for longest if there are too
 * many. Two processes doing so at once do no harm. */
void stfi_cache_tidy(int place_fd);

/* Removes all files of ours from the user's cache.
 * Errors: IO, when something cannot be removed. */
stf_status stfi_cache_clear(stfi_cache_place *place, int64_t *files_p,
                            int64_t *bytes_p);

#endif
