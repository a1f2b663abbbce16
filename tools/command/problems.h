/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Lists of the problems that options, words, files and suites name: transforms and
 * matrix products. */
#ifndef STFI_COMMAND_PROBLEMS_H
#define STFI_COMMAND_PROBLEMS_H

#include "support/problem/problem.h"
#include "tools/command/options.h"

/* A problem, and the name of its suite's group; "" if it has none. */
typedef struct stfi_listed {
    int is_product;        /* 1: a matrix product */
    stfi_problem problem;  /* else a transform */
    int has_batch;         /* 1: of which a word says how many there are */
    stf_gemm_desc product; /* as gemm_problem.h parses it */
    const char *group;
} stfi_listed;

typedef struct stfi_problems {
    int count, capacity;
    stfi_listed *item;
} stfi_problems;

/* The problem of a command that takes exactly one: a word, or --n and the other
 * options. It is protected as --ft and the other options say; without --ft its
 * mode is `missing`. Errors: ARGUMENT. */
stf_status stfi_problem_of(const stfi_args *args, stf_ft_mode missing,
                           stfi_problem *p_p);

/* All problems that are asked for by words, --n, --problems FILE and --suite.
 * Where no batch is given, --n and suites get as many transforms as make
 * --elements or --bytes. Words and files do so too if one of these options is
 * given; otherwise they get --batch transforms, or one. The word of a matrix
 * product says all of it but the effort. How they are protected is not set.
 * Errors: ARGUMENT, IO, MEMORY. */
stf_status stfi_problems_of(const stfi_args *args, stfi_problems *list_p);
void stfi_problems_free(stfi_problems *list);

/* Moves the matrix products of a list to a list of their own.
 * Errors: MEMORY; then the list is as it was. */
stf_status stfi_problems_split(stfi_problems *list, stfi_problems *products_p);

/* Prints the word of a problem like snprintf. */
void stfi_listed_print(const stfi_listed *item, char *text, size_t capacity);

/* Gets --effort and --effort-seconds, 0 where they are not given. */
void stfi_args_effort(const stfi_args *args, stf_effort *effort_p,
                      double *seconds_p);

#endif
