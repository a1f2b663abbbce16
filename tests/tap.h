/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What every test program needs: results in the Test Anything Protocol, the
 * seed of its random data, and how thorough it is.
 *
 * The environment: STF_TEST_SEED (a number, or "clock"; 1 by default, so that a
 * plain `make check` repeats), STF_TEST_LEVEL (quick, normal, long),
 * STF_TEST_PART ("1/3": of the slowest programs' problems only the second
 * third, as 0/3 is the first; "1/3 kernels,0/2 accuracy": only part of those
 * programs' problems; all problems by default). Thread: results are reported from the
 * main thread only. */
#ifndef STFI_TESTS_TAP_H
#define STFI_TESTS_TAP_H

#include <stdint.h>

#if defined(__GNUC__)
#define TAP_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define TAP_PRINTF(f, a)
#endif

typedef enum tap_level_t { TAP_QUICK, TAP_NORMAL, TAP_LONG } tap_level_t;

/* Starts a program: reads the environment and prints the seed and level. */
void tap_begin(const char *program);

uint64_t tap_seed(void);
tap_level_t tap_level(void);

/* 1 if this run takes problem number i of the program; see STF_TEST_PART. */
int tap_takes(int64_t i);

/* Does the same for problems that take long: at the quick level a run takes
 * every third of these, unless STF_TEST_PART says which. */
int tap_samples(int64_t i);

/* 1 if this run takes all problems. */
int tap_takes_all(void);

/* Reports one result and returns `pass`. A failure also prints the seed. */
int tap_ok(int pass, const char *format, ...) TAP_PRINTF(2, 3);

/* Reports a result that cannot be obtained here; `reason` says why. */
void tap_skip(const char *reason, const char *format, ...) TAP_PRINTF(2, 3);

/* Reports a result that is known to fail; `reason` says why. A failure is
 * marked as TODO and does not fail the program; a pass is an ordinary pass. */
void tap_todo(int pass, const char *reason, const char *format, ...)
    TAP_PRINTF(3, 4);

/* Prints a line of comment. */
void tap_diag(const char *format, ...) TAP_PRINTF(1, 2);

/* Prints the plan line and returns the exit status of the program. */
int tap_end(void);

#endif
