/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What plans of all classes do with an effort above STF_EFFORT_ESTIMATE: keys of
 * wisdom, looking for it, keeping what was measured, and saying so. A class says
 * which words describe a problem, and how a choice is read from text. */
#ifndef STFI_RUN_EFFORT_H
#define STFI_RUN_EFFORT_H

#include "base/text.h"
#include "run/contest.h"

/* Appends what of protection decides which plan is fast, as a part of a problem's
 * words. */
void stfi_effort_put_ft(stfi_text *w, const stf_ft_desc *ft);

/* The name of a way to compute, in the same words. */
const char *stfi_effort_compute(stf_compute compute);

/* What wisdom says of a problem. */
typedef enum stfi_recalled {
    STFI_NOT_KNOWN,
    STFI_KNOWN,
    STFI_NOT_USABLE /* there is a value, which is no choice */
} stfi_recalled;

/* Reads a choice; returns 0 if the text is none. */
typedef int stfi_effort_parse(const char *text, void *choice_p);

/* Looks for wisdom of the effort, or of more, under the words of a problem. Words
 * that are too long, and a device that says nothing about itself, have none. */
stfi_recalled stfi_effort_recall(const stf_device *dev, const char *words,
                                 stf_effort effort, stfi_effort_parse *parse,
                                 void *choice_p);

/* Keeps the text of a choice that was measured. */
void stfi_effort_keep(const stf_device *dev, const char *words,
                      stf_effort effort, const char *choice);

/* Writes how a plan was chosen: by wisdom if m is NULL, else by what was measured,
 * after wisdom that was there could not be used if `recalled` says so. */
void stfi_effort_say(stf_effort effort, const char *choice,
                     stfi_recalled recalled, const stfi_measured *m, char *text,
                     size_t capacity);

#endif
