/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Files of wisdom; see user_file.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "wisdom/user_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/file.h"
#include "base/status.h"

static const char TEMPORARY[] = ".stfw-";

/* How long to wait for another process that adds to the file, which takes
 * milliseconds. */
enum { LOCK_TRIES = 1000, LOCK_NANOSECONDS = 2000000 };

/* ------------------------------------------------------------------ places */

/* A file that was named on purpose may belong to others, who are trusted then,
 * but not to everybody. */
static const stfi_folder_rules own = STFI_FOLDER_OWN,
                               named = {0700, 0600, S_IWOTH, 0, 0};

/* Splits a path into the folder and the name. */
static void split_path(const char *path, stfi_wisdom_place *place)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t length = slash == NULL   ? 0
                    : slash == path ? 1
                                    : (size_t)(slash - path);

    if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        snprintf(place->reason, sizeof place->reason, "it is no file's name");
    else if (length >= sizeof place->folder
             || strlen(name) >= sizeof place->name)
        snprintf(place->reason, sizeof place->reason, "its path is too long");
    else {
        snprintf(place->folder, sizeof place->folder, "%.*s",
                 length > 0 ? (int)length : 1, length > 0 ? path : ".");
        snprintf(place->name, sizeof place->name, "%s", name);
    }
}

void stfi_wisdom_place_find(stfi_wisdom_place *place_p)
{
    const char *path = stfi_env_get("STEADFAST_WISDOM");

    memset(place_p, 0, sizeof *place_p);
    place_p->rules = own;
    if (path != NULL && strcmp(path, "off") == 0) {
        place_p->off = 1;
        snprintf(place_p->reason, sizeof place_p->reason,
                 "switched off by STEADFAST_WISDOM=off");
    } else if (path != NULL && stfi_env_is_trusted()) {
        place_p->rules = named;
        split_path(path, place_p);
    } else if (stfi_folder_find(place_p->folder, sizeof place_p->folder,
                                place_p->reason, sizeof place_p->reason)) {
        snprintf(place_p->name, sizeof place_p->name, "wisdom");
    }
}

static int open_folder(stfi_wisdom_place *place, int make)
{
    return place->reason[0] != '\0'
               ? -1
               : stfi_folder_open(&place->rules, place->folder, make,
                                  place->reason, sizeof place->reason,
                                  &place->absent);
}

/* ----------------------------------------------------------------- reading */

/* Adds what is in an open file to the list. */
static stf_status read_open(int fd, const struct stat *st,
                            stfi_wisdom_list *list, stfi_wisdom_tally *tally_p)
{
    void *text;
    stf_status status;

    *tally_p = (stfi_wisdom_tally){0, 0, 0};
    if (st->st_size == 0)
        return STF_OK; /* as a new file is that another program has made */
    if (st->st_size > STFI_WISDOM_MOST_BYTES)
        return stfi_error(STF_ERR_ARGUMENT,
                          "it has %lld bytes; wisdom has at most %d",
                          (long long)st->st_size, STFI_WISDOM_MOST_BYTES);
    status = stfi_alloc_raw((size_t)st->st_size, "wisdom", &text);
    if (status != STF_OK)
        return status;
    if (stfi_file_read(fd, text, (uint64_t)st->st_size, 0))
        status =
            stfi_wisdom_list_read(list, text, (size_t)st->st_size, tally_p);
    else
        status = stfi_error(STF_ERR_IO, "it cannot be read");
    stfi_dealloc(text);
    return status;
}

/* As stfi_wisdom_place_read(), in an open folder. */
static stf_status read_below(stfi_wisdom_place *place, int folder_fd,
                             stfi_wisdom_list *list, stfi_wisdom_tally *tally_p)
{
    struct stat st;
    int fd = stfi_folder_open_below(&place->rules, folder_fd, place->name,
                                    S_IFREG, &st);
    const char *why = "it is no file, or others may write to it";
    stf_status status;

    if (fd < 0) {
        place->absent = errno == ENOENT;
        if (errno != EPERM)
            why = place->absent ? "it is not there" : strerror(errno);
        snprintf(place->reason, sizeof place->reason, "%s", why);
        return STF_OK;
    }
    status = read_open(fd, &st, list, tally_p);
    close(fd);
    if (status == STF_OK || status == STF_ERR_MEMORY)
        return status;
    snprintf(place->reason, sizeof place->reason, "%.*s",
             (int)sizeof place->reason - 1, stf_error_message());
    return STF_OK;
}

stf_status stfi_wisdom_place_read(stfi_wisdom_place *place,
                                  stfi_wisdom_list *list,
                                  stfi_wisdom_tally *tally_p)
{
    int fd = open_folder(place, 0);
    stf_status status = STF_OK;

    *tally_p = (stfi_wisdom_tally){0, 0, 0};
    if (fd < 0)
        return STF_OK;
    status = read_below(place, fd, list, tally_p);
    close(fd);
    return status;
}

/* ----------------------------------------------------------------- writing */

/* Waits for the lock beside the file. Returns its descriptor, which has the lock
 * until it is closed, or -1 with a reason. Where a file system has no locks, the
 * file is written without one, and is whole all the same. */
