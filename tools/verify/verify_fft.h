/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The verification of a transform: its digest, what its checks say, and its error. */
#ifndef STFI_VERIFY_FFT_H
#define STFI_VERIFY_FFT_H

#include "support/problem/problem.h"
#include "tools/verify/session.h"

/* Compares the error that was measured, s->accuracy, with the bound. */
void stfi_verify_oracle(stfi_verify_session *s, double bound,
                        const char *label);

/* Verifies a problem; `ending` ends its label, if it is not what the word of the
 * problem says. */
void stfi_verify_fft(stfi_verify_session *s, const stfi_problem *p,
                     stf_direction direction, const char *ending);

#endif
