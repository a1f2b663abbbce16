/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Lists of shapes in words; see shapes.h. */
#include "support/harness/shapes.h"

#include <stdio.h>
#include <string.h>

typedef void (*visitor)(void *context, const char *shape);

static int is_any(long n)
{
    return n > 0;
}

static int is_smooth(long n)
{
    static const long primes[] = {2, 3, 5, 7, 11, 13};
    size_t i;

    for (i = 0; i < sizeof primes / sizeof *primes; i++)
        while (n % primes[i] == 0)
            n /= primes[i];
    return n == 1;
}

static int is_prime(long n)
{
    long d;

    for (d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return n > 1;
}

static const struct {
    const char *prefix;
    int (*holds)(long n);
} ranges[] = {{"smooth:", is_smooth}, {"primes:", is_prime}, {"", is_any}};

int stfi_shapes_word(const char **list, char *word, size_t capacity)
{
    size_t length;

    *list += strspn(*list, " ");
    length = strcspn(*list, " ");
    snprintf(word, capacity, "%.*s", (int)length, *list);
    *list += length;
    return length > 0;
}

/* Visits the shapes of "a..b" or "a..b/k", which may follow one of the
 * prefixes. Returns 0 if the word is not a range. */
static int visit_range(const char *word, visitor visit, void *context)
{
    long low, high, step = 1, n, found = 0;
    char shape[32];
    size_t i = 0;

    while (strncmp(word, ranges[i].prefix, strlen(ranges[i].prefix)))
        i++;
    word += strlen(ranges[i].prefix);
    if (sscanf(word, "%ld..%ld/%ld", &low, &high, &step) < 2 || step < 1)
        return 0;
    for (n = low; n <= high; n++)
        if (ranges[i].holds(n) && found++ % step == 0) {
            snprintf(shape, sizeof shape, "%ld", n);
            visit(context, shape);
        }
    return 1;
}

void stfi_shapes_each(const char *list, visitor visit, void *context)
{
    char word[64];

    while (stfi_shapes_word(&list, word, sizeof word))
        if (!visit_range(word, visit, context))
            visit(context, word);
}
