/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The table of sign patterns; see sign_pattern.h. They were found by search.
 * Their least weight, relative to the root mean square, is 0.57 for up to 16
 * elements, and 0.43 for 32 (tests/ft/weights.c). */
#include "ft/weights/sign_pattern.h"

#include <stddef.h>

static const struct {
    int64_t count;
    const char *digits;
} patterns[] = {
    {4, "0215"},
    {8, "07115020"},
    {16, "0062353156532364"},
    {32, "06004062645275666337125176470044"},
};

const char *stfi_ft_sign_pattern(int64_t count)
{
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (patterns[i].count == count)
            return patterns[i].digits;
    return NULL;
}

stfi_ft_unit stfi_ft_sign_pattern_unit(char digit)
{
    static const stfi_ft_unit unit[8] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                         {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};

    return unit[(digit - '0') & 7];
}
