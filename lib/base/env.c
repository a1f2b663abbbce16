/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Environment variables; see env.h. */
#include "base/env.h"

#include <errno.h>
#include <stdlib.h>

#include "base/status.h"

const char *stfi_env_get(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
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
        return stfi_error(STF_ERR_ARGUMENT, "environment variable %s is "
                          "\"%s\"; it must be an integer from %ld to %ld",
                          name, text, low, high);
    *value_p = value;
    return STF_OK;
}
