/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Environment variables of the library, read when a device or plan is made:
 * README.md lists them. */
#ifndef STFI_BASE_ENV_H
#define STFI_BASE_ENV_H

#include "steadfast.h"

/* Returns the value, or NULL if the variable is unset or empty. */
const char *stfi_env_get(const char *name);

/* Returns 1 unless the program has privileges that its user does not have
 * (setuid, setgid, or capabilities of its file). Without that trust, the
 * environment must not decide which code is loaded. */
int stfi_env_is_trusted(void);

/* Returns the value of a variable that names code, or NULL if it is unset,
 * empty or not to be trusted. */
const char *stfi_env_get_trusted(const char *name);

/* Gets the value as an integer in [low, high], or `missing` if the variable is
 * unset. Errors: ARGUMENT, naming the variable and the range. */
stf_status stfi_env_int(const char *name, long low, long high, long missing,
                        long *value_p);

#endif
