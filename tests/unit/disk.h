/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A disk that fails when a test wants it to: write() and renameat() of the C library
 * are replaced in programs that link disk.c. */
#ifndef STFI_UNIT_DISK_H
#define STFI_UNIT_DISK_H

#include <stddef.h>

typedef struct disk_state {
    long space;       /* bytes until the disk is full, -1: endless */
    size_t most;      /* the most bytes that one write takes; 0: all */
    int interrupts;   /* number of writes that a signal interrupts */
    int renames_fail; /* 1: for want of quota */
} disk_state;

/* How the next calls behave. */
extern disk_state disk;

#endif
