/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Text that grows in a buffer; see text.h. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

void stfi_text_put(stfi_text *t, const char *format, ...)
{
    va_list args;
    size_t room = t->length < t->capacity ? t->capacity - t->length : 0;
    int n;

    va_start(args, format);
    n = vsnprintf(room > 0 ? t->text + t->length : NULL, room, format, args);
    va_end(args);
    if (n > 0)
        t->length += (size_t)n;
}
