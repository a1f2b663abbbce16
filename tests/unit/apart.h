/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks that run in a process of their own: a library is loaded once per
 * process, and a process has the rights of one user. */
#ifndef STFI_TESTS_APART_H
#define STFI_TESTS_APART_H

/* A check: returns 1 if all is well; may print diagnostics. */
typedef int apart_check(const void *arg);

/* Runs a check and returns its result; 0 if the process died. */
int apart_run(apart_check *check, const void *arg);

/* Reports one result: that of the check in a process with the rights of another
 * user than the one who started it, as a setuid program has. It is a skip where
 * the rights cannot be changed. */
void apart_untrusted(const char *what, apart_check *check, const void *arg);

#endif
