/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Filling, adding and reporting ledgers; see ledger.h. */
#include "ft/ledger.h"

#include <stddef.h>
#include <string.h>

/* How the counters of two ledgers are combined. */
#define COMBINE_ADD(sum, one) ((sum) + (one))
#define COMBINE_MAX(sum, one) ((one) > (sum) ? (one) : (sum))

void stfi_ft_note(stfi_ft_ledger *l, stfi_ft_result *result,
                  stfi_ft_outcome outcome, const stf_ft_event *event,
                  int located)
{
    int64_t *const counts[] = {
#define STFI_FT_COUNTER(name, NAME, field, combine, meaning) \
    [STFI_FT_##NAME] = &l->name,
#include "ft/counters.def"
    };

    if (outcome != STFI_FT_DETECTED)
        ++*counts[outcome];
    result->unverified +=
        outcome == STFI_FT_NON_FINITE || outcome == STFI_FT_OVERFLOWED;
    if (!stfi_ft_is_fault(outcome))
        return;
    l->detected++;
    l->located += located;
    if (l->events < STFI_FT_EVENTS) {
        l->event[l->events] = *event;
        l->unlocated |= (uint64_t)!located << l->events;
    }
    l->events++;
    result->repaired += outcome == STFI_FT_RECOMPUTED;
    if (outcome == STFI_FT_UNCORRECTABLE && result->failed++ == 0)
        result->failure = *event;
}

static int64_t kept_of(const stfi_ft_ledger *l)
{
    return l->events < STFI_FT_EVENTS ? l->events : STFI_FT_EVENTS;
}

void stfi_ft_ledger_add(const stfi_ft_ledger *l, stfi_ft_ledger *sum)
{
#define STFI_FT_COUNTER(name, NAME, field, combine, meaning) \
    sum->name = COMBINE_##combine(sum->name, l->name);
#define STFI_FT_HOST_COUNTER STFI_FT_COUNTER
#include "ft/counters.def"
    for (int64_t i = 0; i < kept_of(l) && sum->events + i < STFI_FT_EVENTS;
         i++) {
        sum->event[sum->events + i] = l->event[i];
        sum->unlocated |= (l->unlocated >> i & 1) << (sum->events + i);
    }
    sum->events += l->events;
}

void stfi_ft_ledger_take(const unsigned long long *count, stfi_ft_ledger *l)
{
#define STFI_FT_COUNTER(name, NAME, field, combine, meaning) \
    l->name = (int64_t)count[STFI_FT_##NAME];
#include "ft/counters.def"
    l->located = l->detected - (int64_t)count[STFI_FT_UNLOCATED];
}

void stfi_ft_report_clear(stf_ft_report *r)
{
    memset(r, 0, sizeof *r);
    r->first_event.pass = -1;
    r->first_event.signal = -1;
}

/* If there are several events, the one with the lowest signal is reported. */
static void add_event(const stf_ft_event *event, stf_ft_report *r)
{
    if (r->first_event.signal < 0 || event->signal < r->first_event.signal)
        r->first_event = *event;
}

void stfi_ft_ledger_report(const stfi_ft_ledger *l, stf_ft_report *r)
{
#define STFI_FT_COUNTER(name, NAME, field, combine, meaning) \
    r->field = COMBINE_##combine(r->field, l->name);
#define STFI_FT_HOST_COUNTER STFI_FT_COUNTER
#include "ft/counters.def"
    for (int64_t i = 0; i < kept_of(l); i++)
        add_event(&l->event[i], r);
}

void stfi_ft_report_add(const stf_ft_report *r, stf_ft_report *sum)
{
#define STFI_FT_COUNTER(name, NAME, field, combine, meaning) \
    sum->field = COMBINE_##combine(sum->field, r->field);
#define STFI_FT_HOST_COUNTER STFI_FT_COUNTER
#include "ft/counters.def"
    if (r->first_event.signal >= 0)
        add_event(&r->first_event, sum);
}
