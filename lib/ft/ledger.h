/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Ledgers: what checks found, by the list of counters.def. */
#ifndef STFI_FT_LEDGER_H
#define STFI_FT_LEDGER_H

#include <stdint.h>

#include "ft/outcome.h"
#include "steadfast.h"

enum { STFI_FT_EVENTS = 64 };

/* What the checks of an executable found, since it was made or the last
 * reset. A group is what one residual covers. */
typedef struct stfi_ft_ledger {
#define STFI_FT_COUNTER(name, NAME, field, combine, meaning) \
    STFI_FT_TYPE_##combine name;
#define STFI_FT_HOST_COUNTER STFI_FT_COUNTER
#define STFI_FT_TYPE_ADD int64_t
#define STFI_FT_TYPE_MAX double
#include "ft/counters.def"
    int64_t events;     /* the first of those that were detected are kept */
    uint64_t unlocated; /* bit i: event i has the first signal of a group,
                           of which any may be at fault */
    stf_ft_event event[STFI_FT_EVENTS];
} stfi_ft_ledger;

/* What came of one execution. */
typedef struct stfi_ft_result {
    int64_t repaired, failed;
    stf_ft_event failure; /* the first */
} stfi_ft_result;

/* Notes what a group has come to. located: the event's signal is the one at
 * fault, not only the first of the group. */
void stfi_ft_note(stfi_ft_ledger *ledger, stfi_ft_result *result,
                  stfi_ft_outcome outcome, const stf_ft_event *event,
                  int located);

/* Adds a ledger to another one, whose events are the earlier ones. */
void stfi_ft_ledger_add(const stfi_ft_ledger *ledger, stfi_ft_ledger *sum);

/* Sets what devices count, by the enumerators of stfi_ft_outcome. They count
 * what they cannot locate, which is rare. */
void stfi_ft_ledger_take(const unsigned long long *count,
                         stfi_ft_ledger *ledger);

/* Reports: of nothing; with what a ledger has; with what another one has. */
void stfi_ft_report_clear(stf_ft_report *report);
void stfi_ft_ledger_report(const stfi_ft_ledger *ledger, stf_ft_report *report);
void stfi_ft_report_add(const stf_ft_report *report, stf_ft_report *sum);

#endif
