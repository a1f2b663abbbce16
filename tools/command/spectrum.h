/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Charts of spectra: draws arrays by the functions of svg.h. */
#ifndef STFI_COMMAND_SPECTRUM_H
#define STFI_COMMAND_SPECTRUM_H

#include "tools/command/job.h"

/* Draws the magnitudes of a spectrum. One transformed axis gives lines in dB
 * over the frequency, for at most four signals. More axes give a heat map of
 * the last two, at frequency 0 of the others. `length` is the logical length of
 * the last transformed axis, of which a half spectrum holds n/2+1 elements.
 * Errors: IO, MEMORY. */
stf_status stfi_spectrum_plot(const char *path, const stfi_array *spectrum,
                              const int axis[STFI_ARRAY_RANK], int64_t length,
                              const char *name);

#endif
