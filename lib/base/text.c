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

int stfi_text_take_number(const char **text_p, int64_t most, int64_t *value_p)
{
    const char *text = *text_p;
    int64_t value = 0;

    if (*text < '1' || *text > '9')
        return 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (value > (INT64_MAX - 9) / 10)
            return 0;
        value = 10 * value + (*text - '0');
    }
    if (value > most)
        return 0;
    *text_p = text;
    *value_p = value;
    return 1;
}
