/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Signals and a plan of theirs that is checked from input to output, for
 * tests, on the cpu device. */
#ifndef STFI_TESTS_FT_GUARDED_H
#define STFI_TESTS_FT_GUARDED_H

#include "tests/ft/signals.h"

typedef struct stfi_guarded {
    stfi_signals s;
    stf_plan *plan;
    size_t bytes; /* of the output */
    void *clean;  /* the output of the unprotected plan */
} stfi_guarded;

/* All kinds, one and several axes, few and many passes. NULL past the end. */
const char *stfi_guarded_word(int i);

/* Plans, draws normal data and keeps what the unprotected plan makes of them.
 * Close it in any case; a failure is a failed test. Returns 1 if all is
 * well. */
int stfi_guarded_open(stfi_guarded *g, stf_device *dev, const char *word,
                      stf_ft_mode mode, stf_ft_level level, int end_to_end);
void stfi_guarded_close(stfi_guarded *g);

/* Executes into an output that was poisoned. */
stf_status stfi_guarded_run(stfi_guarded *g);

/* 1 if the output is that of the unprotected plan to the last bit. */
int stfi_guarded_is_clean(const stfi_guarded *g);

/* The report since the last call, and its status. */
stf_status stfi_guarded_report(stfi_guarded *g, stf_ft_report *r);

/* A large error somewhere. Results that nobody stores may have it, too. */
stf_fault stfi_guarded_fault(const stfi_guarded *g, uint64_t *state);

/* 1 if nothing at all was found in `checked` residuals. */
int stfi_report_is_clean(const stf_ft_report *r, int64_t checked);

/* 1 if the transform of this fault was found, and no other. */
int stfi_report_names(const stf_ft_report *r, const stf_fault *f);

#endif
