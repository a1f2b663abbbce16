/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Schedules as text, for people and for golden tests. On a GPU the text
 * includes the configuration of each pass's kernel, which is chosen from the
 * pass; so this file uses both schedules and configurations. */
#ifndef STFI_FFT_SCHEDULE_TEXT_H
#define STFI_FFT_SCHEDULE_TEXT_H

#include "fft/schedule.h"

/* Writes the schedule as text like snprintf: returns the length of the whole
 * text, without the NUL. */
size_t stfi_schedule_print(const stfi_schedule *s, char *text, size_t capacity);

#endif
