/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reads and writes cached kernels; see cache.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "backends/gpu/host/cache/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/status.h"

enum { DAY_SECONDS = 86400 };

/* ---------------------------------------------------------------- reading */

/* Returns 1 if the file begins with an undamaged head that states the true
 * length of the file and matches `wanted` (NULL: any). */
static int read_head(int fd, const struct stat *st,
                     const stfi_cache_head *wanted, stfi_cache_head *head_p)
{
    unsigned char bytes[STFI_CACHE_HEAD_BYTES];

    return st->st_size > STFI_CACHE_HEAD_BYTES
           && stfi_file_read(fd, bytes, sizeof bytes, 0)
           && stfi_cache_head_decode(bytes, head_p)
           && head_p->image_bytes
                  == (uint64_t)st->st_size - STFI_CACHE_HEAD_BYTES
           && (wanted == NULL || stfi_cache_head_matches(head_p, wanted));
}

/* Reads the image of an open entry; *found_p is 1 if it is undamaged. */
static stf_status read_image(int fd, const stfi_cache_head *head,
                             void **image_p, int *found_p)
{
    void *image;
    stf_status status =
        stfi_alloc_raw(head->image_bytes, "a cached kernel", &image);

    if (status != STF_OK)
        return status;
    *found_p =
        stfi_file_read(fd, image, head->image_bytes, STFI_CACHE_HEAD_BYTES)
        && stfi_hash_equal(head->image, stfi_hash_add(stfi_hash_begin(), image,
                                                      head->image_bytes));
    if (*found_p)
        *image_p = image;
    else
        stfi_dealloc(image);
    return STF_OK;
}

/* Sets the entry's time to show that it is in use. Once a day is enough, so
 * that not every read causes a write. A time in the future is corrected. */
static void touch(int fd, const struct stat *st)
{
    time_t now = time(NULL);

    if (st->st_mtime < now - DAY_SECONDS || st->st_mtime > now + DAY_SECONDS)
        futimens(fd, NULL);
}

/* A search for one entry in one place. */
typedef struct search {
    stfi_cache_kind kind;
    const stfi_cache_head *wanted;
    char file[STFI_CACHE_NAME_BYTES];
    stf_status status;
    stfi_cache_head head;
    void *image;
    int found;
} search;

/* Returns 1 when the search is over. */
static int search_folder(void *arg, int folder_fd, const char *name)
{
    search *s = arg;
    struct stat st;
    int fd = stfi_cache_file_open(s->kind, folder_fd, s->file, &st);

    (void)name;
    if (fd < 0)
        return 0;
    if (read_head(fd, &st, s->wanted, &s->head))
        s->status = read_image(fd, &s->head, &s->image, &s->found);
    if (s->found && s->kind == STFI_CACHE_USER)
        touch(fd, &st);
    close(fd);
    return s->found || s->status != STF_OK;
}

static void search_place(stfi_cache_place *place, search *s)
{
    char folder[STFI_CACHE_NAME_BYTES];
    int fd = stfi_cache_place_open(place, 0), folder_fd;

    if (fd < 0)
        return;
    stfi_cache_folder_name(s->wanted, folder);
    if (s->wanted->compiler[0] == '\0') {
        stfi_cache_folders(s->kind, fd, folder, search_folder, s);
    } else {
        folder_fd = stfi_cache_folder_open(s->kind, fd, folder, 0);
        if (folder_fd >= 0) {
            search_folder(s, folder_fd, folder);
            close(folder_fd);
        }
    }
    close(fd);
}

/* Passes the result of a search to the caller. */
static stf_status report_search(const search *s, void **image_p,
                                size_t *bytes_p, int *found_p)
{
    if (s->status != STF_OK)
        return s->status;
    *found_p = s->found;
    if (s->found) {
        *image_p = s->image;
        *bytes_p = s->head.image_bytes;
    }
    return STF_OK;
}

stf_status stfi_cache_read(const stfi_cache_head *wanted, void **image_p,
                           size_t *bytes_p, int *found_p)
{
    stfi_cache_head anyones = *wanted;
    stfi_cache_place place;
    search s = {.status = STF_OK};

    anyones.compiler[0] = '\0';
    stfi_cache_file_name(wanted, s.file);
    stfi_cache_place_first(&place);
    do {
        s.kind = place.kind;
        s.wanted = place.kind == STFI_CACHE_USER ? wanted : &anyones;
        search_place(&place, &s);
    } while (!s.found && s.status == STF_OK && stfi_cache_place_next(&place));
    return report_search(&s, image_p, bytes_p, found_p);
}

/* ---------------------------------------------------------------- writing */

/* Writes an entry; returns 0, or an errno after removing what was written. One
 * that is too large to be believed when it is read is not written. An entry that
 * is cut short by a crash fails its check when it is read. */