static int take_lock(stfi_wisdom_place *place, int folder_fd)
{
    const struct timespec pause = {0, LOCK_NANOSECONDS};
    char name[sizeof place->name + 8];
    int fd;

    snprintf(name, sizeof name, ".%s.lock", place->name);
    fd = openat(folder_fd, name,
                O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                place->rules.file_mode);
    if (fd < 0) {
        snprintf(place->reason, sizeof place->reason, "%s", strerror(errno));
        return -1;
    }
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0
            || (errno != EWOULDBLOCK && errno != EINTR))
            return fd;
        nanosleep(&pause, NULL);
    }
    snprintf(place->reason, sizeof place->reason,
             "another process holds its lock");
    close(fd);
    return -1;
}

/* Prints the list into memory that is to be freed. */
static stf_status print_list(const stfi_wisdom_list *list, char **text_p,
                             size_t *bytes_p)
{
    size_t bytes = stfi_wisdom_list_print(list, NULL, 0);
    void *text;
    stf_status status = stfi_alloc_raw(bytes + 1, "wisdom", &text);

    if (status != STF_OK)
        return status;
    stfi_wisdom_list_print(list, text, bytes + 1);
    *text_p = text;
    *bytes_p = bytes;
    return STF_OK;
}

/* Replaces a file in an open folder by a list; *error_p gets 0 or an errno. */
static stf_status replace(int folder_fd, const char *name, mode_t mode,
                          const stfi_wisdom_list *list, int *error_p)
{
    char *text;
    size_t bytes;
    stf_status status = print_list(list, &text, &bytes);

    if (status != STF_OK)
        return status;
    *error_p = stfi_file_replace(folder_fd, TEMPORARY, name, mode,
                                 &(const stfi_file_part){text, bytes}, 1);
    stfi_dealloc(text);
    return STF_OK;
}

static stf_status complain(const stfi_wisdom_place *place)
{
    return stfi_error(STF_ERR_IO, "wisdom cannot be kept in %s/%s: %s",
                      place->folder, place->name, place->reason);
}

/* Adds to the file (NULL: removes everything), whose folder is open and locked.
 * Lines that are not understood go. A file that is no wisdom at all stays as it
 * is: it may be something else, or of a later version. */
static stf_status change_locked(stfi_wisdom_place *place, int folder_fd,
                                const stfi_wisdom_list *add)
{
    stfi_wisdom_list all = {0, 0, 0, NULL};
    stfi_wisdom_tally tally;
    stf_status status = STF_OK;
    int error = 0;

    if (add != NULL)
        status = read_below(place, folder_fd, &all, &tally);
    if (status == STF_OK && place->reason[0] != '\0' && !place->absent)
        status = complain(place);
    place->reason[0] = status == STF_ERR_IO ? place->reason[0] : '\0';
    if (status == STF_OK && add != NULL)
        status = stfi_wisdom_list_merge(&all, add);
    if (status == STF_OK)
        status = replace(folder_fd, place->name, place->rules.file_mode, &all,
                         &error);
    stfi_wisdom_list_clear(&all);
    if (status != STF_OK || error == 0)
        return status;
    snprintf(place->reason, sizeof place->reason, "%s", strerror(error));
    return complain(place);
}

static stf_status change_file(stfi_wisdom_place *place,
                              const stfi_wisdom_list *add)
{
    int fd = open_folder(place, add != NULL), lock;
    stf_status status;

    if (fd < 0)
        return complain(place);
    lock = take_lock(place, fd);
    status = lock < 0 ? complain(place) : change_locked(place, fd, add);
    if (lock >= 0)
        close(lock);
    close(fd);
    return status;
}

stf_status stfi_wisdom_place_merge(stfi_wisdom_place *place,
                                   const stfi_wisdom_list *list)
{
    return change_file(place, list);
}

stf_status stfi_wisdom_place_empty(stfi_wisdom_place *place)
{
    return change_file(place, NULL);
}

/* --------------------------------------------------------------- any files */

stf_status stfi_wisdom_read_file(const char *path, stfi_wisdom_list *list,
                                 stfi_wisdom_tally *tally_p)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    stf_status status;
    char why[STFI_WISDOM_REASON_BYTES];

    if (fd < 0 || fstat(fd, &st) != 0)
        status = stfi_error(STF_ERR_IO, "%s", strerror(errno));
    else if (!S_ISREG(st.st_mode))
        status = stfi_error(STF_ERR_IO, "it is no file");
    else
        status = read_open(fd, &st, list, tally_p);
    if (fd >= 0)
        close(fd);
    if (status == STF_OK || status == STF_ERR_MEMORY)
        return status;
    snprintf(why, sizeof why, "%s", stf_error_message());
    return stfi_error(status, "wisdom cannot be read from %s: %s", path, why);
}

/* The modes are those of any new file. */
stf_status stfi_wisdom_write_file(const char *path,
                                  const stfi_wisdom_list *list)
{
    stfi_wisdom_place place = {.reason = ""};
    stf_status status = STF_OK;
    int fd = -1, error = 0;

    split_path(path, &place);
    if (place.reason[0] == '\0') {
        fd = open(place.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
            error = errno;
        else
            status = replace(fd, place.name, 0666, list, &error);
    }
    if (fd >= 0)
        close(fd);
    if (status != STF_OK || (error == 0 && place.reason[0] == '\0'))
        return status;
    return stfi_error(STF_ERR_IO, "wisdom cannot be written to %s: %s", path,
                      error != 0 ? strerror(error) : place.reason);
}
