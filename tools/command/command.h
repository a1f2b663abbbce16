/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the subcommands share: their table, exit statuses, messages, clock. */
#ifndef STFI_COMMAND_COMMAND_H
#define STFI_COMMAND_COMMAND_H

#include "base/status.h"
#include "tools/command/options.h"

enum {
    STFI_EXIT_OK = 0,
    STFI_EXIT_FAILED = 1, /* a failed check, or an error while running */
    STFI_EXIT_USAGE = 2
};

extern const stfi_command stfi_cmd_info, stfi_cmd_fft, stfi_cmd_gemm,
    stfi_cmd_plan, stfi_cmd_bench, stfi_cmd_verify, stfi_cmd_inject,
    stfi_cmd_cache, stfi_cmd_tune, stfi_cmd_wisdom;

/* Sets the subcommand's name for messages; NULL for the command as a whole. */
void stfi_command_enter(const char *subcommand);

/* Prints "steadfast NAME: message" on stderr. */
void stfi_complain(const char *format, ...) STFI_PRINTF(1, 2);

/* Prints such a message with a hint at --help; returns STFI_EXIT_USAGE. */
int stfi_usage(const char *format, ...) STFI_PRINTF(1, 2);

/* Prints the library's last message; returns the exit status that goes with
 * an error: an argument is bad usage, all others are failures. */
int stfi_exit_of(stf_status status);

/* Allocates zeroed memory for a subcommand's run, to be freed by free().
 * Returns NULL, after a message, if there is none. */
void *stfi_session(size_t bytes);

/* Seconds on a clock that never jumps. */
double stfi_clock(void);

#endif
