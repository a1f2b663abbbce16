/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What targets make of their bytes; see fuzz.h. */
#include "tests/fuzz/fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_fail(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    fputs("fuzz: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    abort();
}

uint8_t fuzz_byte(fuzz_bytes *b)
{
    if (b->left == 0)
        return 0;
    b->left--;
    return *b->at++;
}

uint64_t fuzz_u64(fuzz_bytes *b)
{
    uint64_t value = 0;

    for (int i = 0; i < 8; i++)
        value |= (uint64_t)fuzz_byte(b) << (8 * i);
    return value;
}

int fuzz_below(fuzz_bytes *b, int count)
{
    return fuzz_byte(b) % count;
}

char *fuzz_text(fuzz_bytes *b)
{
    char *text = malloc(b->left + 1);

    if (text == NULL)
        fuzz_fail("no memory for %zu bytes", b->left + 1);
    memcpy(text, b->at, b->left);
    text[b->left] = '\0';
    b->at += b->left;
    b->left = 0;
    return text;
}
