/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Finds and opens the directories of the kernel cache; see cache_dir.h.
 * Everything below a place is opened relative to the place's descriptor, so
 * that the directory that was checked is the one that is used, even if
 * somebody changes the path meanwhile. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "backends/gpu/host/cache/cache_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/gpu/host/cache/cache_entry.h"
#include "base/env.h"

#ifndef STF_SITE_CACHE
#define STF_SITE_CACHE ""
#endif

/* The modes of new folders and files, and the conditions for existing ones.
 * A site's tree may contain symbolic links; in the user's tree, they could
 * lead to files of somebody else. A site's tree may be written to by a group,
 * too: see cache_dir.h. */
static const struct {
    mode_t folder_mode, file_mode;
    mode_t refused; /* mode bits that must not be set */
    int owned;      /* 1 if all must belong to the effective user */
    int no_links;   /* O_NOFOLLOW below the place, or 0 */
} rules[STFI_CACHE_KINDS] = {
    [STFI_CACHE_USER] = {0700, 0600, S_IWGRP | S_IWOTH, 1, O_NOFOLLOW},
    [STFI_CACHE_SITE] = {0, 0, S_IWOTH, 0, 0},
    [STFI_CACHE_BUILD] = {0777, 0666, 0, 0, 0},
};

/* ----------------------------------------------------------------- places */

/* Sets the path to the first bytes of `head` and all of `tail`, or sets a
 * reason if the path is too long. */
static void set_path(stfi_cache_place *place, const char *head,
                     size_t head_bytes, const char *tail)
{
    if (snprintf(place->path, sizeof place->path, "%.*s%s", (int)head_bytes,
                 head, tail)
        >= (int)sizeof place->path)
        snprintf(place->reason, sizeof place->reason, "its path is too long");
}

static void find_user(stfi_cache_place *place)
{
    static const struct {
        const char *variable, *tail;
        int absolute; /* 1: ignored if relative, as the XDG rules demand */
    } rows[] = {
        {"STEADFAST_CACHE_DIR", "", 0},
        {"XDG_CACHE_HOME", "/steadfast", 1},
        {"HOME", "/.cache/steadfast", 1},
    };

    if (!stfi_env_is_trusted()) {
        snprintf(place->reason, sizeof place->reason,
                 "the program runs with the rights of another user");
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *value = stfi_env_get(rows[i].variable);

        if (value == NULL || (rows[i].absolute && value[0] != '/'))
            continue;
        set_path(place, value, strlen(value), rows[i].tail);
        return;
    }
    snprintf(place->reason, sizeof place->reason,
             "STEADFAST_CACHE_DIR, XDG_CACHE_HOME and HOME are not set");
}

/* Clears what is known of a place, but not which one is next. */
static void begin_place(stfi_cache_place *place, stfi_cache_kind kind)
{
    place->kind = kind;
    place->path[0] = place->reason[0] = '\0';
    place->absent = 0;
}

static void switch_off(stfi_cache_place *place)
{
    const char *cache = stfi_env_get("STEADFAST_CACHE");

    if (cache != NULL && strcmp(cache, "off") == 0)
        snprintf(place->reason, sizeof place->reason,
                 "switched off by STEADFAST_CACHE=off");
}

void stfi_cache_place_first(stfi_cache_place *place_p)
{
    const char *list = stfi_env_get_trusted("STEADFAST_SITE_CACHE");

    begin_place(place_p, STFI_CACHE_USER);
    find_user(place_p);
    switch_off(place_p);
    place_p->rest = list != NULL ? list : "";
    place_p->lists = 1;
}

int stfi_cache_place_next(stfi_cache_place *place)
{
    size_t length;

    while ((place->rest += strspn(place->rest, ":"))[0] == '\0') {
        if (place->lists == 0)
            return 0;
        place->lists--;
        place->rest = STF_SITE_CACHE;
    }
    length = strcspn(place->rest, ":");
    begin_place(place, STFI_CACHE_SITE);
    set_path(place, place->rest, length, "");
    switch_off(place);
    place->rest += length;
    return 1;
}

/* ---------------------------------------------------------------- opening */

/* Returns why an opened file or directory cannot be trusted, or NULL if it
 * can. */
static const char *distrust(stfi_cache_kind kind, const struct stat *st)
{
    if (rules[kind].owned && st->st_uid != geteuid())
        return "it belongs to another user";
    if ((st->st_mode & rules[kind].refused) != 0)
        return "others may write to it";
    return NULL;
}

/* Creates a directory and those above it. Errors are ignored here, since
 * opening the directory will fail then. */
