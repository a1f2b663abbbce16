/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What checked passes of all precisions share: the faults that they suffer,
 * what is done about a residual that is too large, and where that is noted.
 * All but the counts of clean groups is on the rare path. */
#ifndef STFI_PROTECT_CPU_CHECK_H
#define STFI_PROTECT_CPU_CHECK_H

#include <pthread.h>
#include <stdatomic.h>

#include "backend/backend.h"
#include "ft/finding.h"

/* A fault, placed: lane of a chunk's round, element of the lane. */
typedef struct stfi_cpu_fault {
    int pass, stage;
    int64_t chunk, lane, element;
    int component, bit, persistent;
    double magnitude;
} stfi_cpu_fault;

/* The ledger of an executable. Clean groups are counted without the lock. */
typedef struct stfi_cpu_log {
    pthread_mutex_t lock;
    stfi_ft_ledger ledger; /* all but checked and max_residual */
    atomic_llong checked;
    atomic_ullong worst; /* the bits of max_residual: they rise as it
                                   does */
} stfi_cpu_log;

stf_status stfi_cpu_log_init(stfi_cpu_log *log);
void stfi_cpu_log_destroy(stfi_cpu_log *log);
void stfi_cpu_log_read(stfi_cpu_log *log, int reset, stfi_ft_ledger *ledger_p);

/* What one thread of a launch has seen so far. */
typedef struct stfi_cpu_watch {
    stfi_cpu_log *log;
    stfi_ft_result *result;      /* of the launch; behind the log's lock */
    const stfi_cpu_fault *fault; /* NULL: none */
    int faults;
    int again; /* the launch repeats another */
    int pass;
    int64_t chunk;
    int64_t first_signal; /* of the chunk */
    int64_t batch;        /* transforms of the chunk */
    int64_t checked;
    double worst;
} stfi_cpu_watch;

/* Adds what the thread has counted to the log. */
void stfi_cpu_watch_end(const stfi_cpu_watch *watch);

/* One residual. */
typedef struct stfi_cpu_group {
    long double re, im;
    long double norm; /* of the data, times unit; Inf or NaN if the
                                   data have one */
    long double unit;
} stfi_cpu_group;

/* The groups of a tile: lane l of residual s is group s * lanes + l.
 * `attempts`: 1 if group[1] has those of another attempt. */
enum { STFI_CPU_GROUPS = 32 };

typedef struct stfi_cpu_suspect {
    const stfi_pass *p;
    stfi_cpu_watch *watch;
    stfi_ft_bound bound;
    int64_t lane;     /* the first */
    int lanes, count; /* of lanes, of groups */
    int attempts;
    stfi_cpu_group group[2][STFI_CPU_GROUPS];
    /* Computes the tile again, attempt 1, 2, ..., and gives its groups. */
    void (*again)(void *tile, int attempt, stfi_cpu_group *group);
    void *tile;
} stfi_cpu_suspect;

/* Clears up a tile of which a residual is not clean, and notes it. Whatever
 * comes of it, the tile's last results are to be kept. */
void stfi_cpu_settle(stfi_cpu_suspect *suspect);

/* Notes what a lane has come to; or, with located 0, the group that it is the
 * first of. */
void stfi_cpu_note(stfi_cpu_watch *watch, const stfi_pass *p, int64_t lane,
                   stfi_ft_outcome outcome, double ratio, int located);

#endif
