/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Public structs that have grown: a program that was compiled earlier passes one that
 * ends before the fields that are new. Pure functions. */
#ifndef STFI_BASE_VERSIONS_H
#define STFI_BASE_VERSIONS_H

#include <stddef.h>
#include <stdint.h>

/* A size that a struct has or had, and how many of its bytes are fields, not padding
 * behind the last of them. */
typedef struct stfi_version {
    size_t size, known;
} stfi_version;

/* The version of a struct that ended before that field. */
#define STFI_VERSION_BEFORE(type, field)                                \
    {                                                                   \
        (offsetof(type, field) + sizeof(int64_t) - 1) / sizeof(int64_t) \
            * sizeof(int64_t),                                          \
            offsetof(type, field)                                       \
    }

/* Returns the bytes of fields of a struct of that size; 0 if no version had it. */
static inline size_t stfi_version_known(const stfi_version *version,
                                        size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++)
        if (version[i].size == size)
            return version[i].known;
    return 0;
}

#endif
