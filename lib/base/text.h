/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Text that grows inside a buffer of the caller's, like a row of snprintf(), and
 * numbers in text. */
#ifndef STFI_BASE_TEXT_H
#define STFI_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Begin with a length of 0. What does not fit is cut, but counted: the text is
 * whole if length < capacity. */
typedef struct stfi_text {
    char *text;
    size_t capacity; /* bytes, the NUL among them */
    size_t length;   /* of the whole text, without the NUL */
} stfi_text;

/* Appends like printf(). Thread: any. */
void stfi_text_put(stfi_text *t, const char *format, ...) STFI_PRINTF(2, 3);

/* Reads a number from 1 to `most`, which has no sign and no 0 in front, and moves
 * *text_p behind it. Returns 0 if there is none. Thread: any. */
int stfi_text_take_number(const char **text_p, int64_t most, int64_t *value_p);

#endif
