/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Threads for a team; see team_room.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "base/team_room.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* A thread of the trial. Each starts the next one and waits for it, so that all
 * are there at the same time. */
typedef struct starter {
    const pthread_attr_t *attr;
    int wanted; /* threads still to be started, this one among them */
    int made;   /* of these, how many there were */
    long id;    /* the system's number of the thread */
} starter;

static long own_id(void)
{
#ifdef SYS_gettid
    return syscall(SYS_gettid);
#else
    return 0;
#endif
}

/* A joined thread counts against the system's limits for some microseconds
 * more. */
static void wait_until_gone(long id)
{
#if defined(SYS_gettid) && defined(SYS_tgkill)
    enum { TRIES = 10000 };

    for (int i = 0; i < TRIES && syscall(SYS_tgkill, getpid(), id, 0) == 0; i++)
        sched_yield();
#else
    (void)id;
#endif
}

static void *start_next(void *arg);

static int count_from(const pthread_attr_t *attr, int wanted)
{
    starter next = {.attr = attr, .wanted = wanted};
    pthread_t thread;

    if (wanted == 0 || pthread_create(&thread, attr, start_next, &next) != 0)
        return 0;
    pthread_join(thread, NULL);
    wait_until_gone(next.id);
    return next.made;
}

static void *start_next(void *arg)
{
    starter *own = arg;

    own->id = own_id();
    own->made = 1 + count_from(own->attr, own->wanted - 1);
    return NULL;
}

/* Makes the threads' stacks somewhat larger than by default. OpenMP's threads,
 * whose stacks may have an addition of their own, then fit into those that the
 * C library keeps, and need no other memory. */
static int choose_stack(pthread_attr_t *attr)
{
    enum { ADDITION = 1 << 17 };
    size_t bytes;

    return pthread_attr_getstacksize(attr, &bytes) == 0
           && pthread_attr_setstacksize(attr, bytes + ADDITION) == 0;
}

/* Returns how many threads can be started beside the caller. The program's
 * handlers of signals must not run in them. */
static int count_threads(int wanted)
{
    pthread_attr_t attr;
    sigset_t all, before;
    int count, error = errno;

    if (pthread_attr_init(&attr) != 0)
        return 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    count = choose_stack(&attr) ? count_from(&attr, wanted) : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    errno = error;
    return count;
}

/* Returns 1 if a team would be inside of another one, even of a single thread.
 * OpenMP keeps no threads for it. */
static int is_nested(void)
{
#ifdef _OPENMP
    return omp_get_level() > 0;
#else
    return 0;
#endif
}

int stfi_team_room(int size)
{
    /* PATIENCE: how many teams are opened with the threads that there were
     * before the system is asked for more again. */
    enum { PATIENCE = 256 };
    static _Thread_local int granted = 1, refusals;

    if (size <= granted && !is_nested())
        return granted = size;
    if (refusals > 0) {
        refusals--;
        return granted;
    }
    granted = 1 + count_threads(size - 1);
    refusals = granted < size ? PATIENCE : 0;
    return granted;
}
