/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kinds of protection that a bench measures beside each other. */
#ifndef STFI_COMMAND_PROTECTIONS_H
#define STFI_COMMAND_PROTECTIONS_H

#include "tools/command/options.h"

enum { STFI_MAX_PROTECTIONS = 32 };

typedef struct stfi_protection {
    const char *name; /* "off", "two-sided-8" */
    stf_ft_desc ft;
    int optional; /* one of all: left out where it is not there */
} stfi_protection;

typedef struct stfi_protections {
    int count; /* at least 1 */
    stfi_protection item[STFI_MAX_PROTECTIONS];
} stfi_protections;

/* What --ft and its friends ask for, what STEADFAST_FT says without --ft; off
 * comes first where it is. */
stfi_protections stfi_protections_of(const stfi_args *args);

/* "off", "detect" or "correct". */
const char *stfi_ft_mode_name(stf_ft_mode mode);

#endif
