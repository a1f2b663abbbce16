/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks that run in a process of their own; see apart.h. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "tests/unit/apart.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

enum { SOMEBODY = 1000 };

static int run(apart_check *check, const void *arg, int untrusted)
{
    int status = -1;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        int right = (!untrusted || seteuid(SOMEBODY) == 0) && check(arg);
        fflush(stdout);
        _exit(right ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int apart_run(apart_check *check, const void *arg)
{
    return run(check, arg, 0);
}

void apart_untrusted(const char *what, apart_check *check, const void *arg)
{
    if (getuid() != 0)
        tap_skip("only root can take another user's rights", "%s", what);
    else
        tap_ok(run(check, arg, 1), "%s", what);
}
