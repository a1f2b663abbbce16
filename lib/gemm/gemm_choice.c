/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Choices of matrix products and their text; see gemm_choice.h. */
#include "gemm/gemm_choice.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"

/* More parts of k than this are of no use, and neither are tiles of more rows. */
enum { MOST = 1 << 16 };

#define FIELD(name, most)                                 \
    {                                                     \
#name "=", offsetof(stfi_gemm_choice, name), most \
    }

/* The words beside the tile, each of which has one number. */
static const struct {
    const char *name;
    size_t at;
    int64_t most;
} words[] = {
    FIELD(parts, MOST), FIELD(apart, 1),   FIELD(beside, 1),
    FIELD(rows, MOST),  FIELD(cols, MOST), FIELD(block, MOST),
    FIELD(depth, MOST),
};

enum { WORDS = sizeof words / sizeof *words };

static int64_t *field(stfi_gemm_choice *choice, int word)
{
    return (int64_t *)(void *)((char *)choice + words[word].at);
}

/* ------------------------------------------------------------------ reading */

/* Reads a character and a number of at least 1. */
static int take(const char **text_p, char before, int64_t *value_p)
{
    return *(*text_p)++ == before
           && stfi_text_take_number(text_p, MOST, value_p);
}

/* Reads "0:128x64:8x8". */
static int take_tile(const char **text_p, stfi_gemm_choice *choice)
{
    const char unit = **text_p;

    if (choice->m != 0 || unit < '0' || unit > '9')
        return 0;
    ++*text_p;
    choice->unit = unit - '0';
    return take(text_p, ':', &choice->m) && take(text_p, 'x', &choice->n)
           && take(text_p, ':', &choice->thread_m)
           && take(text_p, 'x', &choice->thread_n);
}

static int starts(const char **text_p, const char *name)
{
    const size_t length = strlen(name);
    const int starts = strncmp(*text_p, name, length) == 0;

    *text_p += starts ? length : 0;
    return starts;
}

static int take_word(const char **text_p, stfi_gemm_choice *choice)
{
    if (starts(text_p, "tile="))
        return take_tile(text_p, choice);
    for (int i = 0; i < WORDS; i++)
        if (starts(text_p, words[i].name))
            return *field(choice, i) == 0
                   && stfi_text_take_number(text_p, words[i].most,
                                            field(choice, i));
    return 0;
}

int stfi_gemm_choice_parse(const char *text, stfi_gemm_choice *choice_p)
{
    stfi_gemm_choice choice;

    memset(&choice, 0, sizeof choice);
    if (strcmp(text, "model") != 0)
        do {
            if (!take_word(&text, &choice) || (*text != ' ' && *text != '\0'))
                return 0;
        } while (*text++ != '\0');
    if (choice.apart && choice.beside)
        return 0;
    *choice_p = choice;
    return 1;
}

/* ----------------------------------------------------------------- printing */

void stfi_gemm_choice_print(const stfi_gemm_choice *choice,
                            char text[STFI_GEMM_CHOICE_TEXT])
{
    stfi_gemm_choice c = *choice;
    stfi_text w = {text, STFI_GEMM_CHOICE_TEXT, 0};

    if (c.m != 0)
        stfi_text_put(
            &w, "tile=%" PRId64 ":%" PRId64 "x%" PRId64 ":%" PRId64 "x%" PRId64,
            c.unit, c.m, c.n, c.thread_m, c.thread_n);
    for (int i = 0; i < WORDS; i++)
        if (*field(&c, i) != 0)
            stfi_text_put(&w, "%s%s%" PRId64, w.length > 0 ? " " : "",
                          words[i].name, *field(&c, i));
    if (w.length == 0)
        stfi_text_put(&w, "model");
}
