/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What is in a report, by the list of its counters: tests say what may be in
 * it, and a new counter is in all of them. */
#ifndef STFI_TESTS_REPORT_H
#define STFI_TESTS_REPORT_H

#include "ft/ledger.h"

#define REPORT_BIT(NAME) (1u << STFI_FT_##NAME)

/* The counters that are not 0, as bits. */
static inline unsigned report_bits(const stf_ft_report *r)
{
    unsigned bits = 0;

#define STFI_FT_COUNTER(name, NAME, field, combine, meaning) \
    if (r->field < 0 || r->field > 0)                        \
        bits |= REPORT_BIT(NAME);
#define STFI_FT_HOST_COUNTER STFI_FT_COUNTER
#include "ft/counters.def"
    return bits;
}

/* 1 if groups may have been checked, with any residual, and nothing was found
 * but what these bits say. */
static inline int report_has_only(const stf_ft_report *r, unsigned allowed)
{
    allowed |= REPORT_BIT(CHECKED) | REPORT_BIT(MAX_RESIDUAL);
    return (report_bits(r) & ~allowed) == 0;
}

#endif
