/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A second reference for tests: FFTW in long double, where it is installed. */
#ifndef STFI_HARNESS_SECOND_H
#define STFI_HARNESS_SECOND_H

#include "support/peers/peer.h"
#include "support/harness/trial.h"

/* Transforms the trial's input by FFTW in long double, unscaled whatever scale
 * factors the descriptor has; otherwise like stfi_trial_want(). Errors:
 * UNSUPPORTED (the layout), IO (no FFTW in long double), MEMORY. */
stf_status stfi_second_want(stfi_peer *peer, const stfi_trial *t,
                            stf_direction direction, long double **want_p);

#endif
