/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Calls of the C library that can fail on purpose; see disk.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "tests/unit/disk.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

disk_state disk = {.space = -1};

ssize_t write(int fd, const void *from, size_t bytes)
{
    struct iovec all = {(void *)(uintptr_t)from, bytes};

    if (disk.interrupts > 0) {
        disk.interrupts--;
        errno = EINTR;
        return -1;
    }
    if (disk.most > 0 && all.iov_len > disk.most)
        all.iov_len = disk.most;
    if (disk.space == 0) {
        errno = ENOSPC;
        return -1;
    }
    if (disk.space > 0 && all.iov_len > (size_t)disk.space)
        all.iov_len = (size_t)disk.space;
    if (disk.space > 0)
        disk.space -= (long)all.iov_len;
    return writev(fd, &all, 1);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
    if (disk.renames_fail) {
        errno = EDQUOT;
        return -1;
    }
    return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, 0);
}
