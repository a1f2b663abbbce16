/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What measurements of plans tell a callback. */
#ifndef STFI_TESTS_UNIT_TOLD_H
#define STFI_TESTS_UNIT_TOLD_H

#include <stdint.h>

#include "steadfast.h"
#include "tests/tap.h"

/* What a callback was told, and when it wants an end. */
typedef struct told {
    int calls, end_at; /* 0: never */
    double last;
    int fine;
} told;

static inline int32_t told_note(void *data, double done)
{
    told *t = data;

    t->fine = t->fine && done >= t->last && done >= 0.0 && done <= 1.0;
    t->last = done;
    return ++t->calls == t->end_at;
}

/* Tests plans that are made with the callback told_note() and `t`, which is told more
 * often than `least`; plans(t, what) returns whether they say so of how they were
 * chosen. */
static inline void told_test(int (*plans)(told *t, const char *what), int least)
{
    told all = {0, 0, 0.0, 1}, one = {0, 1, 0.0, 1};

    stf_wisdom_forget();
    tap_ok(plans(&one, "no time to measure, model") && one.calls == 1
               && one.fine,
           "a callback ends a measurement at once");
    tap_ok(plans(&all, " ways in ") && all.calls > least && all.fine
               && all.last == 1.0,
           "it is told of %d steps, the last one 1", all.calls);
    one = all;
    tap_ok(plans(&all, "by wisdom") && one.calls == all.calls,
           "and of nothing where nothing is measured");
}

#endif
