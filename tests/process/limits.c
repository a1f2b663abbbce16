/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Limits of the system: with few threads, files, little memory or stack, and in
 * the name of a user who may write nowhere, the library gives the right results
 * or a status with a message. Each limit is that of a child, in which nothing
 * has used the library before. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/process/child.h"
#include "tests/process/work.h"
#include "tests/sanitized.h"
#include "tests/tap.h"

enum { STACK_BYTES = 65536, THREADS = 4 };

/* The argument with which this program is started for the work alone. */
static const char work_only[] = "work";

static child_result work_is_right(int threads)
{
    return work_do_all(threads) == WORK_RIGHT ? CHILD_RIGHT : CHILD_WRONG;
}

static child_result both(child_result a, child_result b)
{
    return a == CHILD_RIGHT ? b : a;
}

/* Sets the limit that counts; it may be raised again. */
static int set_limit(int which, rlim_t most)
{
    struct rlimit limit;

    if (getrlimit(which, &limit) != 0)
        return 0;
    limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
    return setrlimit(which, &limit) == 0;
}

/* Becomes an ordinary user, who has no other process; root has no limits. */
static int become_somebody(void)
{
    uid_t somebody = 1000000 + (uid_t)getpid() % 1000000;

    return getuid() != 0
           || (setresgid(somebody, somebody, somebody) == 0
               && setresuid(somebody, somebody, somebody) == 0);
}

/* ----------------------------------------------------------------- threads */

static void *nothing(void *arg)
{
    return arg;
}

static int can_start_a_thread(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, nothing, NULL) != 0)
        return 0;
    pthread_join(thread, NULL);
    return 1;
}

static child_result without_threads(const void *arg)
{
    (void)arg;
    if (!work_open())
        return CHILD_WRONG;
    if (!become_somebody() || !set_limit(RLIMIT_NPROC, 1)
        || can_start_a_thread())
        return CHILD_SKIP;
    return work_is_right(THREADS);
}

/* A smaller team is there first. Without root, other processes of the user
 * count, and there may be no thread at all. */
static child_result with_few_threads(const void *arg)
{
    (void)arg;
    if (!work_open())
        return CHILD_WRONG;
    if (!become_somebody() || !set_limit(RLIMIT_NPROC, THREADS - 1))
        return CHILD_SKIP;
    return both(work_is_right(2), work_is_right(THREADS));
}

/* A limit that comes after a team of the largest size. */
static child_result with_fewer_than_before(const void *arg)
{
    (void)arg;
    if (!work_open() || work_is_right(THREADS) != CHILD_RIGHT)
        return CHILD_WRONG;
    if (!become_somebody() || !set_limit(RLIMIT_NPROC, 1))
        return CHILD_SKIP;
    return both(work_is_right(2), work_is_right(THREADS));
}

/* ------------------------------------------------- files, memory, stack, user
 */

static child_result without_files(const void *arg)
{
    (void)arg;
    return work_open() && set_limit(RLIMIT_NOFILE, 3) ? work_is_right(2)
                                                      : CHILD_WRONG;
}

/* The bytes of address space in use; 0 if the system does not say. */
static rlim_t bytes_in_use(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file != NULL) {
        if (fscanf(file, "%lu", &pages) != 1)
            pages = 0;
        fclose(file);
    }
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Leaves so many bytes beside what is in use. */
static child_result with_little_memory(const void *arg)
{
    const rlim_t *spare = arg;
    rlim_t used;

    if (!work_open())
        return CHILD_WRONG;
    used = bytes_in_use();
    if (used == 0 || !set_limit(RLIMIT_AS, used + *spare))
        return CHILD_SKIP;
    return work_do_all(THREADS) != WORK_WRONG ? CHILD_RIGHT : CHILD_WRONG;
}

/* All threads have the stack that a program begins with. The environment, which
 * is on that stack, too, stays behind. */
static child_result with_little_stack(const void *arg)
{
    char *environment[] = {NULL};

    if (!set_limit(RLIMIT_STACK, STACK_BYTES))
        return CHILD_SKIP;
    execle(arg, arg, work_only, (char *)NULL, environment);
    return CHILD_WRONG;
}

static void *work_in_thread(void *arg)
{
    return work_do_all(1) == WORK_RIGHT ? arg : NULL;
}

static child_result in_a_thread_with_little_stack(const void *arg)
{
    int marker;
    void *result = NULL;
    pthread_t thread;
    pthread_attr_t attr;

    (void)arg;
    if (!work_open() || pthread_attr_init(&attr) != 0
        || pthread_attr_setstacksize(&attr, STACK_BYTES) != 0
        || pthread_create(&thread, &attr, work_in_thread, &marker) != 0)
        return CHILD_WRONG;
    pthread_join(thread, &result);
    pthread_attr_destroy(&attr);
    return result == &marker ? CHILD_RIGHT : CHILD_WRONG;
}

static child_result without_a_home(const void *arg)
{
    (void)arg;
    unsetenv("STEADFAST_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/", 1);
    if (!become_somebody())
        return CHILD_SKIP;
    return work_open() ? work_is_right(2) : CHILD_WRONG;
}

/* -------------------------------------------------------------------- main */

/* Sanitizers need memory and stack of their own. */
static void report_unsanitized(const char *what, child_body *body,
                               const void *arg)
{
    if (SANITIZED)
        tap_skip("under a sanitizer", "%s", what);
    else
        child_report(what, body, arg);
}

static void test_memory(void)
{
    static const rlim_t spare[] = {0,       100000,  300000,   1000000,
                                   3000000, 9000000, 20000000, 100000000};

    for (size_t i = 0; i < sizeof spare / sizeof *spare; i++) {
        char what[64];
        snprintf(what, sizeof what, "%lu bytes of memory to spare",
                 (unsigned long)spare[i]);
        report_unsanitized(what, with_little_memory, &spare[i]);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], work_only) == 0)
        return work_open() ? (int)both(work_is_right(1), work_is_right(2))
                           : (int)CHILD_WRONG;
    tap_begin("limits");
    child_report("no thread can be started", without_threads, NULL);
    child_report("fewer threads than were asked for", with_few_threads, NULL);
    child_report("fewer threads than there were", with_fewer_than_before, NULL);
    child_report("no file can be opened", without_files, NULL);
    child_report("a user without a home", without_a_home, NULL);
    test_memory();
    report_unsanitized("a stack of 64 KiB", with_little_stack, argv[0]);
    report_unsanitized("a thread with a stack of 64 KiB",
                       in_a_thread_with_little_stack, NULL);
    return tap_end();
}
