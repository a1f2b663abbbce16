/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Lines that the reports of several commands have: the device, and what the checks
 * of a protected plan found. */
#ifndef STFI_COMMAND_REPORT_LINES_H
#define STFI_COMMAND_REPORT_LINES_H

#include <stdio.h>

#include "steadfast.h"

/* "FAIL" or "PASS". */
const char *stfi_verdict(int failed);

/* Prints "device      cpu (model, arch), 2 threads"; threads 0: not known. */
void stfi_device_line(const stf_device_info *info, int threads, FILE *file);

/* The errors that checks found: those that were repaired, and all others. */
int64_t stfi_checks_repaired(const stf_ft_report *checks);
int64_t stfi_checks_unrepaired(const stf_ft_report *checks);

/* Prints what the checks of a plan in this mode found, nothing without
 * protection. `place` says where its first event was. */
void stfi_checks_lines(stf_ft_mode mode, const stf_ft_report *checks,
                       const char *place, FILE *file);

#endif
