/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The problems that options, words, files and suites name. */
#ifndef STFI_COMMAND_PROBLEMS_H
#define STFI_COMMAND_PROBLEMS_H

#include "support/problem/problem.h"
#include "tools/command/options.h"

/* A problem, and the row of problems.def that it is of; "" for none. */
typedef struct stfi_listed {
    stfi_problem problem;
    const char *group;
} stfi_listed;

typedef struct stfi_problems {
    int count, capacity;
    stfi_listed *item;
} stfi_problems;

/* The one problem of a command that takes one: a word, or --n and friends,
 * protected as --ft and friends say, with the mode `missing` without --ft.
 * Errors: ARGUMENT. */
stf_status stfi_problem_of(const stfi_args *args, stf_ft_mode missing,
                           stfi_problem *p_p);

/* All problems that are asked for: words, --n, --problems FILE, --suite. Of
 * those without a batch, --n and suites get as many transforms as make
 * --elements or --bytes; words and files do too where one of these is given,
 * and else one transform, or --batch. How they are protected is left open.
 * Errors: ARGUMENT, IO, MEMORY. */
stf_status stfi_problems_of(const stfi_args *args, stfi_problems *list_p);
void stfi_problems_free(stfi_problems *list);

#endif
