/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A version of comgr for tests, which lists what the hipRTC of tests knows. */
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void amd_comgr_get_version(size_t *major_p, size_t *minor_p);
EXPORT int amd_comgr_get_isa_count(size_t *count_p);
EXPORT int amd_comgr_get_isa_name(size_t index, const char **name_p);

static const char *const names[] = {"amdgcn-amd-amdhsa--gfx9",
                                    "amdgcn-amd-amdhsa--gfx90a"};

enum { NAMES = sizeof names / sizeof *names };

void amd_comgr_get_version(size_t *major_p, size_t *minor_p)
{
    *major_p = 3;
    *minor_p = 1;
}

int amd_comgr_get_isa_count(size_t *count_p)
{
    *count_p = NAMES;
    return 0;
}

int amd_comgr_get_isa_name(size_t index, const char **name_p)
{
    if (index >= NAMES)
        return 1;
    *name_p = names[index];
    return 0;
}
