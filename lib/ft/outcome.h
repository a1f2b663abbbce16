/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What follows from a suspect residual. Checks of passes and end-to-end checks,
 * on hosts and on devices, all use this one state machine.
 *
 * The residual of a group of results is compared with its threshold; while the
 * group is not settled, it is computed again from its input and compared again.
 * Each such look gives a verdict, and says whether the residual is the same as
 * at the look before. A transform is deterministic: a residual that comes out
 * the same again is not a soft error.
 *
 * Where the sums are made apart from the results, end to end, they are made
 * again first, from the same memory. If they differ, some were wrong, and this
 * is another look. If not, they say nothing new, and it is no look.
 *
 * This file is read by C compilers and, embedded, by run-time compilers of C++,
 * which have no standard headers; so it includes none. */
#ifndef STFI_FT_OUTCOME_H
#define STFI_FT_OUTCOME_H

#ifdef STFK_DEVICE
#define STFI_FT_FUNCTION STFK_DEVICE
#else
#define STFI_FT_FUNCTION static inline
#endif

/* What one look at a residual says about it. */
typedef enum stfi_ft_verdict {
    STFI_FT_CLEAN,
    STFI_FT_SUSPICIOUS,  /* large, but maybe rounding */
    STFI_FT_FAULTY,      /* above its threshold, or no number */
    STFI_FT_UNVERIFIABLE /* the input itself has Inf or NaN */
} stfi_ft_verdict;

/* The counters, which are also the possible outcomes for a group: an outcome is
 * the counter that it is added to. STFI_FT_CHECKED as an outcome means that
 * nothing needs to be counted beside the check itself. */
typedef enum stfi_ft_outcome {
#define STFI_FT_COUNTER(name, NAME, field, combine, meaning) STFI_FT_##NAME,
#define STFI_FT_DEVICE_COUNTER(NAME, meaning) STFI_FT_##NAME,
#include "ft/counters.def"
    STFI_FT_DEVICE_COUNTERS,
    STFI_FT_LAST_OF_DEVICES = STFI_FT_DEVICE_COUNTERS - 1,
#define STFI_FT_HOST_COUNTER(name, NAME, field, combine, meaning) \
    STFI_FT_##NAME,
#include "ft/counters.def"
    STFI_FT_COUNTERS
} stfi_ft_outcome;

/* What may be done about a residual that is not clean. */
typedef enum stfi_ft_remedy {
    STFI_FT_REPORT_ONLY, /* nothing: the user wants to know */
    STFI_FT_REPEAT,      /* compute again until it is settled */
    STFI_FT_NO_INPUT     /* nothing: the input was overwritten */
} stfi_ft_remedy;

/* What is known of a group after some looks; all zero before the first. */
typedef struct stfi_ft_state {
    unsigned char verdict; /* stfi_ft_verdict of the last look */
    unsigned char looks;
    unsigned char same;    /* 1: the last residual equals the one before */
    unsigned char changed; /* 1: some residual differed from the one before */
    unsigned char alarmed; /* some look was not clean */
} stfi_ft_state;

/* 1 if two numbers are equal; any two NaNs are. */
#define STFI_FT_IS_SAME(a, b) ((a) == (b) || ((a) != (a) && (b) != (b)))

/* Takes another look into account; `same` says that its residual equals the one
 * before, and is ignored for the first look. */
STFI_FT_FUNCTION void stfi_ft_observe(stfi_ft_state *s, int verdict, int same)
{
    if (verdict != STFI_FT_CLEAN)
        s->alarmed = 1;
    s->verdict = (unsigned char)verdict;
    s->same = s->looks > 0 && same;
    if (s->looks > 0 && !s->same)
        s->changed = 1;
    s->looks++;
}

/* Returns 1 if computing the group again would not change the outcome. */
STFI_FT_FUNCTION int stfi_ft_is_settled(const stfi_ft_state *s)
{
    return s->verdict == STFI_FT_CLEAN || s->verdict == STFI_FT_UNVERIFIABLE
           || s->same;
}

/* Returns the outcome for a group that was computed again because some look was
 * not clean. finite: the last residual is neither Inf nor NaN. */
STFI_FT_FUNCTION stfi_ft_outcome stfi_ft_classify(const stfi_ft_state *s,
                                                  int finite)
{
    if (s->verdict == STFI_FT_UNVERIFIABLE)
        return STFI_FT_NON_FINITE;
    if (s->verdict == STFI_FT_CLEAN)
        return STFI_FT_RECOMPUTED;
    if (s->same && s->verdict == STFI_FT_SUSPICIOUS)
        return s->changed ? STFI_FT_RECOMPUTED : STFI_FT_RECHECKED;
    return s->same && !finite ? STFI_FT_OVERFLOWED : STFI_FT_UNCORRECTABLE;
}

/* Returns the outcome for any group. above: the first residual that was not
 * clean is above its threshold; without a second computation, smaller residuals
 * are taken for rounding. A group that was not computed again may have been
 * looked at again all the same, with sums that were made again. */
STFI_FT_FUNCTION stfi_ft_outcome stfi_ft_conclude(const stfi_ft_state *s,
                                                  stfi_ft_remedy remedy,
                                                  int above, int finite)
{
    if (!s->alarmed)
        return STFI_FT_CHECKED;
    if (remedy == STFI_FT_REPEAT)
        return stfi_ft_classify(s, finite);
    if (s->verdict == STFI_FT_UNVERIFIABLE)
        return STFI_FT_NON_FINITE;
    if (remedy == STFI_FT_NO_INPUT && s->verdict == STFI_FT_CLEAN)
        return STFI_FT_RECOMPUTED; /* the sums were made again */
    if (!above)
        return STFI_FT_CHECKED;
    return remedy == STFI_FT_NO_INPUT ? STFI_FT_UNCORRECTABLE
                                      : STFI_FT_DETECTED;
}

/* Returns the outcome for a group that is right now, where the first look was
 * not clean and its residual was made otherwise than the later ones, so that
 * they cannot be compared. above: it is above its threshold. */
STFI_FT_FUNCTION stfi_ft_outcome stfi_ft_conclude_mended(stfi_ft_remedy remedy,
                                                         int above)
{
    if (remedy == STFI_FT_REPEAT)
        return above ? STFI_FT_RECOMPUTED : STFI_FT_RECHECKED;
    return above ? STFI_FT_DETECTED : STFI_FT_CHECKED;
}

/* Returns the outcome for a group that is computed twice instead of being
 * checked by a residual, after two results in a row differed. same: the last
 * two results agreed. */
STFI_FT_FUNCTION stfi_ft_outcome stfi_ft_conclude_twice(stfi_ft_remedy remedy,
                                                        int same)
{
    return remedy != STFI_FT_REPEAT ? STFI_FT_DETECTED
           : same                   ? STFI_FT_RECOMPUTED
                                    : STFI_FT_UNCORRECTABLE;
}

/* Returns 1 if the outcome is a fault; each counts as detected, whether or not
 * it could be repaired. */
STFI_FT_FUNCTION int stfi_ft_is_fault(stfi_ft_outcome outcome)
{
    return outcome == STFI_FT_DETECTED || outcome == STFI_FT_RECOMPUTED
           || outcome == STFI_FT_UNCORRECTABLE;
}

#endif
