/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Text that grows inside a buffer of the caller's, like a row of snprintf(). */
#ifndef STFI_BASE_TEXT_H
#define STFI_BASE_TEXT_H

#include <stddef.h>

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

#endif
