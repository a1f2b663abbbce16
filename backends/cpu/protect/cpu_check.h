/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What checked passes of all precisions share: the injected faults, what is
 * done about a residual that is too large, and the ledger where it is noted.
 * Except for the counts of clean groups, all of this runs rarely. */
#ifndef STFI_PROTECT_CPU_CHECK_H
#define STFI_PROTECT_CPU_CHECK_H

#include <pthread.h>
#include <stdatomic.h>

#include "backend/backend.h"
#include "ft/finding.h"

/* An injected fault and its place: the lane of the pass, counted over the
 * pass's loops in a chunk, and the element of that lane. */
typedef struct stfi_cpu_fault {
    int pass, stage;
    int64_t chunk, lane, element;
    int component, bit, persistent;
    double magnitude;
} stfi_cpu_fault;

/* The ledger of an executable. Threads add their counts of checked groups, and
 * their largest residual, without taking the lock. */
typedef struct stfi_cpu_log {
    pthread_mutex_t lock;
    stfi_ft_ledger ledger; /* without checked and max_residual */
    atomic_llong checked;
    atomic_ullong worst; /* max_residual as the bits of a double, which
                                   are in the same order as the values */
} stfi_cpu_log;

stf_status stfi_cpu_log_init(stfi_cpu_log *log);
void stfi_cpu_log_destroy(stfi_cpu_log *log);
void stfi_cpu_log_read(stfi_cpu_log *log, int reset, stfi_ft_ledger *ledger_p);

/* What one thread of a launch has seen so far. */
typedef struct stfi_cpu_watch {
    stfi_cpu_log *log;
    stfi_ft_result *result;      /* of the launch; guarded by the log's lock */
    const stfi_cpu_fault *fault; /* NULL: none */
    int faults;
    int again; /* the launch repeats an earlier one */
    int pass;
    int64_t chunk;
    int64_t first_signal; /* number of the chunk's first transform */
    int64_t batch;        /* number of transforms in the chunk */
    int64_t lanes;        /* that the thread has computed, */
    int64_t checked;      /* and their residuals */
    double worst;
    int is_signed;      /* the launch has a signature; */
    uint64_t signature; /* this thread's part of it: cpu_signature.h */
} stfi_cpu_watch;

/* Adds what the thread has counted to the log. */
void stfi_cpu_watch_end(const stfi_cpu_watch *watch);

/* One residual and the norm that it is compared with. */
typedef struct stfi_cpu_group {
    long double re, im;
    long double norm; /* norm of the data, times unit; Inf or NaN if
                                   the data contain either */
    long double unit;
} stfi_cpu_group;

/* The most groups that a tile can have. */
enum { STFI_CPU_GROUPS = 32 };

/* A tile with a residual that may be too large. Residual i of lane l is
 * group[0][i * lanes + l]. If `attempts` is 1, group[1] has the residuals of a
 * second attempt; otherwise it is 0. */
typedef struct stfi_cpu_suspect {
    const stfi_pass *p;
    stfi_cpu_watch *watch;
    stfi_ft_bound bound;
    int64_t lane;     /* number of the first lane */
    int lanes, count; /* numbers of lanes and of groups */
    int attempts;
    stfi_cpu_group group[2][STFI_CPU_GROUPS];
    /* Computes the tile again as attempt 1, 2, ... and writes its groups. */
    void (*again)(void *tile, int attempt, stfi_cpu_group *group);
    void *tile;
} stfi_cpu_suspect;

/* Settles a tile that has a residual that is not clean: computes it again if
 * the check corrects, and notes the outcome. The caller keeps the results of
 * the last attempt, whatever the outcome. Returns the gravest outcome. */
stfi_ft_outcome stfi_cpu_settle(stfi_cpu_suspect *suspect);

/* Notes the outcome for a lane in the ledger. If `located` is 0, the outcome is
 * that of a group, and `lane` is the group's first lane. Thread: any. */
void stfi_cpu_note(stfi_cpu_watch *watch, const stfi_pass *p, int64_t lane,
                   stfi_ft_outcome outcome, double ratio, int located);

#endif
