/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Whole files; see file.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { NAME_ATTEMPTS = 8, NAME_BYTES = 128 };

int stfi_file_read(int fd, void *to, uint64_t bytes, off_t offset)
{
    char *next = to;

    while (bytes > 0) {
        ssize_t got = pread(fd, next, bytes, offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 0;
        next += got;
        offset += got;
        bytes -= (uint64_t)got;
    }
    return 1;
}

/* Writes all bytes; returns 0 or an errno. */
static int write_all(int fd, const void *from, size_t bytes)
{
    const char *next = from;

    while (bytes > 0) {
        ssize_t put = write(fd, next, bytes);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put < 0 ? errno : ENOSPC;
        next += put;
        bytes -= (size_t)put;
    }
    return 0;
}

/* Creates a file under a name that no other thread or process uses, on this
 * host or another, and opens it as *fd_p. Returns 0 or an errno. */
static int make_temporary(int folder_fd, const char *temporary, mode_t mode,
                          char name[NAME_BYTES], int *fd_p)
{
    static atomic_uint made;
    int error = EEXIST;

    for (int i = 0; i < NAME_ATTEMPTS && error == EEXIST; i++) {
        struct timespec now = {0, 0};
        unsigned long long chance;

        clock_gettime(CLOCK_REALTIME, &now);
        /* The address is random from one start of a program to the next. */
        chance = (unsigned long long)now.tv_nsec * 0x9e3779b97f4a7c15u
                 ^ (unsigned long long)(uintptr_t)&now
                 ^ (unsigned long long)now.tv_sec << 32;
        snprintf(name, NAME_BYTES, "%s%ld-%u-%016llx", temporary,
                 (long)getpid(), atomic_fetch_add(&made, 1), chance);
        *fd_p = openat(folder_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                       mode);
        error = *fd_p < 0 ? errno : 0;
    }
    return error;
}

/* 1 if the parts would exceed the limit on the size of files. */
static int exceeds_limit(const stfi_file_part *part, int parts)
{
    struct rlimit limit;
    size_t bytes = 0;

    for (int i = 0; i < parts; i++)
        bytes += part[i].bytes;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0
           && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur;
}

/* The result of close() matters, since file servers may report a full disk only
 * then. */
int stfi_file_replace(int folder_fd, const char *temporary, const char *name,
                      mode_t mode, const stfi_file_part *part, int parts)
{
    char unfinished[NAME_BYTES];
    int fd, error;

    if (exceeds_limit(part, parts))
        return EFBIG;
    error = make_temporary(folder_fd, temporary, mode, unfinished, &fd);
    if (error != 0)
        return error;
    for (int i = 0; i < parts && error == 0; i++)
        error = write_all(fd, part[i].data, part[i].bytes);
    if (close(fd) != 0 && error == 0)
        error = errno;
    if (error == 0 && renameat(folder_fd, unfinished, folder_fd, name) != 0)
        error = errno;
    if (error != 0)
        unlinkat(folder_fd, unfinished, 0);
    return error;
}
