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
#include "base/folder.h"

#ifndef STF_SITE_CACHE
#define STF_SITE_CACHE ""
#endif

/* A site's tree may contain symbolic links, and may be written to by a group,
 * too: see cache_dir.h. */
static const stfi_folder_rules rules[STFI_CACHE_KINDS] = {
    [STFI_CACHE_USER] = STFI_FOLDER_OWN,
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
    stfi_folder_find(place_p->path, sizeof place_p->path, place_p->reason,
                     sizeof place_p->reason);
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

int stfi_cache_place_open(stfi_cache_place *place, int make)
{
    return place->reason[0] != '\0'
               ? -1
               : stfi_folder_open(&rules[place->kind], place->path, make,
                                  place->reason, sizeof place->reason,
                                  &place->absent);
}

int stfi_cache_folder_open(stfi_cache_kind kind, int place_fd, const char *name,
                           int make)
{
    struct stat st;

    if (make)
        mkdirat(place_fd, name, rules[kind].folder_mode);
    return stfi_folder_open_below(&rules[kind], place_fd, name, S_IFDIR, &st);
}

int stfi_cache_file_open(stfi_cache_kind kind, int folder_fd, const char *name,
                         struct stat *st_p)
{
    return stfi_folder_open_below(&rules[kind], folder_fd, name, S_IFREG, st_p);
}

const stfi_folder_rules *stfi_cache_rules(stfi_cache_kind kind)
{
    return &rules[kind];
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
