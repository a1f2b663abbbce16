/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A problem on the emulated device, with plans that check it from input to
 * output. */
#ifndef STFI_TESTS_SIMT_OFFLINE_RUN_H
#define STFI_TESTS_SIMT_OFFLINE_RUN_H

#include "support/harness/trial.h"
#include "tests/tap.h"

typedef struct stfi_offline_row {
    const char *name, *preset;
    int64_t block_bytes; /* of the device; 0: as the preset has it */
    const char *word, *layout;
    double scale; /* of the transform; 0: 1 */
    tap_level_t level;
} stfi_offline_row;

/* With the unprotected output, and plans of both modes. */
typedef struct stfi_offline_run {
    const stfi_offline_row *row;
    stfi_trial trial;
    stf_direction direction;
    stfi_remote detect, correct;
    char *want;
    size_t bytes;
    int noticed, wrong;
    double worst_missed;
} stfi_offline_run;

/* Opens a problem in the row's layout; 0: failed. It is closed in any case. */
int stfi_offline_open(const stfi_offline_row *row, const char *word,
                      stf_device *dev, stfi_offline_run *r);
void stfi_offline_close(stfi_offline_run *r);

/* Runs one of the plans once and brings the arrays back; the report is of this
 * run alone. 0: failed, or the status is not what the report says. */
int stfi_offline_execute(stfi_offline_run *r, const stfi_remote *remote,
                         stf_ft_report *report);

/* The array that the output is in, and the transforms of the batch. */
char *stfi_offline_output(const stfi_offline_run *r);
int64_t stfi_offline_batch(const stfi_offline_run *r);

#endif
