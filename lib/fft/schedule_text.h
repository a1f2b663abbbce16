/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Schedules as text, for people and for golden tests. For a GPU the text has the
 * configuration of each pass's kernel, too, which is chosen from the pass: so
 * it stands above both. */
#ifndef STFI_FFT_SCHEDULE_TEXT_H
#define STFI_FFT_SCHEDULE_TEXT_H

#include "fft/schedule.h"

/* Writes the schedule as text like snprintf: the return value is the length
 * that the whole text has, without the NUL. */
size_t stfi_schedule_print(const stfi_schedule *s, char *text, size_t capacity);

#endif