static int put_entry(stfi_cache_kind kind, int folder_fd,
                     const stfi_cache_head *unsealed, const void *image,
                     size_t bytes)
{
    unsigned char encoded[STFI_CACHE_HEAD_BYTES];
    char name[STFI_CACHE_NAME_BYTES];
    stfi_cache_head head = *unsealed;
    const stfi_file_part parts[] = {{encoded, sizeof encoded}, {image, bytes}};

    if (bytes > STFI_CACHE_IMAGE_BYTES)
        return EFBIG;
    stfi_cache_head_seal(&head, image, bytes);
    stfi_cache_head_encode(&head, encoded);
    stfi_cache_file_name(&head, name);
    return stfi_file_replace(folder_fd, STFI_CACHE_TEMPORARY, name,
                             stfi_cache_rules(kind)->file_mode, parts, 2);
}

/* Opens the entry's folder and writes the entry; returns 0 or an errno. */
static int put_below(stfi_cache_kind kind, int place_fd,
                     const stfi_cache_head *head, const void *image,
                     size_t bytes)
{
    char folder[STFI_CACHE_NAME_BYTES];
    int fd, error;

    stfi_cache_folder_name(head, folder);
    fd = stfi_cache_folder_open(kind, place_fd, folder, 1);
    if (fd < 0)
        return errno;
    error = put_entry(kind, fd, head, image, bytes);
    close(fd);
    return error;
}

void stfi_cache_write(const stfi_cache_head *head, const void *image,
                      size_t bytes)
{
    stfi_cache_place place;
    int64_t limit;
    int fd;

    stfi_cache_place_first(&place);
    if (bytes == 0 || stfi_cache_limit(&limit) != STF_OK
        || bytes + STFI_CACHE_HEAD_BYTES > (uint64_t)limit)
        return;
    fd = stfi_cache_place_open(&place, 1);
    if (fd < 0)
        return;
    if (put_below(STFI_CACHE_USER, fd, head, image, bytes) == 0)
        stfi_cache_tidy(fd);
    close(fd);
}

/* ------------------------------------------------------------ for `make` */

/* Makes the place of a directory that `make` fills; returns 0 if its path is
 * too long. */
static int build_place(const char *directory, stfi_cache_place *place_p)
{
    place_p->kind = STFI_CACHE_BUILD;
    place_p->reason[0] = '\0';
    return snprintf(place_p->path, sizeof place_p->path, "%s", directory)
           < (int)sizeof place_p->path;
}

stf_status stfi_cache_build(const char *directory, const stfi_cache_head *head,
                            const void *image, size_t bytes)
{
    stfi_cache_place place;
    int fd = -1, error;

    if (!build_place(directory, &place)
        || (fd = stfi_cache_place_open(&place, 1)) < 0)
        return stfi_error(STF_ERR_IO, "kernels cannot be put into %s: %s",
                          directory, place.reason);
    error = put_below(STFI_CACHE_BUILD, fd, head, image, bytes);
    close(fd);
    return error == 0 ? STF_OK
                      : stfi_error(STF_ERR_IO,
                                   "kernel %s cannot be written "
                                   "in %s: %s",
                                   head->entry, directory, strerror(error));
}

stf_status stfi_cache_built(const char *directory,
                            const stfi_cache_head *wanted, void **image_p,
                            size_t *bytes_p, int *found_p)
{
    stfi_cache_place place;
    search s = {.kind = STFI_CACHE_BUILD, .wanted = wanted, .status = STF_OK};

    stfi_cache_file_name(wanted, s.file);
    if (build_place(directory, &place))
        search_place(&place, &s);
    return report_search(&s, image_p, bytes_p, found_p);
}

/* ------------------------------------------------------------- inspecting */

/* 1 if the entry is where a search would look for it. */
static int in_its_place(const stfi_cache_file *file,
                        const stfi_cache_head *head)
{
    char folder[STFI_CACHE_NAME_BYTES], name[STFI_CACHE_NAME_BYTES];

    stfi_cache_folder_name(head, folder);
    stfi_cache_file_name(head, name);
    return strcmp(folder, file->folder) == 0 && strcmp(name, file->name) == 0;
}

stfi_cache_state stfi_cache_inspect(stfi_cache_kind kind,
                                    const stfi_cache_file *file,
                                    stfi_cache_head *head_p)
{
    stfi_cache_head head;
    struct stat st;
    void *image = NULL;
    int sound = 0, fd;

    memset(head_p, 0, sizeof *head_p);
    if (file->temporary)
        return STFI_CACHE_PARTIAL;
    fd = stfi_cache_file_open(kind, file->folder_fd, file->name, &st);
    if (fd < 0)
        return STFI_CACHE_DAMAGED;
    if (read_head(fd, &st, NULL, &head) && in_its_place(file, &head)
        && read_image(fd, &head, &image, &sound) != STF_OK)
        sound = 0;
    stfi_dealloc(image);
    close(fd);
    if (!sound)
        return STFI_CACHE_DAMAGED;
    *head_p = head;
    return stfi_cache_head_current(&head) ? STFI_CACHE_OK : STFI_CACHE_STALE;
}
