/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks in a process of their own: libraries are loaded once a process, and
 * a user's rights are the process's. */
#ifndef STFI_TESTS_APART_H
#define STFI_TESTS_APART_H

/* Returns 1 if it went well; may print diagnostics. */
typedef int apart_check(const void *arg);

/* What the check returns; 0 if the process died. */
int apart_run(apart_check *check, const void *arg);

/* One result: the check with the rights of another user than the one who
 * started it, as a setuid program has. A skip where there is no changing. */
void apart_untrusted(const char *what, apart_check *check, const void *arg);

#endif
