/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The verdict of several attempts; see finding.h. */
#include "ft/finding.h"

#include <math.h>
#include <stddef.h>

static int is_same_residual(long double a, long double b)
{
    return a == b || (isnan(a) && isnan(b));
}

double stfi_ft_look(const stfi_ft_bound *bound, const stfi_ft_group *group,
                    stfi_ft_history *h)
{
    double ratio;
    stfi_ft_verdict verdict = stfi_ft_judge(bound, hypotl(group->re, group->im),
                                            group->norm, group->unit, &ratio);

    if (verdict != STFI_FT_CLEAN && !h->alarmed) {
        h->alarmed = 1;
        h->ratio = ratio;
    }
    h->verdict = (unsigned char)verdict;
    h->same = h->looks > 0 && is_same_residual(group->re, h->re)
              && is_same_residual(group->im, h->im);
    h->changed |= h->looks > 0 && !h->same;
    h->looks++;
    h->re = group->re;
    h->im = group->im;
    return ratio;
}

int stfi_ft_is_settled(const stfi_ft_history *h)
{
    return h->verdict == STFI_FT_CLEAN || h->verdict == STFI_FT_UNVERIFIABLE
           || h->same;
}

stfi_ft_finding stfi_ft_classify(const stfi_ft_history *h)
{
    int finite = isfinite(h->re) && isfinite(h->im);

    if (h->verdict == STFI_FT_UNVERIFIABLE)
        return STFI_FT_NON_FINITE_INPUT;
    if (h->verdict == STFI_FT_CLEAN)
        return STFI_FT_RECOMPUTED;
    if (h->same && h->verdict == STFI_FT_SUSPICIOUS)
        return h->changed ? STFI_FT_RECOMPUTED : STFI_FT_RECHECKED;
    return h->same && !finite ? STFI_FT_OVERFLOWED : STFI_FT_UNCORRECTABLE;
}

int stfi_ft_classify_once(const stfi_ft_history *h, stfi_ft_finding *found_p)
{
    *found_p = h->verdict == STFI_FT_UNVERIFIABLE ? STFI_FT_NON_FINITE_INPUT
                                                  : STFI_FT_DETECTED;
    return h->verdict == STFI_FT_UNVERIFIABLE || !(h->ratio <= 1);
}

void stfi_ft_note(stfi_ft_ledger *l, stfi_ft_finding finding,
                  const stf_ft_event *event, int located)
{
    int64_t *const counts[] = {
        [STFI_FT_RECHECKED] = &l->rechecked,
        [STFI_FT_DETECTED] = NULL,
        [STFI_FT_RECOMPUTED] = &l->recomputed,
        [STFI_FT_UNCORRECTABLE] = &l->uncorrectable,
        [STFI_FT_NON_FINITE_INPUT] = &l->non_finite_input,
        [STFI_FT_OVERFLOWED] = &l->overflowed,
    };

    if (counts[finding] != NULL)
        ++*counts[finding];
    if (finding != STFI_FT_DETECTED && finding != STFI_FT_RECOMPUTED
        && finding != STFI_FT_UNCORRECTABLE)
        return;
    l->detected++;
    l->located += located;
    if (l->events < STFI_FT_EVENTS) {
        l->event[l->events] = *event;
        l->unlocated |= (uint64_t)!located << l->events;
    }
    l->events++;
}
