/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a suite of problems is predicted to cost on a device. */
#ifndef STFI_COMMAND_PLAN_SUITE_H
#define STFI_COMMAND_PLAN_SUITE_H

#include "device/caps.h"
#include "tools/command/options.h"

/* Prints a row for each problem of --suite: its passes, the time that the
 * planner predicts, and the part of the copy bandwidth that this is; then how
 * many problems of one pass and of two reach what they should. Nothing of it is
 * measured. Errors: ARGUMENT, IO, MEMORY. */
stf_status stfi_plan_suite(const stfi_args *args, const stfi_caps *caps);

#endif
