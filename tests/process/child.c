/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Results of child processes; see child.h. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "tests/process/child.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

enum { LIMIT_SECONDS = 120 };

static void say_how_it_ended(int status)
{
    if (WIFSIGNALED(status))
        tap_diag("the child was ended by signal %d, %s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != CHILD_WRONG)
        tap_diag("the child ended with %d", WEXITSTATUS(status));
}

child_result child_run(child_body *body, const void *arg)
{
    int status = -1;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        child_result result;
        alarm(LIMIT_SECONDS);
        result = body(arg);
        fflush(stdout);
        _exit((int)result);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return CHILD_WRONG;
    if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_SKIP)
        return CHILD_SKIP;
    if (status != 0)
        say_how_it_ended(status);
    return status == 0 ? CHILD_RIGHT : CHILD_WRONG;
}

void child_report(const char *what, child_body *body, const void *arg)
{
    child_result result = child_run(body, arg);

    if (result == CHILD_SKIP)
        tap_skip("this system does not do it", "%s", what);
    else
        tap_ok(result == CHILD_RIGHT, "%s", what);
}
