/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Means over groups of problems; see summary.h. */
#include "tools/bench/summary.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/papers.h"

/* Percentiles of fewer numbers say nothing that the least does not. */
enum { FEW = 20 };

static void keep(stfi_spread *s, double value)
{
    if (s->count == s->capacity) {
        int capacity = s->capacity > 0 ? 2 * s->capacity : 64;
        double *all = realloc(s->value, (size_t)capacity * sizeof *all);

        if (all == NULL) {
            free(s->value);
            s->value = NULL;
            s->capacity = INT_MAX; /* no other try with some of them lost */
            return;
        }
        s->value = all;
        s->capacity = capacity;
    }
    if (s->value != NULL)
        s->value[s->count] = value;
}

static void spread_add(stfi_spread *s, double value, const char *word)
{
    if (!(value > 0.0))
        return;
    keep(s, value);
    s->logs += log(value);
    if (s->count++ == 0 || value < s->least) {
        s->least = value;
        snprintf(s->least_at, sizeof s->least_at, "%s", word);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The value that a twentieth of all does not reach; 0 if they are too few. */
static double fifth_percentile(stfi_spread *s)
{
    if (s->count < FEW || s->value == NULL)
        return 0.0;
    qsort(s->value, (size_t)s->count, sizeof *s->value, by_value);
    return s->value[s->count / 20];
}

static stfi_group *find(stfi_summary *s, const char *name, const char *ft)
{
    for (int i = 0; i < s->count; i++)
        if (strcmp(s->group[i].name, name) == 0
            && strcmp(s->group[i].ft, ft) == 0)
            return &s->group[i];
    if (s->count == STFI_SUMMARY_GROUPS)
        return NULL;
    s->group[s->count] = (stfi_group){.name = name, .ft = ft};
    return &s->group[s->count++];
}

void stfi_summary_add(stfi_summary *s, const char *group, const char *ft,
                      const char *word, double fraction, double ratio,
                      double speed)
{
    stfi_group *g = find(s, group, ft);

    if (g == NULL)
        return;
    g->problems++;
    spread_add(&g->fraction, fraction, word);
    spread_add(&g->ratio, ratio, word);
    spread_add(&g->speed, speed, word);
}

static void spread_print(stfi_spread *s, const char *what, FILE *file)
{
    double low = fifth_percentile(s);

    if (s->count == 0)
        return;
    fprintf(file, "; %s: geometric mean %.3f", what, exp(s->logs / s->count));
    if (low > 0.0)
        fprintf(file, ", 5th percentile %.3f", low);
    fprintf(file, ", minimum %.3f (%s)", s->least, s->least_at);
}

/* The cost is derived from the relative speed, so the slowest costs most. */
static double cost(double speed)
{
    return 100.0 * (1.0 / speed - 1.0);
}

static void cost_print(stfi_spread *s, FILE *file)
{
    double low = fifth_percentile(s);

    if (s->count == 0)
        return;
    fprintf(file, "; cost of protection: geometric mean %.1f %%",
            cost(exp(s->logs / s->count)));
    if (low > 0.0)
        fprintf(file, ", 95th percentile %.1f %%", cost(low));
    fprintf(file, ", maximum %.1f %% (%s)", cost(s->least), s->least_at);
}

static int is_protected(const stfi_group *g)
{
    return strcmp(g->ft, "off") != 0;
}

void stfi_summary_print(stfi_summary *s, const char *peer, FILE *file)
{
    char what[80];

    snprintf(what, sizeof what, "time of %s / ours", peer != NULL ? peer : "");
    for (int i = 0; i < s->count; i++) {
        stfi_group *g = &s->group[i];

        fprintf(file, "# %s%s%s%s%d problem%s", g->name,
                g->name[0] != '\0' ? ": " : "", is_protected(g) ? g->ft : "",
                is_protected(g) ? ": " : "", g->problems,
                g->problems == 1 ? "" : "s");
        spread_print(&g->fraction, "fraction of copy", file);
        spread_print(&g->ratio, what, file);
        cost_print(&g->speed, file);
        fputc('\n', file);
        if (!is_protected(g))
            stfi_paper_quote(g->name, file);
    }
}

void stfi_summary_end(stfi_summary *s)
{
    for (int i = 0; i < s->count; i++) {
        free(s->group[i].fraction.value);
        free(s->group[i].ratio.value);
        free(s->group[i].speed.value);
    }
    s->count = 0;
}
