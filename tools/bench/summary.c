/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Means over groups of problems; see summary.h. */
#include "tools/bench/summary.h"

#include <math.h>
#include <string.h>

static void spread_add(stfi_spread *s, double value, const char *dims)
{
    if (!(value > 0.0))
        return;
    s->logs += log(value);
    if (s->count++ == 0 || value < s->least) {
        s->least = value;
        snprintf(s->least_at, sizeof s->least_at, "%s", dims);
    }
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
                      const char *dims, double fraction, double ratio,
                      double speed)
{
    stfi_group *g = find(s, group, ft);

    if (g == NULL)
        return;
    g->problems++;
    spread_add(&g->fraction, fraction, dims);
    spread_add(&g->ratio, ratio, dims);
    spread_add(&g->speed, speed, dims);
}

static void spread_print(const stfi_spread *s, const char *what, FILE *file)
{
    if (s->count > 0)
        fprintf(file, "; %s: geometric mean %.3f, minimum %.3f (%s)", what,
                exp(s->logs / s->count), s->least, s->least_at);
}

/* The cost is derived from the relative speed, so the slowest costs most. */
static void cost_print(const stfi_spread *s, FILE *file)
{
    if (s->count > 0)
        fprintf(file,
                "; cost of protection: geometric mean %.1f %%, maximum "
                "%.1f %% (%s)",
                100.0 * (exp(-s->logs / s->count) - 1.0),
                100.0 * (1.0 / s->least - 1.0), s->least_at);
}

static int is_protected(const stfi_group *g)
{
    return strcmp(g->ft, "off") != 0;
}

void stfi_summary_print(const stfi_summary *s, const char *peer, FILE *file)
{
    char what[80];

    snprintf(what, sizeof what, "time of %s / ours", peer != NULL ? peer : "");
    for (int i = 0; i < s->count; i++) {
        const stfi_group *g = &s->group[i];

        fprintf(file, "# %s%s%s%s%d problem%s", g->name,
                g->name[0] != '\0' ? ": " : "", is_protected(g) ? g->ft : "",
                is_protected(g) ? ": " : "", g->problems,
                g->problems == 1 ? "" : "s");
        spread_print(&g->fraction, "fraction of copy", file);
        spread_print(&g->ratio, what, file);
        cost_print(&g->speed, file);
        fputc('\n', file);
    }
}
