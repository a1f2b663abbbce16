/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Ledgers: what the checks found, with the counters of counters.def. */
#ifndef STFI_FT_LEDGER_H
#define STFI_FT_LEDGER_H

#include <stdint.h>

#include "ft/outcome.h"
#include "steadfast.h"

enum { STFI_FT_EVENTS = 64 };

/* What the checks of an executable found, since it was made or since the last
 * reset. They count in groups; one residual covers one group. */
typedef struct stfi_ft_ledger {
#define STFI_FT_COUNTER(name, NAME, field, combine, meaning) \
    STFI_FT_TYPE_##combine name;
#define STFI_FT_HOST_COUNTER STFI_FT_COUNTER
#define STFI_FT_TYPE_ADD int64_t
#define STFI_FT_TYPE_MAX double
#include "ft/counters.def"
    int64_t events;     /* detected faults; event[] keeps the first
                           STFI_FT_EVENTS */
    uint64_t unlocated; /* bit i: event[i].signal is only the first signal of
                           its group, any of which may be at fault */
    stf_ft_event event[STFI_FT_EVENTS];
} stfi_ft_ledger;

/* What came of the faults of one execution. */
typedef struct stfi_ft_result {
    int64_t repaired, failed;
    int64_t unverified;   /* groups of which their residuals say nothing */
    stf_ft_event failure; /* the first */
} stfi_ft_result;

/* Adds the outcome for a group to a ledger and to the result of an execution.
 * located: 1 if the event's signal is the one at fault, 0 if it is only the
 * first signal of the group. */
void stfi_ft_note(stfi_ft_ledger *ledger, stfi_ft_result *result,
                  stfi_ft_outcome outcome, const stf_ft_event *event,
                  int located);

/* Adds a ledger to another one, `sum`, whose events are the earlier ones. */
void stfi_ft_ledger_add(const stfi_ft_ledger *ledger, stfi_ft_ledger *sum);

/* Sets the counters that devices count. count[] is indexed by stfi_ft_outcome.
 * A device counts the rare detections that it could not locate; the others were
 * located. */
void stfi_ft_ledger_take(const unsigned long long *count,
                         stfi_ft_ledger *ledger);

/* Clears a report; adds a ledger to a report; adds a report to a report. */
void stfi_ft_report_clear(stf_ft_report *report);
void stfi_ft_ledger_report(const stfi_ft_ledger *ledger, stf_ft_report *report);
void stfi_ft_report_add(const stf_ft_report *report, stf_ft_report *sum);

#endif
