/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Results of child processes: what they do may hang, crash or end the process,
 * or takes limits and rights that cannot be had back. */
#ifndef STFI_TESTS_CHILD_H
#define STFI_TESTS_CHILD_H

typedef enum child_result {
    CHILD_RIGHT = 0,
    CHILD_WRONG = 1,
    CHILD_SKIP = 77 /* this system cannot do it */
} child_result;

typedef child_result child_body(const void *arg);

/* Runs the body in a child, and prints how that ended if not as it should. A
 * child that does not end within two minutes is killed. */
child_result child_run(child_body *body, const void *arg);

/* The same; reports it as one result, `what`. */
void child_report(const char *what, child_body *body, const void *arg);

#endif
