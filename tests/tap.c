/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A small producer of the Test Anything Protocol. */
#include "tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE_BYTES = 1024 };

static struct {
    uint64_t seed;
    tap_level_t level;
    int part, parts;
    int results;
    int failures;
} tap = {.seed = 1, .level = TAP_NORMAL, .parts = 1};

static const char *const level_names[] = {
    [TAP_QUICK] = "quick", [TAP_NORMAL] = "normal", [TAP_LONG] = "long"};

static uint64_t read_seed(const char *text)
{
    if (!text || !*text)
        return 1;
    if (!strcmp(text, "clock"))
        return (uint64_t)time(NULL);
    return strtoull(text, NULL, 0);
}

static tap_level_t read_level(const char *text)
{
    int i;

    for (i = TAP_QUICK; text && i <= TAP_LONG; i++)
        if (!strcmp(text, level_names[i]))
            return (tap_level_t)i;
    return TAP_NORMAL;
}

/* Reads "K/N" or "K/N PROGRAM" in front of a comma or the end. Returns 1 if it
 * is understood and speaks of this program. */
static int read_clause(const char *text, const char *program)
{
    char only[LINE_BYTES] = "";
    int part, parts;

    if (sscanf(text, "%d/%d %1023[^,]", &part, &parts, only) < 2 || part < 0
        || part >= parts || (only[0] != '\0' && strcmp(only, program)))
        return 0;
    tap.part = part;
    tap.parts = parts;
    return 1;
}

/* Parses such clauses, between commas. If none is understood and speaks of this
 * program, it takes all of its problems. */
static void read_part(const char *text, const char *program)
{
    tap.part = 0;
    tap.parts = 1;
    while (text && !read_clause(text, program)) {
        text = strchr(text, ',');
        text += text != NULL;
    }
}

/* Prints a line without newlines and '#' in the description, which would be
 * read as protocol. */
static void print_line(const char *head, const char *format, va_list args,
                       const char *escape)
{
    char line[LINE_BYTES];
    char *c;

    vsnprintf(line, sizeof line, format, args);
    for (c = line; *c; c++)
        if (strchr(escape, *c))
            *c = *c == '#' ? '=' : ' ';
    printf("%s%s", head, line);
}

void tap_begin(const char *program)
{
    tap.seed = read_seed(getenv("STF_TEST_SEED"));
    tap.level = read_level(getenv("STF_TEST_LEVEL"));
    read_part(getenv("STF_TEST_PART"), program);
    tap_diag("%s: STF_TEST_SEED=%llu STF_TEST_LEVEL=%s STF_TEST_PART=%d/%d",
             program, (unsigned long long)tap.seed, level_names[tap.level],
             tap.part, tap.parts);
}

uint64_t tap_seed(void)
{
    return tap.seed;
}

tap_level_t tap_level(void)
{
    return tap.level;
}

int tap_takes(int64_t i)
{
    return i % tap.parts == tap.part;
}

int tap_samples(int64_t i)
{
    return tap.level == TAP_QUICK && tap.parts == 1 ? i % 3 == 0 : tap_takes(i);
}

int tap_takes_all(void)
{
    return tap.parts == 1;
}

/* Prints a result but not the end of its line. */
static void print_result(int pass, const char *format, va_list args)
{
    char head[64];

    tap.results++;
    snprintf(head, sizeof head, "%sok %d - ", pass ? "" : "not ", tap.results);
    print_line(head, format, args, "#\n\r");
}

int tap_ok(int pass, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_result(pass, format, args);
    va_end(args);
    putchar('\n');
    if (!pass) {
        tap.failures++;
        tap_diag("failed with STF_TEST_SEED=%llu STF_TEST_LEVEL=%s",
                 (unsigned long long)tap.seed, level_names[tap.level]);
    }
    fflush(stdout);
    return pass;
}

void tap_skip(const char *reason, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_result(1, format, args);
    va_end(args);
    printf(" # SKIP %s\n", reason);
    fflush(stdout);
}

void tap_todo(int pass, const char *reason, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_result(pass, format, args);
    va_end(args);
    if (pass)
        putchar('\n');
    else
        printf(" # TODO %s\n", reason);
    fflush(stdout);
}

void tap_diag(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_line("# ", format, args, "\n\r");
    va_end(args);
    putchar('\n');
    fflush(stdout);
}

int tap_end(void)
{
    printf("1..%d\n", tap.results);
    fflush(stdout);
    if (tap.failures)
        tap_diag("%d of %d failed", tap.failures, tap.results);
    return tap.failures != 0;
}
