/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The results of `steadfast gemm`, which cmd_gemm.c fills and gemm_report.c
 * prints. */
#ifndef STFI_GEMM_GEMM_RUN_H
#define STFI_GEMM_GEMM_RUN_H

#include <stdio.h>

#include "tools/command/repeat.h"
#include "tools/command/table.h"
#include "tools/file/input.h"
#include "tools/verify/gemm_accuracy.h"

typedef struct stfi_gemm_run {
    stfi_input a, b, c; /* c: C as it was; its name is NULL without --add */
    stfi_array out;
    stf_gemm_desc desc;
    long double alpha,
        beta; /* as they are in the precision of the arithmetic */
    stf_device *dev;
    stf_device_info info;
    stf_plan *plan;
    const char *output; /* the file written, or NULL */
    stfi_repeated time;
    int executed; /* executions in all */
    double gflops;
    stf_ft_report checks; /* sums over all executions; zero if unprotected */
    stfi_gemm_accuracy accuracy; /* without samples: not measured */
    const char *unchecked;       /* why nothing was compared, or NULL */
    int failed; /* an element is beyond its bound, or an error that checks found
                   was not repaired */
} stfi_gemm_run;

/* Prints what was done and how accurate it was; `counters`: 1 if all counters of the
 * checks are asked for, which CSV and JSON have in any case. */
void stfi_gemm_report(const stfi_gemm_run *r, stfi_format format, int counters,
                      FILE *file);

/* Prints these counters alone. */
void stfi_gemm_report_counters(const stfi_gemm_run *r, FILE *file);

#endif
