/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A problem on the emulated device, with plans that check it end to end. */
#ifndef STFI_TESTS_SIMT_OFFLINE_RUN_H
#define STFI_TESTS_SIMT_OFFLINE_RUN_H

#include "support/harness/trial.h"
#include "tests/tap.h"

typedef struct stfi_offline_row {
    const char *name, *preset;
    int64_t block_bytes; /* block memory; 0: as in the preset */
    const char *word, *layout;
    double scale; /* scale factor of the transform; 0: 1 */
    tap_level_t level;
} stfi_offline_row;

/* A problem, with plans of both modes, and with the output of the unprotected plan,
 * or of the first protected one if lanes of this have other signals. The counters
 * are for tests of faults. */
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

/* Opens a problem in the row's layout; returns 0 on failure. Close it in any
 * case. */
int stfi_offline_open(const stfi_offline_row *row, const char *word,
                      stf_device *dev, stfi_offline_run *r);
void stfi_offline_close(stfi_offline_run *r);

/* Executes one of the plans once and copies the arrays back. The report is of
 * this execution alone. Returns 0 on failure, or if the status does not fit the
 * report. */
int stfi_offline_execute(stfi_offline_run *r, const stfi_remote *remote,
                         stf_ft_report *report);

/* Says what was found of faults, and the last error. */
void stfi_offline_tell(const stf_ft_report *report);

/* Returns whether the output is `want`, which may come from passes of other radices
 * or with other signals in a lane, to within the contract's bound for both. What lies
 * between the elements has kept its poison, which is no number. */
int stfi_offline_is_close(const stfi_offline_run *r);

/* Return the array that contains the output, and the number of transforms. */
char *stfi_offline_output(const stfi_offline_run *r);
int64_t stfi_offline_batch(const stfi_offline_run *r);

/* Returns 1 if the residuals of the plan's only pass are those from input to output. */
int stfi_offline_is_from_memory(const stfi_remote *remote);

/* Returns 1 if the plan's launches out of place have signatures. */
int stfi_offline_is_signed(const stfi_remote *remote);

#endif
