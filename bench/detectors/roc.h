/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The receiver operating characteristic of the checks: as functions of the
 * threshold, how many faults they find and how many false alarms they raise. */
#ifndef STFI_BENCH_ROC_H
#define STFI_BENCH_ROC_H

#include "tools/inject/campaign.h"

/* Runs trials of one transform each, with and without a fault, on a rig of
 * batch 1 and mode DETECT, and writes a file of CSV, whole or not at all:
 *     threshold_k,false_alarm_rate,detection_rate_all,detection_8x,
 *     detection_64x
 * threshold_k is the K of tau = K sqrt(1 + L) u sqrt(N) ||x||.
 * Errors: those of executing, IO. */
stf_status stfi_roc_write(stfi_rig *r, int64_t trials, stfi_chance chance,
                          const char *path, stfi_progress *progress);

#endif
