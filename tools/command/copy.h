/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How fast a device copies its own memory. A transform that reads and writes
 * everything once cannot be faster. */
#ifndef STFI_COMMAND_COPY_H
#define STFI_COMMAND_COPY_H

#include <stddef.h>

#include "steadfast.h"

enum { STFI_COPY_SIZES = 64 };

/* The bandwidths that have been measured, by size. */
typedef struct stfi_copies {
    int count;
    struct {
        size_t bytes;
        double bandwidth;
    } known[STFI_COPY_SIZES];
} stfi_copies;

/* The bandwidth of copying in bytes/s, read and written bytes together. On the
 * cpu, so many bytes are copied by so many threads. On a GPU, the size is a
 * power of two of at least 1 GiB, so that no cache holds it (less where memory
 * is short). 0 if it cannot be measured. Each size is measured once. */
double stfi_copy_bandwidth(stfi_copies *c, stf_device *dev, size_t bytes,
                           int threads);

#endif