static void make_path(const char *path, mode_t mode)
{
    char part[STFI_CACHE_PATH_BYTES];

    for (size_t i = 1; path[i] != '\0' && i < sizeof part; i++)
        if (path[i] == '/') {
            memcpy(part, path, i);
            part[i] = '\0';
            mkdir(part, mode);
        }
    mkdir(path, mode);
}

int stfi_cache_place_open(stfi_cache_place *place, int make)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC };
    const char *why;
    struct stat st;
    int fd;

    if (place->reason[0] != '\0')
        return -1;
    fd = open(place->path, FLAGS);
    if (fd < 0 && errno == ENOENT && make) {
        make_path(place->path, rules[place->kind].folder_mode);
        fd = open(place->path, FLAGS);
    }
    place->absent = fd < 0 && errno == ENOENT;
    if (fd < 0 || fstat(fd, &st) != 0)
        why = place->absent ? "it is not there" : strerror(errno);
    else
        why = distrust(place->kind, &st);
    if (why == NULL)
        return fd;
    snprintf(place->reason, sizeof place->reason, "%s", why);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Opens a file or folder, which must be of that type (S_IFDIR or S_IFREG) and
 * trusted. O_NONBLOCK is there because opening a FIFO could block for ever. */
static int open_below(stfi_cache_kind kind, int fd, const char *name,
                      mode_t type, struct stat *st_p)
{
    int below = openat(
        fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | rules[kind].no_links);

    if (below >= 0 && fstat(below, st_p) == 0
        && (st_p->st_mode & S_IFMT) == type && distrust(kind, st_p) == NULL)
        return below;
    if (below >= 0) {
        close(below);
        errno = EPERM;
    }
    return -1;
}

int stfi_cache_folder_open(stfi_cache_kind kind, int place_fd, const char *name,
                           int make)
{
    struct stat st;

    if (make)
        mkdirat(place_fd, name, rules[kind].folder_mode);
    return open_below(kind, place_fd, name, S_IFDIR, &st);
}

int stfi_cache_file_open(stfi_cache_kind kind, int folder_fd, const char *name,
                         struct stat *st_p)
{
    return open_below(kind, folder_fd, name, S_IFREG, st_p);
}

int stfi_cache_file_make(stfi_cache_kind kind, int folder_fd, const char *name)
{
    return openat(folder_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  rules[kind].file_mode);
}

/* --------------------------------------------------------------- contents */

/* Opens a stream over the names in an open directory. The descriptor fd stays
 * open and is not used by the stream. */
static DIR *open_names(int fd)
{
    int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = again >= 0 ? fdopendir(again) : NULL;

    if (names == NULL && again >= 0)
        close(again);
    return names;
}

int stfi_cache_folders(stfi_cache_kind kind, int place_fd, const char *prefix,
                       stfi_cache_folder_visit *visit, void *arg)
{
    DIR *names = open_names(place_fd);
    struct dirent *d;
    int result = 0;

    if (names == NULL)
        return 0;
    while (result == 0 && (d = readdir(names)) != NULL) {
        int fd;

        if (d->d_name[0] == '.'
            || strncmp(d->d_name, prefix, strlen(prefix)) != 0)
            continue;
        fd = stfi_cache_folder_open(kind, place_fd, d->d_name, 0);
        if (fd < 0)
            continue;
        result = visit(arg, fd, d->d_name);
        close(fd);
    }
    closedir(names);
    return result;
}

typedef struct file_walk {
    stfi_cache_file file;
    stfi_cache_file_visit *visit;
    void *arg;
} file_walk;

static int walk_folder(void *arg, int folder_fd, const char *name)
{
    file_walk *walk = arg;
    DIR *names = open_names(folder_fd);
    struct dirent *d;
    int result = 0;

    if (names == NULL)
        return 0;
    walk->file.folder_fd = folder_fd;
    walk->file.folder = name;
    while (result == 0 && (d = readdir(names)) != NULL) {
        struct stat st;

        walk->file.temporary = stfi_cache_name_is_temporary(d->d_name);
        if ((!walk->file.temporary && !stfi_cache_name_is_entry(d->d_name))
            || fstatat(folder_fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0
            || S_ISDIR(st.st_mode))
            continue;
        walk->file.name = d->d_name;
        walk->file.bytes = st.st_size;
        walk->file.used = st.st_mtime;
        result = walk->visit(walk->arg, &walk->file);
    }
    closedir(names);
    return result;
}

int stfi_cache_files(stfi_cache_kind kind, int place_fd,
                     stfi_cache_file_visit *visit, void *arg)
{
    file_walk walk = {
        .file = {.place_fd = place_fd}, .visit = visit, .arg = arg};
    return stfi_cache_folders(kind, place_fd, "", walk_folder, &walk);
}
