/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The schedules of the problems of golden.def. */
#ifndef STFI_UNIT_GOLDEN_H
#define STFI_UNIT_GOLDEN_H

#include <string.h>

#include "base/status.h"
#include "ft/instrument.h"
#include "fft/lower.h"
#include "support/problem/problem.h"

typedef struct golden {
    const char *problem, *mode;
} golden;

static const golden goldens[] = {
#define GOLDEN_MODE(word, ...)
#define GOLDEN(problem, mode) {problem, mode},
#include "tests/unit/golden.def"
#undef GOLDEN
#undef GOLDEN_MODE
};

enum { GOLDENS = sizeof goldens / sizeof *goldens };

static const struct {
    const char *word;
    stf_ft_desc ft;
} golden_modes[] = {
#define GOLDEN_MODE(word, ...) {word, __VA_ARGS__},
#define GOLDEN(problem, mode)
#include "tests/unit/golden.def"
#undef GOLDEN
#undef GOLDEN_MODE
};

/* Plans a problem for a device, and marks its checks in the schedule. */
static stf_status unit_lower(const char *problem, const stf_ft_desc *ft,
                             const stfi_caps *caps, stfi_schedule *s)
{
    stfi_problem p;
    stf_fft_desc full;
    stf_status status = stfi_problem_parse(problem, &p);

    if (status)
        return status;
    p.desc.ft = *ft;
    if (!p.in_place || !stfi_desc_padded(&p.desc, &full))
        status = stfi_desc_complete(&p.desc, &full);
    if (!status)
        status = stfi_lower(&full, caps, 1, s);
    if (!status)
        stfi_ft_mark(&full.ft, s);
    return status;
}

/* The same for the problem of a row. */
static stf_status golden_lower(const golden *g, const stfi_caps *caps,
                               stfi_schedule *s)
{
    size_t mode = 0;

    while (strcmp(golden_modes[mode].word, g->mode) != 0)
        mode++;
    return unit_lower(g->problem, &golden_modes[mode].ft, caps, s);
}

#endif
