/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Trials of one problem: a worker makes them, in a process of its own, as a
 * fault may lose the device's context or never end. It shares a board with the
 * process that watches over it. */
#ifndef STFI_FLIP_WORKER_H
#define STFI_FLIP_WORKER_H

#include <stdio.h>

#include "tests/flip/gpu/modules.h"
#include "tests/flip/gpu/rig.h"

/* One fault. */
typedef struct flip_trial {
    int64_t number;
    ptx_kind kind;
    int launch, bit;
    ptx_strike strike;
    char entry[FLIP_ENTRY_BYTES], opcode[PTX_NAME_BYTES];
    char target[PTX_NAME_BYTES], place[512];
} flip_trial;

typedef struct flip_board {
    volatile int pending;  /* 1: a trial is on its way */
    volatile int ready;    /* 1: the worker makes trials; 0: it prepares */
    volatile int absent;   /* 1: there is no device; `reason` says why */
    volatile double since; /* when the trial began, by flip_now() */
    flip_trial trial;      /* the newest one */
    int64_t number;        /* trials begun, of all workers */
    int64_t missed;        /* faults that no thread came by */
    int64_t lasting;       /* faults that damaged later executions */
    int64_t wanted[PTX_KINDS], made[PTX_KINDS];
    int64_t tally[PTX_KINDS][FLIP_CLASSES];
    double clean_error;
    int sites[PTX_KINDS]; /* of the modules */
    char reason[256];
} flip_board;

/* What a worker is told. */
typedef struct flip_task {
    const char *label, *device; /* "PROBLEM,MODE"; "cuda:0" */
    uint64_t seed;
    double deadline;           /* by flip_now() */
    int most_sites[PTX_KINDS]; /* of each kernel */
    FILE *csv;                 /* may be NULL */
} flip_task;

/* Seconds of a clock that all processes share. */
double flip_now(void);

/* Makes trials until there are enough of each kind, or the time is over, and
 * ends the process. */
void flip_work(flip_rig *rig, flip_board *board, const flip_task *task)
    __attribute__((noreturn));

/* Writes a trial with its outcome as a line; campaign.sh has the names of the
 * columns. */
void flip_write(FILE *csv, const char *label, const flip_trial *trial,
                flip_class outcome, double ratio, const flip_rig *rig,
                int lasting);

#endif
