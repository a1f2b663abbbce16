/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Keeps the user's cache small and clean; see cache.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "backends/gpu/host/cache/cache.h"
#include "backends/gpu/host/cache/compiler_note.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/status.h"
#include "ft/weights/store.h"

enum {
    DAY_SECONDS = 86400,
    REST_SECONDS = 600, /* between two looks at a cache by any process */
    REST_WRITES = 16,   /* writes of this process after which it looks, too */
    DEFAULT_MB = 256,
    MOST_MB = 1 << 20
};

/* The time of this file is when a process last looked at the cache. */
static const char marker[] = ".tidied";

stf_status stfi_cache_limit(int64_t *bytes_p)
{
    long megabytes;
    stf_status status = stfi_env_int("STEADFAST_CACHE_MAX_MB", 0, MOST_MB,
                                     DEFAULT_MB, &megabytes);

    if (status == STF_OK)
        *bytes_p = (int64_t)megabytes * 1000000;
    return status;
}

/* ---------------------------------------------------------------- tidying */

typedef struct seen {
    char path[2 * STFI_CACHE_NAME_BYTES]; /* below the place */
    int64_t bytes, used;
} seen;

typedef struct seen_list {
    seen *item;
    size_t count, capacity;
    int64_t bytes;
    time_t now;
} seen_list;

static int grow(seen_list *list)
{
    size_t capacity = list->capacity > 0 ? 2 * list->capacity : 256;
    void *item;

    if (stfi_alloc_raw(capacity * sizeof *list->item,
                       "a list of cached "
                       "kernels",
                       &item)
        != STF_OK)
        return 0;
    if (list->count > 0)
        memcpy(item, list->item, list->count * sizeof *list->item);
    stfi_dealloc(list->item);
    list->item = item;
    list->capacity = capacity;
    return 1;
}

/* Lists an entry. Removes a temporary file that is older than a day, since no
 * process writes for that long: its writer was killed. Returns 1 to give up. */
static int see(void *arg, const stfi_cache_file *file)
{
    seen_list *list = arg;
    seen *s;

    if (file->temporary) {
        if (file->used < list->now - DAY_SECONDS)
            unlinkat(file->folder_fd, file->name, 0);
        return 0;
    }
    if (list->count == list->capacity && !grow(list))
        return 1;
    s = &list->item[list->count];
    if (snprintf(s->path, sizeof s->path, "%s/%s", file->folder, file->name)
        >= (int)sizeof s->path)
        return 0;
    s->bytes = file->bytes;
    s->used = file->used;
    list->bytes += file->bytes;
    list->count++;
    return 0;
}

static int by_use(const void *a, const void *b)
{
    const seen *x = a, *y = b;

    if (x->used != y->used)
        return x->used < y->used ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* Removes the entries that have not been used for the longest time until an
 * eighth of the limit is free, so that the next writes need not do it again. */
static void shrink(int place_fd, seen_list *list, int64_t limit)
{
    if (list->bytes <= limit)
        return;
    qsort(list->item, list->count, sizeof *list->item, by_use);
    for (size_t i = 0; i < list->count && list->bytes > limit - limit / 8;
         i++) {
        unlinkat(place_fd, list->item[i].path, 0);
        list->bytes -= list->item[i].bytes;
    }
}

static int is_due(int place_fd, time_t now)
{
    static atomic_uint writes;
    struct stat st;

    if (atomic_fetch_add(&writes, 1) % REST_WRITES == REST_WRITES - 1)
        return 1;
    return fstatat(place_fd, marker, &st, AT_SYMLINK_NOFOLLOW) != 0
           || st.st_mtime < now - REST_SECONDS
           || st.st_mtime > now + REST_SECONDS;
}

/* Sets the marker's time. This is done before the work, so that other processes
 * do not begin the same work. */
static void mark(int place_fd)
{
    int fd =
        openat(place_fd, marker,
               O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);

    if (fd < 0)
        return;
    futimens(fd, NULL);
    close(fd);
}

void stfi_cache_tidy(int place_fd)
{
    seen_list list = {.now = time(NULL)};
    int64_t limit;

    if (stfi_cache_limit(&limit) != STF_OK || !is_due(place_fd, list.now))
        return;
    mark(place_fd);
    if (stfi_cache_files(STFI_CACHE_USER, place_fd, see, &list) == 0)
        shrink(place_fd, &list, limit);
    stfi_dealloc(list.item);
}

/* --------------------------------------------------------------- clearing */

typedef struct removal {
    int64_t files, bytes;
    int error; /* errno of the last file that could not be removed */
} removal;

static int remove_file(void *arg, const stfi_cache_file *file)
{
    removal *r = arg;

    if (unlinkat(file->folder_fd, file->name, 0) == 0) {
        r->files++;
        r->bytes += file->bytes;
    } else if (errno != ENOENT) {
        r->error = errno;
    }
    return 0;
}

/* Removes a folder of the cache. This fails, as it should, if the folder is not
 * empty. */
static int remove_folder(void *arg, int folder_fd, const char *name)
{
    const int *place_fd = arg;

    (void)folder_fd;
    if (strchr(name, '-') != NULL)
        unlinkat(*place_fd, name, AT_REMOVEDIR);
    return 0;
}

stf_status stfi_cache_clear(stfi_cache_place *place, int64_t *files_p,
                            int64_t *bytes_p)
{
    removal r = {0, 0, 0};
    int fd = stfi_cache_place_open(place, 0);

    if (fd < 0)
        return stfi_error(STF_ERR_IO,
                          "the kernel cache %s cannot be "
                          "cleared: %s",
                          place->path, place->reason);
    stfi_cache_files(place->kind, fd, remove_file, &r);
    stfi_cache_folders(place->kind, fd, "", remove_folder, &fd);
    unlinkat(fd, marker, 0);
    stfi_compiler_forget(fd);
    stfi_ft_store_clear(fd);
    close(fd);
    if (r.error != 0)
        return stfi_error(STF_ERR_IO,
                          "not all of the kernel cache %s can be "
                          "removed: %s",
                          place->path, strerror(r.error));
    *files_p = r.files;
    *bytes_p = r.bytes;
    return STF_OK;
}
