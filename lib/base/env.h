/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Environment variables of the library, read when a device or plan is made:
 * README.md lists them. */
#ifndef STFI_BASE_ENV_H
#define STFI_BASE_ENV_H

#include "steadfast.h"

/* The value, or NULL when unset or empty. */
const char *stfi_env_get(const char *name);

/* 1 unless the program has rights that its user has not (setuid, setgid, or
 * capabilities of its file): then nobody may say through the environment
 * where code is. */
int stfi_env_is_trusted(void);

/* The value of a variable that names code, or NULL when it is unset, empty or
 * not to be trusted. */
const char *stfi_env_get_trusted(const char *name);

/* The value as an integer in [low, high], `missing` when unset.
 * Errors: ARGUMENT, naming the variable and the range. */
stf_status stfi_env_int(const char *name, long low, long high, long missing,
                        long *value_p);

#endif
