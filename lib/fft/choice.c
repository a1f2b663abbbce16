/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Choices and their text; see choice.h. */
#include "fft/choice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A longer number than any length there can be would overflow products. */
static const int64_t MOST = INT64_MAX / 256;

int stfi_choice_is_unit_radix(int64_t radix)
{
    return radix == 2 || radix == 4 || radix == 8 || radix == 16;
}

/* ------------------------------------------------------------------ reading */

static int take_number(const char **text_p, int64_t *value_p)
{
    return stfi_text_take_number(text_p, MOST, value_p);
}

/* Reads "1024:32x32", up to a space or the end. */
static int take_list(const char **text_p, stfi_choice_list *list_p)
{
    stfi_choice_list list = {.n = 0};
    int64_t product = 1;

    if (!take_number(text_p, &list.n) || **text_p != ':')
        return 0;
    do {
        int64_t f;
        ++*text_p;
        if (list.count == STFI_CHOICE_FACTORS || !take_number(text_p, &f)
            || f > list.n / product)
            return 0;
        product *= f;
        list.factor[list.count++] = f;
    } while (**text_p == 'x');
    *list_p = list;
    return product == list.n;
}

static int take_split(const char **text_p, stfi_choice *choice)
{
    stfi_choice_list list;

    return take_list(text_p, &list) && stfi_choice_split(choice, list.n) == NULL
           && stfi_choice_set_split(choice, &list);
}

static int take_radices(const char **text_p, stfi_choice *choice)
{
    stfi_choice_list list;

    return take_list(text_p, &list)
           && stfi_choice_radices(choice, list.n) == NULL
           && stfi_choice_set_radices(choice, &list);
}

static int take_chunk(const char **text_p, stfi_choice *choice)
{
    return choice->chunk == 0 && take_number(text_p, &choice->chunk);
}

/* Reads "1". */
static int take_flag(const char **text_p, int *flag)
{
    int64_t value;

    if (*flag || !take_number(text_p, &value) || value != 1)
        return 0;
    *flag = 1;
    return 1;
}

static int take_apart(const char **text_p, stfi_choice *choice)
{
    return take_flag(text_p, &choice->apart);
}

static int take_native(const char **text_p, stfi_choice *choice)
{
    return take_flag(text_p, &choice->native);
}

/* Reads 2, 4, 8 or 16. */
static int take_units(const char **text_p, stfi_choice *choice)
{
    int64_t radix;

    if (choice->unit_radix != 0 || !take_number(text_p, &radix)
        || !stfi_choice_is_unit_radix(radix))
        return 0;
    choice->unit_radix = (int)radix;
    return 1;
}

/* Reads "1024:2". */
static int take_shape(const char **text_p, stfi_choice *choice)
{
    int64_t n, rank;

    if (!take_number(text_p, &n) || *(*text_p)++ != ':'
        || !take_number(text_p, &rank) || rank >= STFI_CHOICE_SHAPES)
        return 0;
    return stfi_choice_rank(choice, n) == 0
           && stfi_choice_set_rank(choice, n, (int)rank);
}

static const struct {
    const char *name;
    int (*take)(const char **text_p, stfi_choice *choice);
} words[] = {
    {"chunk=", take_chunk}, {"apart=", take_apart}, {"native=", take_native},
    {"units=", take_units}, {"split=", take_split}, {"radices=", take_radices},
    {"shape=", take_shape},
};

enum { WORDS = sizeof words / sizeof *words };

int stfi_choice_parse(const char *text, stfi_choice *choice_p)
{
    stfi_choice choice;

    memset(&choice, 0, sizeof choice);
    if (strcmp(text, "model") == 0) {
        *choice_p = choice;
        return 1;
    }
    for (;;) {
        int i = 0;
        while (i < WORDS
               && strncmp(text, words[i].name, strlen(words[i].name)) != 0)
            i++;
        if (i == WORDS)
            return 0;
        text += strlen(words[i].name);
        if (!words[i].take(&text, &choice) || (*text != ' ' && *text != '\0'))
            return 0;
        if (*text++ == '\0')
            break;
    }
    *choice_p = choice;
    return 1;
}

