/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Which counters of a report are not zero, made from the list of counters.
 * Tests say what a report may contain, and a new counter is covered by all of
 * them. */
#ifndef STFI_TESTS_REPORT_H
#define STFI_TESTS_REPORT_H

#include "ft/ledger.h"

#define REPORT_BIT(NAME) (1u << STFI_FT_##NAME)

/* The counters that are not 0, as a set of bits. */
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

/* 1 if nothing was counted except what these bits name; checked groups and any
 * residual are always allowed. */
static inline int report_has_only(const stf_ft_report *r, unsigned allowed)
{
    allowed |= REPORT_BIT(CHECKED) | REPORT_BIT(MAX_RESIDUAL);
    return (report_bits(r) & ~allowed) == 0;
}

#endif
