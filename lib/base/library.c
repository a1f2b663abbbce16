/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Where the libraries of this process are; see library.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "base/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int stfi_library_path(void (*function)(void), char *path, size_t capacity)
{
    Dl_info info;
    void *address;
    char *whole;
    int fits;

    memcpy(&address, &function, sizeof address);
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL
        || (whole = realpath(info.dli_fname, NULL)) == NULL)
        return 0;
    fits = snprintf(path, capacity, "%s", whole) < (int)capacity;
    free(whole);
    return fits;
}
