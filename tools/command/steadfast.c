/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The command `steadfast`: finds the subcommand, parses its options, runs. */
#include <stdio.h>
#include <string.h>

#include "tools/command/command.h"

static const stfi_command *const commands[] = {
    &stfi_cmd_info,  &stfi_cmd_fft,    &stfi_cmd_gemm,   &stfi_cmd_plan,
    &stfi_cmd_bench, &stfi_cmd_verify, &stfi_cmd_inject, &stfi_cmd_cache,
    &stfi_cmd_tune,  &stfi_cmd_wisdom,
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *file)
{
    fprintf(file,
            "Usage: steadfast SUBCOMMAND [OPTION]...\n"
            "Fourier transforms and matrix products, and how accurate and "
            "how fast they are.\n\nSubcommands:\n");
    for (int i = 0; i < COMMANDS; i++)
        fprintf(file, "  %-8s  %s\n", commands[i]->name, commands[i]->summary);
    fprintf(file, "\nsteadfast SUBCOMMAND --help tells more; "
                  "steadfast --version prints the version.\n"
                  "Exit status: 0 success, 1 a failed check or an error, 2 bad "
                  "usage.\n");
}

static int run_command(const stfi_command *command, int argc, char **argv)
{
    stfi_args args;
    stf_status status;

    stfi_command_enter(command->name);
    status = stfi_options_parse(command, argc, argv, &args);
    if (status != STF_OK)
        return stfi_exit_of(status);
    if (stfi_args_given(&args, STFI_OPT_HELP)) {
        stfi_options_help(command, stdout);
        return STFI_EXIT_OK;
    }
    return command->run(&args);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return STFI_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return STFI_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("steadfast %s\n", stf_version());
        return STFI_EXIT_OK;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i]->name) == 0)
            return run_command(commands[i], argc - 2, argv + 2);
    return stfi_usage("there is no subcommand or option \"%s\"", argv[1]);
}

int main(int argc, char **argv)
{
    int result = dispatch(argc, argv);

    /* Printed text may not have reached its file: a full disk is noticed only
     * here. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        stfi_complain("standard output cannot be written");
        return STFI_EXIT_FAILED;
    }
    return result;
}
