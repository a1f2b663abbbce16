/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Folders of the library's files; see folder.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "base/folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"

enum { PATH_BYTES = 4096 };

int stfi_folder_find(char *path, size_t capacity, char *reason,
                     size_t reason_capacity)
{
    static const struct {
        const char *variable, *tail;
        int absolute; /* 1: ignored if relative, as the XDG rules demand */
    } rows[] = {
        {"STEADFAST_CACHE_DIR", "", 0},
        {"XDG_CACHE_HOME", "/steadfast", 1},
        {"HOME", "/.cache/steadfast", 1},
    };
    const char *why = "STEADFAST_CACHE_DIR, XDG_CACHE_HOME and HOME are not "
                      "set";

    if (!stfi_env_is_trusted()) {
        snprintf(reason, reason_capacity,
                 "the program runs with the rights of another user");
        return 0;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *value = stfi_env_get(rows[i].variable);

        if (value == NULL || (rows[i].absolute && value[0] != '/'))
            continue;
        if (snprintf(path, capacity, "%s%s", value, rows[i].tail)
            < (int)capacity)
            return 1;
        why = "its path is too long";
        break;
    }
    snprintf(reason, reason_capacity, "%s", why);
    return 0;
}

const char *stfi_folder_distrust(const stfi_folder_rules *rules,
                                 const struct stat *st)
{
    if (rules->owned && st->st_uid != geteuid())
        return "it belongs to another user";
    if ((st->st_mode & rules->refused) != 0)
        return "others may write to it";
    return NULL;
}

/* Creates a directory and those above it. Errors are ignored here, since
 * opening the directory will fail then. */
static void make_path(const char *path, mode_t mode)
{
    char part[PATH_BYTES];

    for (size_t i = 1; path[i] != '\0' && i < sizeof part; i++)
        if (path[i] == '/') {
            memcpy(part, path, i);
            part[i] = '\0';
            mkdir(part, mode);
        }
    mkdir(path, mode);
}

int stfi_folder_open(const stfi_folder_rules *rules, const char *path, int make,
                     char *reason, size_t capacity, int *absent_p)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC };
    const char *why;
    struct stat st;
    int fd;

    fd = open(path, FLAGS);
    if (fd < 0 && errno == ENOENT && make) {
        make_path(path, rules->folder_mode);
        fd = open(path, FLAGS);
    }
    *absent_p = fd < 0 && errno == ENOENT;
    if (fd < 0 || fstat(fd, &st) != 0)
        why = *absent_p ? "it is not there" : strerror(errno);
    else
        why = stfi_folder_distrust(rules, &st);
    if (why == NULL)
        return fd;
    snprintf(reason, capacity, "%s", why);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* O_NONBLOCK is there because opening a FIFO could block for ever. */
int stfi_folder_open_below(const stfi_folder_rules *rules, int fd,
                           const char *name, mode_t type, struct stat *st_p)
{
    int below =
        openat(fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | rules->no_links);

    if (below >= 0 && fstat(below, st_p) == 0
        && (st_p->st_mode & S_IFMT) == type
        && stfi_folder_distrust(rules, st_p) == NULL)
        return below;
    if (below >= 0) {
        close(below);
        errno = EPERM;
    }
    return -1;
}
