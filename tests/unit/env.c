/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Environment variables: what counts as set, ranges of integers, and what is
 * not believed in a program with the rights of another user. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"
#include "tests/tap.h"

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

/* 1 if the text is refused, and nothing is written. */
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

/* In a process of its own; what it finds is its exit status. */
static int is_believed(void)
{
    enum { SOMEBODY = 1000 };

    if (seteuid(SOMEBODY) != 0)
        return 2;
    return stfi_env_is_trusted() || stfi_env_get_trusted(name) != NULL
           || stfi_env_get(name) == NULL;
}

static void test_trust(void)
{
    const char *what = "another user's rights: no variable names code";
    int status = -1;
    pid_t child;

    setenv(name, "x", 1);
    tap_ok(stfi_env_is_trusted() && stfi_env_get_trusted(name) != NULL,
           "an ordinary program believes its user");
    if (getuid() != 0) {
        tap_skip("only root can take another user's rights", "%s", what);
        return;
    }
    fflush(stdout);
    child = fork();
    if (child == 0)
        _exit(is_believed());
    tap_ok(child > 0 && waitpid(child, &status, 0) == child && status == 0,
           "%s", what);
}

int main(void)
{
    tap_begin("env");
    test_text();
    test_integers();
    test_trust();
    return tap_end();
}
