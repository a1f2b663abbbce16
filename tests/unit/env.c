/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Environment variables: which values count as set, ranges of integers, and
 * which variables are ignored in a program with the rights of another user. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "tests/tap.h"
#include "tests/unit/apart.h"

static const char name[] = "STF_TEST_VARIABLE";

static void test_text(void)
{
    unsetenv(name);
    tap_ok(stfi_env_get(name) == NULL && stfi_env_get_trusted(name) == NULL,
           "a variable that is unset");
    setenv(name, "", 1);
    tap_ok(stfi_env_get(name) == NULL && stfi_env_get_trusted(name) == NULL,
           "an empty one counts as unset");
    setenv(name, "x", 1);
    tap_ok(stfi_env_get(name) != NULL && !strcmp(stfi_env_get(name), "x"),
           "one that is set");
}

/* 1 if the text is refused and nothing is written. */
static int refused(const char *text)
{
    long value = 77;

    setenv(name, text, 1);
    return stfi_env_int(name, 0, 9, 5, &value) == STF_ERR_ARGUMENT
           && value == 77 && strstr(stf_error_message(), name) != NULL;
}

static void test_integers(void)
{
    long value = 0;

    unsetenv(name);
    tap_ok(!stfi_env_int(name, 0, 9, 5, &value) && value == 5,
           "an integer that is unset");
    setenv(name, "9", 1);
    tap_ok(!stfi_env_int(name, 0, 9, 5, &value) && value == 9,
           "one at the end of its range");
    tap_ok(refused("10") && refused("-1") && refused("3x")
               && refused("99999999999999999999"),
           "what is not in the range, or no integer, is refused");
}

/* 1 if variables that name code are ignored, and harmless ones are not. */
static int is_ignored(const void *unused)
{
    (void)unused;
    return !stfi_env_is_trusted() && stfi_env_get_trusted(name) == NULL
           && stfi_env_get(name) != NULL;
}

static void test_trust(void)
{
    setenv(name, "x", 1);
    tap_ok(stfi_env_is_trusted() && stfi_env_get_trusted(name) != NULL,
           "an ordinary program believes its user");
    apart_untrusted("another user's rights: no variable names code", is_ignored,
                    NULL);
}

int main(void)
{
    tap_begin("env");
    test_text();
    test_integers();
    test_trust();
    return tap_end();
}
