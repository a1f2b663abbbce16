/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Floating-point environments of the program: the library computes the same in
 * all of them, its checks have nothing to say, it does not trap, and it leaves
 * the environment and the flags as they were, in its threads too. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <fenv.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "tests/process/work.h"
#include "tests/tap.h"

enum { THREADS = 2 };

/* ------------------------------------------------------------ environments */

/* Each sets an environment and returns 0 if this system has it. */

static int leave_it(void)
{
    return 0;
}

static int round_up(void)
{
    return fesetround(FE_UPWARD);
}

static int round_down(void)
{
    return fesetround(FE_DOWNWARD);
}

static int round_to_zero(void)
{
    return fesetround(FE_TOWARDZERO);
}

static int trap(void)
{
#ifdef __GLIBC__
    return feenableexcept(FE_ALL_EXCEPT) < 0;
#else
    return 1;
#endif
}

#if defined(__x86_64__)
static int flush_subnormals(void)
{
    _mm_setcsr(_mm_getcsr() | 0x8040);
    return 0;
}

static int set_x87(uint16_t control)
{
    __asm__ __volatile__("fldcw %0" : : "m"(control));
    return 0;
}

static int single_x87(void)
{
    return set_x87(0x007f);
}

static int round_x87_up(void)
{
    return set_x87(0x0b7f);
}
#endif

static const struct environment {
    const char *name;
    int (*set)(void);
} environments[] = {
    {"an ordinary environment", leave_it},
    {"rounding upward", round_up},
    {"rounding downward", round_down},
    {"rounding toward zero", round_to_zero},
    {"traps", trap},
#if defined(__x86_64__)
    {"subnormal numbers flushed", flush_subnormals},
    {"single precision of the x87", single_x87},
    {"rounding upward of the x87", round_x87_up},
#endif
};

enum { ENVIRONMENTS = sizeof environments / sizeof *environments };

/* What an environment is, as far as it can be read. */
typedef struct state {
    int rounding, flags;
    unsigned mxcsr, x87;
} state;

static state read_state(void)
{
    state s = {.rounding = fegetround(), .flags = fetestexcept(FE_ALL_EXCEPT)};

#if defined(__x86_64__)
    unsigned short control;
    __asm__ __volatile__("fnstcw %0" : "=m"(control));
    s.mxcsr = _mm_getcsr();
    s.x87 = control;
#endif
    return s;
}

/* Flags count of the thread that calls; OpenMP itself may raise some in
 * others. */
static int is_same(const state *a, const state *b, int flags)
{
    unsigned mask = flags ? ~0U : ~0x3fU;

    return a->rounding == b->rounding && (!flags || a->flags == b->flags)
           && (a->mxcsr & mask) == (b->mxcsr & mask) && a->x87 == b->x87;
}

/* ----------------------------------------------------------- the team's own */

/* Sets an environment, or the ordinary one if `e` is NULL, in the calling
 * thread. Returns 0 if it can be had. */
static int set_own(const struct environment *e)
{
    fesetenv(FE_DFL_ENV);
    return e != NULL && e->set() != 0;
}

/* The same in all threads that the library will have: some OpenMP libraries
 * give the caller's to all of them, others do not. */
static int set_all(const struct environment *e, state *of_threads)
{
    int failed = set_own(e);

#ifdef _OPENMP
#pragma omp parallel num_threads(THREADS) reduction(| : failed)
    {
        failed |= set_own(e);
        of_threads[omp_get_thread_num()] = read_state();
    }
#else
    of_threads[0] = of_threads[1] = read_state();
#endif
    return failed;
}

/* Whether the threads' environments are what they were. */
static int are_same(const state *of_threads)
{
    int same = 1;

#ifdef _OPENMP
#pragma omp parallel num_threads(THREADS) reduction(& : same)
    {
        state now = read_state();
        same &= is_same(&now, &of_threads[omp_get_thread_num()], 0);
    }
#else
    state now = read_state();
    same = is_same(&now, &of_threads[0], 0);
#endif
    return same;
}

static void test_environment(const struct environment *e, int threads)
{
    state of_threads[THREADS], before, after;
    work_result result;
    int same;

    if (set_all(e, of_threads) != 0) {
        set_all(NULL, of_threads);
        tap_skip("this system does not have it", "%s", e->name);
        return;
    }
    before = read_state();
    result = work_do_all(threads);
    after = read_state();
    same = are_same(of_threads);
    set_all(NULL, of_threads);
    tap_ok(result == WORK_RIGHT, "%s, %d threads: the same results", e->name,
           threads);
    tap_ok(is_same(&before, &after, 1), "%s, %d threads: left as it was",
           e->name, threads);
    tap_ok(same, "%s, %d threads: left in its threads too", e->name, threads);
}

/* A trap that is due, because a flag was set when traps began, is the
 * program's: its own next operation would report it. OpenMP's may, too, so that
 * only the calling thread has it here. */
static void test_pending_trap(void)
{
    state before, after;
    work_result result;

    set_own(NULL);
    feraiseexcept(FE_INEXACT);
    if (trap() != 0) {
        tap_skip("this system does not have it", "a trap that is due");
        return;
    }
    before = read_state();
    result = work_do_all(THREADS);
    after = read_state();
    set_own(NULL);
    tap_ok(result == WORK_RIGHT && is_same(&before, &after, 1),
           "a trap that is due is left to the program");
}

/* Every flag alone stays alone. */
static void test_flags(void)
{
    static const int flags[] = {0,           FE_INVALID,   FE_DIVBYZERO,
                                FE_OVERFLOW, FE_UNDERFLOW, FE_INEXACT};
    int right = 1;

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        feclearexcept(FE_ALL_EXCEPT);
        feraiseexcept(flags[i]);
        feclearexcept(FE_ALL_EXCEPT & ~flags[i]);
        right &= work_do_all(1) == WORK_RIGHT;
        right &= fetestexcept(FE_ALL_EXCEPT) == flags[i];
    }
    feclearexcept(FE_ALL_EXCEPT);
    tap_ok(right, "flags of exceptions are the program's own");
}

int main(void)
{
    tap_begin("fp_env");
    if (tap_ok(work_open(), "results in the ordinary environment")) {
        for (int i = 0; i < ENVIRONMENTS; i++) {
            test_environment(&environments[i], 1);
            test_environment(&environments[i], THREADS);
        }
        test_pending_trap();
        test_flags();
    }
    work_close();
    return tap_end();
}
