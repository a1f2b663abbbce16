/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The one option parser of the command: options.def lists every option, and a
 * subcommand names those that it takes. */
#ifndef STFI_COMMAND_OPTIONS_H
#define STFI_COMMAND_OPTIONS_H

#include <stdio.h>

#include "steadfast.h"

typedef enum stfi_opt {
#define STFI_OPTION(id, name, letter, type, value, low, high, help) \
    STFI_OPT_##id,
#include "tools/command/options.def"
#undef STFI_OPTION
    STFI_OPT_COUNT
} stfi_opt;

/* The value of --ft beside the modes. Of --ft's values several may be given:
 * each is a bit of the option's integer. */
enum { STFI_FT_ALL = STF_FT_CORRECT + 1 };

/* The options that say how plans are protected. */
#define STFI_OPTS_FT                                                         \
    STFI_OPT_FT, STFI_OPT_FT_LEVEL, STFI_OPT_END_TO_END, STFI_OPT_FT_SCHEME, \
        STFI_OPT_TRANSACTIONS, STFI_OPT_FT_THRESHOLD

/* The options that say what is transformed, and those that say on which device
 * it is done and how a table is printed. */
#define STFI_OPTS_PROBLEM                                           \
    STFI_OPT_N, STFI_OPT_BATCH, STFI_OPT_KIND, STFI_OPT_PRECISION,  \
        STFI_OPT_COMPUTE, STFI_OPT_EFFORT, STFI_OPT_EFFORT_SECONDS, \
        STFI_OPT_IN_PLACE
#define STFI_OPTS_TABLE                                             \
    STFI_OPT_DEVICE, STFI_OPT_THREADS, STFI_OPT_CSV, STFI_OPT_JSON, \
        STFI_OPT_QUIET, STFI_OPT_HELP

/* The value that was given for one option. */
typedef struct stfi_value {
    int given;
    const char *text;
    int64_t integer; /* an integer, a seed, or a choice's enum; for --ft, a bit
                      * 1 << mode for each value */
} stfi_value;

typedef struct stfi_args {
    stfi_value value[STFI_OPT_COUNT];
    char **word; /* the arguments that are no options */
    int nwords;
} stfi_args;

/* A subcommand. */
typedef struct stfi_command {
    const char *name;
    const char *words;   /* shown after the name: "IN -o OUT" */
    const char *summary; /* one line */
    const char *notes;   /* further text of the help, "" for none */
    int max_words;
    const stfi_opt *options;           /* ends with STFI_OPT_COUNT */
    int (*run)(const stfi_args *args); /* returns the exit status */
} stfi_command;

/* Sorts argv[0..argc-1] into options and words; the words are moved to the
 * front of argv, which args keeps. Errors: ARGUMENT, naming the option. */
stf_status stfi_options_parse(const stfi_command *command, int argc,
                              char **argv, stfi_args *args_p);

/* Prints the help of a subcommand. */
void stfi_options_help(const stfi_command *command, FILE *file);

/* Parses "360x7" up to its end or a comma into n[0..most-1]; *end_p is where
 * it stopped. Returns the rank, or 0 for what is not a shape. */
int stfi_shape_parse(const char *text, int64_t *n, int most,
                     const char **end_p);

/* The value that was given, or `missing` if the option was not given. */
int64_t stfi_args_integer(const stfi_args *args, stfi_opt option,
                          int64_t missing);
const char *stfi_args_text(const stfi_args *args, stfi_opt option,
                           const char *missing);
int stfi_args_given(const stfi_args *args, stfi_opt option);

/* Sets the kind of a descriptor to that of --kind, or `missing` without it. If
 * --kind names one for each axis, sets kinds[] and the rank, too, and returns
 * how many there are; 0 otherwise. */
int stfi_args_kind(const stfi_args *args, stf_kind missing, stf_fft_desc *d);

/* The protection that --ft-level and the other options beside --ft describe;
 * the mode is left at its default. */
stf_ft_desc stfi_args_ft(const stfi_args *args);

/* The same with the mode of --ft, or `missing` without --ft.
 * Errors: ARGUMENT, if --ft has more than one mode. */
stf_status stfi_args_protection(const stfi_args *args, stf_ft_mode missing,
                                stf_ft_desc *ft_p);

#endif
