/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kinds of protection that a bench measures side by side. */
#ifndef STFI_COMMAND_PROTECTIONS_H
#define STFI_COMMAND_PROTECTIONS_H

#include "tools/command/options.h"

enum { STFI_MAX_PROTECTIONS = 32 };

typedef struct stfi_protection {
    const char *name; /* "off", "two-sided-8" */
    stf_ft_desc ft;
    int optional; /* 1 for kinds that only `all` includes: they are left out
                   * where the device does not support them */
} stfi_protection;

typedef struct stfi_protections {
    int count; /* at least 1 */
    stfi_protection item[STFI_MAX_PROTECTIONS];
} stfi_protections;

/* The kinds that --ft and the other options ask for; without --ft the plan's
 * default, which STEADFAST_FT may set. "off" comes first if it is included. */
stfi_protections stfi_protections_of(const stfi_args *args);

/* The same for matrix products, which have kinds of their own. `every`: 1 if all
 * are asked for without --ft. */
stfi_protections stfi_gemm_protections_of(const stfi_args *args, int every);

/* The name of a mode: "off", "detect" or "correct". */
const char *stfi_ft_mode_name(stf_ft_mode mode);

#endif
