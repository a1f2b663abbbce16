/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The results of `steadfast fft`, which cmd_fft.c fills and fft_report.c
 * prints. */
#ifndef STFI_COMMAND_FFT_RUN_H
#define STFI_COMMAND_FFT_RUN_H

#include <stdio.h>

#include "tools/file/input.h"
#include "tools/command/job.h"
#include "tools/command/repeat.h"
#include "tools/command/table.h"

typedef struct stfi_fft_run {
    stfi_input input;
    stfi_job job;
    stfi_array out;
    stf_direction direction;
    stf_device *dev;
    stf_device_info info;
    stf_plan *plan;
    const char *output, *plot; /* files written, or NULL */
    stfi_repeated time;
    double gflops;
    stf_ft_report checks; /* sums over all executions; zero if unprotected */
    double round_trip;    /* relative L2 error, < 0: not measured */
    double error;         /* the same against the reference */
    double bound;         /* the largest permitted `error` */
    const char *reference;
    double checked;        /* transforms compared with the reference */
    const char *unchecked; /* why nothing was compared, or NULL */
    int failed;            /* a bound was exceeded, or an error that
                                    checks found was not repaired */
} stfi_fft_run;

/* The permitted error of the round trip: the errors of two transforms add up,
 * and the second transform keeps the relative size of the first one's error. */
double stfi_fft_round_trip_bound(const stfi_fft_run *r);

/* Prints what was done and how accurate it was. */
void stfi_fft_report(const stfi_fft_run *r, stfi_format format, FILE *file);

#endif
