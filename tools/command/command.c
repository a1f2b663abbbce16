/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Messages and clock of the command; see command.h. */
#include "tools/command/command.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

static const char *entered;

void stfi_command_enter(const char *subcommand)
{
    entered = subcommand;
}

static void complain(const char *format, va_list args)
{
    fflush(stdout);
    fprintf(stderr, "steadfast%s%s: ", entered ? " " : "",
            entered ? entered : "");
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void stfi_complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
}

int stfi_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
    fprintf(stderr, "Try 'steadfast%s%s --help'.\n", entered ? " " : "",
            entered ? entered : "");
    return STFI_EXIT_USAGE;
}

int stfi_exit_of(stf_status status)
{
    if (status == STF_ERR_ARGUMENT)
        return stfi_usage("%s", stf_error_message());
    stfi_complain("%s", stf_error_message());
    return STFI_EXIT_FAILED;
}

void *stfi_session(size_t bytes)
{
    void *session = calloc(1, bytes);

    if (session == NULL)
        stfi_complain("out of memory");
    return session;
}

double stfi_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
