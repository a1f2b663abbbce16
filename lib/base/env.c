/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Environment variables; see env.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "base/env.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

#include "base/status.h"

const char *stfi_env_get(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

int stfi_env_is_trusted(void)
{
#ifdef AT_SECURE
    if (getauxval(AT_SECURE) != 0)
        return 0;
#endif
    return geteuid() == getuid() && getegid() == getgid();
}

const char *stfi_env_get_trusted(const char *name)
{
    return stfi_env_is_trusted() ? stfi_env_get(name) : NULL;
}

stf_status stfi_env_int(const char *name, long low, long high, long missing,
                        long *value_p)
{
    const char *text = stfi_env_get(name);
    char *end;
    long value;

    if (text == NULL) {
        *value_p = missing;
        return STF_OK;
    }
    errno = 0;
    value = strtol(text, &end, 10);
    if (errno != 0 || *end != '\0' || value < low || value > high)
        return stfi_error(STF_ERR_ARGUMENT,
                          "environment variable %s is "
                          "\"%s\"; it must be an integer from %ld to %ld",
                          name, text, low, high);
    *value_p = value;
    return STF_OK;
}
