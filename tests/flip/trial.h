/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* One flip in one execution: a child process goes on from the frame of a
 * signal with one bit flipped, and the parent judges what it leaves. */
#ifndef STFI_TESTS_FLIP_TRIAL_H
#define STFI_TESTS_FLIP_TRIAL_H

#include "tests/flip/state.h"
#include "tests/flip/subject.h"

/* Which bits are flipped. */
typedef enum flip_campaign {
    FLIP_WRITTEN,         /* of a SIMD register that was just written */
    FLIP_AT_REST,         /* of any SIMD register at any time */
    FLIP_GENERAL_WRITTEN, /* of a general register that was just written */
    FLIP_JUMP,            /* of the flags, before a conditional jump */
    FLIP_CAMPAIGNS
} flip_campaign;

/* What became of an execution. An output is good or bad; see FLIP_BAD_RATIO. */
typedef enum flip_class {
    FLIP_EXACT,     /* the clean output, and no error reported */
    FLIP_BENIGN,    /* a good output, and no error reported */
    FLIP_CORRECTED, /* a good output, and an error reported as repaired */
    FLIP_DETECTED,  /* a bad output, and an error reported */
    FLIP_SILENT,    /* a bad output, and no error reported */
    FLIP_CLAIMED,   /* a bad output, and an error reported as repaired */
    FLIP_CRASH,     /* ended by a signal */
    FLIP_HANG,      /* ended by a limit of time */
    FLIP_FALSE,     /* a good output, and an error reported, not repaired */
    FLIP_CLASSES
} flip_class;

extern const char *const flip_campaign_name[];
extern const char *const flip_class_name[];

typedef struct flip_trial {
    flip_campaign campaign;
    int reg, bit; /* a bit of the flags has no register */
    uintptr_t pc; /* the instruction that wrote, or the one to come */
    flip_class result;
    double ratio;      /* 0: not computed, the output is the clean one */
    stf_status status; /* of stf_execute() */
    int input_damaged; /* although it is not in place */
    stf_ft_report report;
} flip_trial;

#ifdef FLIP_SUPPORTED

/* Makes ready for trials of a subject. Returns what is wrong, or NULL. */
const char *flip_trial_open(const flip_subject *subject);
void flip_trial_close(void);

/* Makes the flip that *trial_p describes, in a child: returns 1 there, and in
 * the parent 0 with the rest of *trial_p when the child has ended. */
int flip_trial_fork(ucontext_t *context, flip_trial *trial_p);

/* Ends a child whose execution returned this status. It relies on no register
 * of its caller's, as these may be damaged. */
void flip_trial_finish(stf_status status) __attribute__((noreturn));

#endif
#endif
