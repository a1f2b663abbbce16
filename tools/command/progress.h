/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A progress bar on stderr for work that takes long. It is drawn only on a
 * terminal, and only after the first second. */
#ifndef STFI_COMMAND_PROGRESS_H
#define STFI_COMMAND_PROGRESS_H

typedef struct stfi_progress {
    const char *label;
    double total;
    double began, drawn; /* seconds on stfi_clock() */
    int enabled, visible;
} stfi_progress;

/* Begins work of `total` steps. quiet: 1 if no bar is to be drawn. */
void stfi_progress_begin(stfi_progress *p, const char *label, double total,
                         int quiet);

/* Says that `done` steps are done, and what is being done now (may be ""). */
void stfi_progress_update(stfi_progress *p, double done, const char *what);

/* Wipes the bar, before other output or at the end. */
void stfi_progress_clear(stfi_progress *p);

#endif
