/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Teams of threads: the only place of the library where threads begin to
 * compute together. They are OpenMP's. A team of one is the caller alone and
 * does not touch OpenMP's run-time library.
 *
 * A team may be smaller than was asked for: OpenMP has limits of its own, the
 * system may refuse threads, and a child of fork() may have to do with the
 * caller. Work must therefore be shared by the size that it is told. */
#ifndef STFI_BASE_TEAM_H
#define STFI_BASE_TEAM_H

#include <stdint.h>

#include "steadfast.h"

/* The part of one member, 0 <= member < size. */
typedef void stfi_team_part(void *arg, int member, int size);

/* One of many steps, which may be done in any order and at the same time. */
typedef void stfi_team_step(void *arg, int64_t i);

/* Gets the number of threads for those who do not ask for one: what
 * STEADFAST_THREADS says, or OpenMP's default. From the first call on, forks
 * are seen: a child of a process with several threads has teams of one. Errors:
 * ARGUMENT (the variable), MEMORY. */
stf_status stfi_team_default(int *threads_p);

/* Returns the size of the team that `threads` would be if the system refuses
 * none. */
int stfi_team_size(int threads);

/* Lets every member do its part, and returns when all are done. */
void stfi_team_run(int threads, stfi_team_part *part, void *arg);

/* Waits for all members; each calls it, and passes the size that it was told.
 */
void stfi_team_meet(int size);

/* Does `count` steps. A member that has no step left helps with what the others
 * share by tasks, see stfi_team_is_running(). */
void stfi_team_each(int threads, int64_t count, stfi_team_step *step,
                    void *arg);

/* Returns 1 within a step of a team of several members, where an OpenMP task
 * would be shared with them. A program's own parallel region is none: its
 * threads compute in an environment of their own. */
int stfi_team_is_running(void);

#endif
