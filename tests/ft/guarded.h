/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Signals and an end-to-end checked plan for them, for tests, on the cpu
 * device. */
#ifndef STFI_TESTS_FT_GUARDED_H
#define STFI_TESTS_FT_GUARDED_H

#include "tests/ft/signals.h"

typedef struct stfi_guarded {
    stfi_signals s;
    stf_plan *plan;
    size_t bytes; /* bytes of the output */
    void *clean;  /* the output of the unprotected plan's passes, */
    void *whole;  /* and that of the plan as it runs without faults */
} stfi_guarded;

/* The words of problems of all kinds, with one and several axes, few and many
 * passes. NULL past the end. */
const char *stfi_guarded_word(int i);

/* Plans, draws normal data, and keeps the result of the unprotected plan. Close
 * it in any case; a failure is a failed test. Returns 1 on success. */
int stfi_guarded_open(stfi_guarded *g, stf_device *dev, const char *word,
                      stf_ft_mode mode, stf_ft_level level, int end_to_end);
void stfi_guarded_close(stfi_guarded *g);

/* Draws other data, and keeps the results of the unprotected plan. */
int stfi_guarded_draw(stfi_guarded *g, int distribution, uint64_t *state);

/* Executes; the output is overwritten with NaNs first. */
stf_status stfi_guarded_run(stfi_guarded *g);

/* 1 if the output equals that of the unprotected plan, or of its passes, in every
 * bit. */
int stfi_guarded_is_clean(const stfi_guarded *g);

/* The report since the last call; returns the status that goes with it. */
stf_status stfi_guarded_report(stfi_guarded *g, stf_ft_report *r);

/* A large error at a random place. The value may be one that nobody stores. */
stf_fault stfi_guarded_fault(const stfi_guarded *g, uint64_t *state);

/* 1 if `checked` residuals were compared and nothing at all was found. */
int stfi_report_is_clean(const stf_ft_report *r, int64_t checked);

/* 1 if the transform of this fault was found, and no other one. */
int stfi_report_names(const stf_ft_report *r, const stf_fault *f);

#endif
