/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* One run of `steadfast verify`: its device and options, and the results that it
 * prints as TAP. */
#ifndef STFI_VERIFY_SESSION_H
#define STFI_VERIFY_SESSION_H

#include "tools/command/options.h"
#include "tools/file/outfile.h"
#include "tools/verify/accuracy.h"
#include "tools/verify/agreement.h"
#include "tools/verify/digest.h"

typedef struct stfi_verify_session {
    const stfi_args *args;
    stf_device *dev;
    stf_device_info info;
    stfi_accuracy accuracy;
    stfi_digests known; /* the digests of --against FILE */
    stfi_agreement agreement;
    int against_file;
    stfi_outfile record; /* its stream is NULL without --record */
    stf_ft_desc ft;      /* how the plans are protected */
    uint64_t seed;
    int number, failures, skips;
} stfi_verify_session;

/* Print a result, or a problem that was skipped. */
void stfi_verify_result(stfi_verify_session *s, int pass, const char *label,
                        const char *detail);
void stfi_verify_skip(stfi_verify_session *s, const char *label,
                      const char *reason);

/* Reports a problem that could not be run. It is skipped if a precision or a
 * reference is missing, and a failure otherwise. */
void stfi_verify_status(stfi_verify_session *s, const char *label,
                        stf_status status);

/* A seed for each problem that depends on its label only, and not on which
 * other problems are run. */
uint64_t stfi_verify_seed(const stfi_verify_session *s, const char *label);

/* 1 if the digest of the label should have all values: for --values, and to
 * compare them with those in the file of --against. */
int stfi_verify_wants_values(const stfi_verify_session *s, const char *label);

/* Writes a digest to the file of --record, and compares it with that of the same
 * label in the file of --against, each if there is one. The error of either
 * digest may be `bound`. */
void stfi_verify_digest(stfi_verify_session *s, const stfi_digest *mine,
                        stf_precision precision, double bound);

/* Reports a failure if the plan's own checks found something, as no faults are
 * expected here. *quiet_p is 1 if they found nothing. */
stf_status stfi_verify_checks(stfi_verify_session *s, stf_plan *plan,
                              const char *label, int *quiet_p);

#endif
