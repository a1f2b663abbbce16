/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Judging residuals, and the outcomes that follow; see finding.h. */
#include "ft/finding.h"

#include <math.h>
#include <stddef.h>

double stfi_ft_look(const stfi_ft_bound *bound, const stfi_ft_group *group,
                    stfi_ft_history *h)
{
    double ratio;
    stfi_ft_verdict verdict =
        stfi_ft_judge(bound, stfi_ft_length(group->re, group->im), group->norm,
                      group->unit, &ratio);

    if (verdict != STFI_FT_CLEAN && !h->state.alarmed)
        h->ratio = ratio;
    stfi_ft_observe(&h->state, verdict,
                    STFI_FT_IS_SAME(group->re, h->re)
                        && STFI_FT_IS_SAME(group->im, h->im));
    h->re = group->re;
    h->im = group->im;
    return ratio;
}

stfi_ft_outcome stfi_ft_find(const stfi_ft_history *h, stfi_ft_remedy remedy)
{
    return stfi_ft_conclude(&h->state, remedy, !(h->ratio <= 1),
                            isfinite(h->re) && isfinite(h->im));
}

int stfi_ft_is_graver(stfi_ft_outcome a, stfi_ft_outcome b)
{
    static const unsigned char gravity[STFI_FT_DEVICE_COUNTERS] = {
        [STFI_FT_CHECKED] = 0,       [STFI_FT_RECHECKED] = 1,
        [STFI_FT_NON_FINITE] = 2,    [STFI_FT_OVERFLOWED] = 3,
        [STFI_FT_DETECTED] = 4,      [STFI_FT_RECOMPUTED] = 5,
        [STFI_FT_UNCORRECTABLE] = 6,
    };

    return gravity[a] > gravity[b];
}