/* ----------------------------------------------------------------- printing */

static void put_list(stfi_text *w, const char *name,
                     const stfi_choice_list *list)
{
    stfi_text_put(w, "%s%s=%" PRId64, w->length > 0 ? " " : "", name, list->n);
    for (int i = 0; i < list->count; i++)
        stfi_text_put(w, "%c%" PRId64, i == 0 ? ':' : 'x', list->factor[i]);
}

int stfi_choice_print(const stfi_choice *choice, char text[STFI_CHOICE_TEXT])
{
    stfi_text w = {text, STFI_CHOICE_TEXT, 0};

    if (choice->chunk > 0)
        stfi_text_put(&w, "chunk=%" PRId64, choice->chunk);
    if (choice->apart)
        stfi_text_put(&w, "%sapart=1", w.length > 0 ? " " : "");
    if (choice->native)
        stfi_text_put(&w, "%snative=1", w.length > 0 ? " " : "");
    if (choice->unit_radix > 0)
        stfi_text_put(&w, "%sunits=%d", w.length > 0 ? " " : "",
                      choice->unit_radix);
    for (int i = 0; i < choice->splits; i++)
        put_list(&w, "split", &choice->split[i]);
    for (int i = 0; i < choice->radices; i++)
        put_list(&w, "radices", &choice->radix[i]);
    for (int i = 0; i < choice->shapes; i++)
        stfi_text_put(&w, "%sshape=%" PRId64 ":%d", w.length > 0 ? " " : "",
                      choice->shape[i].n, choice->shape[i].rank);
    if (w.length == 0)
        stfi_text_put(&w, "model");
    return w.length < STFI_CHOICE_TEXT;
}

/* -------------------------------------------------------------------- lists */

static int find(const stfi_choice_list *lists, int count, int64_t n)
{
    int i = count - 1;

    while (i >= 0 && lists[i].n != n)
        i--;
    return i;
}

const stfi_choice_list *stfi_choice_split(const stfi_choice *choice, int64_t n)
{
    int i = choice != NULL ? find(choice->split, choice->splits, n) : -1;

    return i >= 0 ? &choice->split[i] : NULL;
}

const stfi_choice_list *stfi_choice_radices(const stfi_choice *choice,
                                            int64_t n)
{
    int i = choice != NULL ? find(choice->radix, choice->radices, n) : -1;

    return i >= 0 ? &choice->radix[i] : NULL;
}

static int set(stfi_choice_list *lists, int *count,
               const stfi_choice_list *list)
{
    int i = find(lists, *count, list->n);

    if (i < 0 && *count == STFI_CHOICE_LISTS)
        return 0;
    if (i < 0)
        i = (*count)++;
    lists[i] = *list;
    return 1;
}

int stfi_choice_set_split(stfi_choice *choice, const stfi_choice_list *list)
{
    return set(choice->split, &choice->splits, list);
}

int stfi_choice_set_radices(stfi_choice *choice, const stfi_choice_list *list)
{
    return set(choice->radix, &choice->radices, list);
}

/* -------------------------------------------------------------------- ranks */

static int find_shape(const stfi_choice *choice, int64_t n)
{
    int i = choice->shapes - 1;

    while (i >= 0 && choice->shape[i].n != n)
        i--;
    return i;
}

int stfi_choice_rank(const stfi_choice *choice, int64_t n)
{
    int i = choice != NULL ? find_shape(choice, n) : -1;

    return i >= 0 ? choice->shape[i].rank : 0;
}

int stfi_choice_set_rank(stfi_choice *choice, int64_t n, int rank)
{
    int i = find_shape(choice, n);

    if (i < 0 && choice->shapes == STFI_CHOICE_LISTS)
        return 0;
    if (i < 0)
        i = choice->shapes++;
    choice->shape[i] = (stfi_choice_shape){n, rank};
    return 1;
}
