/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The progress bar; see progress.h. */
#include "tools/command/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "tools/command/command.h"

enum { BAR_CELLS = 30 };

static const double FIRST_SECONDS = 1.0, STEP_SECONDS = 0.1;

void stfi_progress_begin(stfi_progress *p, const char *label, double total,
                         int quiet)
{
    *p = (stfi_progress){.label = label, .total = total};
    p->began = stfi_clock();
    p->enabled = !quiet && isatty(STDERR_FILENO);
}

void stfi_progress_update(stfi_progress *p, double done, const char *what)
{
    double now = stfi_clock();
    double part = p->total > 0.0 ? done / p->total : 1.0;
    char bar[BAR_CELLS + 1];

    if (!p->enabled || now - p->began < FIRST_SECONDS
        || (p->visible && now - p->drawn < STEP_SECONDS))
        return;
    for (int i = 0; i < BAR_CELLS; i++)
        bar[i] = i < part * BAR_CELLS ? '#' : '.';
    bar[BAR_CELLS] = '\0';
    fprintf(stderr, "\r%s [%s] %3.0f%% %.0f s  %-32.32s", p->label, bar,
            100.0 * part, now - p->began, what);
    fflush(stderr);
    p->drawn = now;
    p->visible = 1;
}

void stfi_progress_clear(stfi_progress *p)
{
    if (p->visible)
        fprintf(stderr, "\r%79s\r", "");
    p->visible = 0;
}
