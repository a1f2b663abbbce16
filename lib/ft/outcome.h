/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a suspect residual has come to: the one state machine that passes and
 * checks from input to output, on hosts and on devices, conclude by.
 *
 * A group of results is looked at, and, while it is not settled, computed
 * again from its input and looked at again. Each look has a verdict, and tells
 * whether the residual is the one of the look before. A transform is
 * deterministic: what comes out the same again is not a soft error.
 *
 * Read by C compilers and, embedded, by run-time compilers of C++, which have
 * no standard headers: this includes none. */
#ifndef STFI_FT_OUTCOME_H
#define STFI_FT_OUTCOME_H

#ifdef STFK_DEVICE
#define STFI_FT_FUNCTION STFK_DEVICE
#else
#define STFI_FT_FUNCTION static inline
#endif

/* What one look at a residual says of it. */
typedef enum stfi_ft_verdict {
    STFI_FT_CLEAN,
    STFI_FT_SUSPICIOUS,  /* large, but maybe rounding */
    STFI_FT_FAULTY,      /* above its threshold, or no number */
    STFI_FT_UNVERIFIABLE /* the input itself has Inf or NaN */
} stfi_ft_verdict;

/* What is counted, and so what a group can come to: an outcome is the counter
 * that it is noted in. STFI_FT_CHECKED as an outcome means that there is
 * nothing to be noted. */
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
    unsigned char same;    /* its residual is that of the look before */
    unsigned char changed; /* some residual was not */
    unsigned char alarmed; /* some look was not clean */
} stfi_ft_state;

/* 1 if two numbers are the same, all NaNs being one. */
#define STFI_FT_IS_SAME(a, b) ((a) == (b) || ((a) != (a) && (b) != (b)))

/* Takes another look into account; `same` counts from the second on. */
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

/* 1 if another look would tell nothing new. */
STFI_FT_FUNCTION int stfi_ft_is_settled(const stfi_ft_state *s)
{
    return s->verdict == STFI_FT_CLEAN || s->verdict == STFI_FT_UNVERIFIABLE
           || s->same;
}

/* What a group has come to of which some look was not clean, and that was
 * computed again. finite: the last residual is a number. */
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

/* What any group has come to. above: the first residual that was not clean is
 * above its threshold; where nothing is computed again, others may be
 * rounding. */
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
    if (!above)
        return STFI_FT_CHECKED;
    return remedy == STFI_FT_NO_INPUT ? STFI_FT_UNCORRECTABLE
                                      : STFI_FT_DETECTED;
}

/* The same of what is computed twice instead of being checked by a residual,
 * of which two results in a row differed. same: in the end two did not. */
STFI_FT_FUNCTION stfi_ft_outcome stfi_ft_conclude_twice(stfi_ft_remedy remedy,
                                                        int same)
{
    return remedy != STFI_FT_REPEAT ? STFI_FT_DETECTED
           : same                   ? STFI_FT_RECOMPUTED
                                    : STFI_FT_UNCORRECTABLE;
}

/* 1 if it is a fault, which is counted as detected whatever came of it. */
STFI_FT_FUNCTION int stfi_ft_is_fault(stfi_ft_outcome outcome)
{
    return outcome == STFI_FT_DETECTED || outcome == STFI_FT_RECOMPUTED
           || outcome == STFI_FT_UNCORRECTABLE;
}

#endif
