/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Teams of threads; see team.h. */
#include "base/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/env.h"
#include "base/fp_env.h"
#include "base/status.h"
#include "base/team_room.h"

/* ------------------------------------------------------------------- forks */

/* GNU's run-time library would wait in a child of fork() for threads that only
 * the parent has, those of this library's teams or of the program's own. A
 * process that forks while it is a single thread has none of either. */
static atomic_int alone;          /* teams have one member */
static atomic_int had_a_team;     /* of several members */
static atomic_int is_child_alone; /* `alone` of the child that is being made */
static int forks_are_seen;

/* The number of the process's threads, or 0 if the system does not say. Its
 * folder of threads has a link for each beside its own two. */
static int count_threads(void)
{
    struct stat s;

    return stat("/proc/self/task", &s) == 0 ? (int)s.st_nlink - 2 : 0;
}

static void before_fork(void)
{
    atomic_store(&is_child_alone, atomic_load(&alone)
                                      || atomic_load(&had_a_team)
                                      || count_threads() != 1);
}

static void in_child(void)
{
    atomic_store(&alone, atomic_load(&is_child_alone));
}

static void see_forks(void)
{
    forks_are_seen = pthread_atfork(before_fork, NULL, in_child) == 0;
}

/* ----------------------------------------------------------------- members */

stf_status stfi_team_default(int *threads_p)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    long found = 1, value;
    stf_status status;

    pthread_once(&once, see_forks);
    if (!forks_are_seen)
        return stfi_error(STF_ERR_MEMORY, "no memory for a handler of fork()");
#ifdef _OPENMP
    found = omp_get_max_threads();
#endif
    status = stfi_env_int("STEADFAST_THREADS", 1, 4096, found, &value);
    if (status == STF_OK)
        *threads_p = (int)value;
    return status;
}

#ifdef _OPENMP

int stfi_team_size(int threads)
{
    return threads > 1 && !atomic_load(&alone)
                   && omp_get_active_level() < omp_get_max_active_levels()
               ? threads
               : 1;
}

void stfi_team_run(int threads, stfi_team_part *part, void *arg)
{
    int size = threads > 1 ? stfi_team_room(stfi_team_size(threads)) : 1;

    if (size == 1) {
        part(arg, 0, 1);
        return;
    }
    atomic_store_explicit(&had_a_team, 1, memory_order_relaxed);
#pragma omp parallel num_threads(size)
    {
        STFI_FP_GUARD;
        part(arg, omp_get_thread_num(), omp_get_num_threads());
    }
}

void stfi_team_meet(int size)
{
    if (size > 1) {
#pragma omp barrier
    }
}

#else

int stfi_team_size(int threads)
{
    (void)threads;
    return 1;
}

void stfi_team_run(int threads, stfi_team_part *part, void *arg)
{
    (void)threads;
    part(arg, 0, 1);
}

void stfi_team_meet(int size)
{
    (void)size;
}

#endif

/* ------------------------------------------------------------------- steps */

typedef struct steps {
    stfi_team_step *step;
    void *arg;
    int64_t count;
    _Atomic(int64_t) next;
} steps;

/* The size of the team whose steps this thread does; 0: none. */
static _Thread_local int running;

int stfi_team_is_running(void)
{
    return running > 1;
}

/* Takes blocks of steps until none is left. Steps may take unlike times, so
 * that each member takes several blocks. Members wait for each other before
 * they leave the team, since what they wait for are tasks, too. */
static void do_steps(void *arg, int member, int size)
{
    enum { BLOCKS = 8 };
    steps *s = arg;
    int64_t share = s->count / ((int64_t)size * BLOCKS);
    int64_t block = share > 1 ? share : 1, first;

    (void)member;
    running = size;
    while ((first = atomic_fetch_add(&s->next, block)) < s->count)
        for (int64_t i = first; i < first + block && i < s->count; i++)
            s->step(s->arg, i);
    stfi_team_meet(size);
    running = 0;
}

void stfi_team_each(int threads, int64_t count, stfi_team_step *step, void *arg)
{
    steps s = {.step = step, .arg = arg, .count = count};

    stfi_team_run(threads, do_steps, &s);
}
