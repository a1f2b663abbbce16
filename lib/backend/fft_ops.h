/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Fourier transforms on an open device: making executables of schedules, and
 * launching them. launch() neither allocates, locks nor compiles, and changes
 * nothing in the executable but its ledger: any number of threads may launch
 * one executable at the same time, each with buffers of its own. */
#ifndef STFI_BACKEND_FFT_OPS_H
#define STFI_BACKEND_FFT_OPS_H

#include <limits.h>

#include "backend/device_ops.h"
#include "fft/schedule.h"

typedef struct stfi_exec stfi_exec; /* a schedule made ready to run */
typedef struct stfi_ft_ledger stfi_ft_ledger;
struct stfi_ft_whole_checks;

/* What an end-to-end check on the host learns from a launch without sums of its
 * own. */
typedef struct stfi_signature {
    uint64_t sum;       /* stfi_fft_ops.signature */
    int64_t unverified; /* groups of which the passes' residuals say nothing,
                           because of Inf or NaN */
} stfi_signature;

/* Arrays of one execution. work is aligned to 64 bytes and holds workspace()
 * bytes; in == out runs in place. */
typedef struct stfi_buffers {
    const void *in;
    void *out;
    void *work;
    int inverse;          /* 1: exp(+2 pi i ...) */
    double scale;         /* applied once, by the passes marked `scaled` */
    int backward;         /* 1: the caller's direction is STF_INVERSE; what
                             checks of whole transforms go by */
    int64_t first_signal; /* number of transform 0 in the ledger's events */
    int again;            /* 1: repeats the previous launch on the same input;
                             persistent faults strike again */
    void *gate;  /* for gated passes: where they tell an end-to-end check in
                   device memory what they could not repair, and read whether an
                   execution that repeats another is wanted (stfi_e2e_ops).
                   NULL: they always run */
    void *signs; /* NULL, or signs_at(): a launch leaves its signature there */
    int64_t *failed; /* NULL, or where a launch whose checks could not repair
                        some groups puts their number, if it waits for its
                        results */
    stfi_signature *signature; /* NULL, or where a launch leaves it */
} stfi_buffers;

/* Launches of which everything was decided when the plan was made: by the calling
 * thread alone, with vector instructions only, in the workspace of the plan. A
 * short transform takes less than it would to pass on what does not change from
 * call to call: that is in a direction of the plan. */
typedef struct stfi_brief_way {
    double scale;
    int inverse, backward; /* as in stfi_buffers */
} stfi_brief_way;

/* What a brief launch returns if it has done nothing, and has to go by
 * launch(). */
enum { STFI_BRIEF_NOT = INT_MIN };

/* Returns a status, or STFI_BRIEF_NOT. */
typedef int stfi_brief_launch(stfi_exec *, const stfi_brief_way *,
                              const void *in, void *out, void *work);

/* Computes all there is, and cannot fail. */
typedef void stfi_brief_kernel(const void *in, void *out, const void *table,
                               double scale, int inverse);

/* The arrays of a launch. */
typedef struct stfi_brief_arrays {
    const void *in;
    void *out;
} stfi_brief_arrays;

/* How an executable can be launched briefly: by the kernel, if there is one, or
 * else by run(); not at all if that is NULL. If `asked` is not NULL, the caller leaves
 * its arrays there before run(), which compares them with those that it has been
 * given: between two functions, an address is in one register. */
typedef struct stfi_brief {
    stfi_brief_kernel *kernel;
    const void *table;
    stfi_brief_launch *run;
    stfi_brief_arrays *asked;
} stfi_brief;

typedef struct stfi_fft_ops {
    /* Says whether a pass can be run; called for every pass. Errors:
     * UNSUPPORTED. */
    stf_status (*supports)(const stfi_bctx *, stf_precision, const stfi_pass *);
    /* Makes an executable. `like` may be NULL, or an executable that outlives
     * this one and whose schedule differs in strides only; then they share
     * tables. Errors: MEMORY, DEVICE, COMPILE. */
    stf_status (*create)(stfi_bctx *, const stfi_schedule *, int threads,
                         const stfi_exec *like, stfi_exec **exec_p);
    void (*destroy)(stfi_exec *);           /* NULL is a no-op */
    size_t (*workspace)(const stfi_exec *); /* bytes at buffers.work */
    stf_status (*launch)(stfi_exec *, const stfi_buffers *, void *stream);
    /* Returns how an executable can be launched briefly. May be NULL: never. */
    stfi_brief (*brief)(stfi_exec *);
    /* Returns 1 if the residuals of the next launch, in place or not, are made of what
     * memory holds before and after (stfi_pass: from_memory), as those of end-to-end
     * checks are. May be NULL: never. */
    int (*from_memory)(const stfi_exec *, int in_place);
    /* Returns where in the workspace a launch leaves a signature in
     * device memory, for judge() of stfi_e2e_ops, or NULL if it has none. It begins
     * with the gates of that launch (stfi_buffers). It covers loads and stores of
     * all passes, and memory between them. May be NULL: never. */
    void *(*signs_at)(const stfi_exec *, void *work);
    /* Returns 1 if a launch with these buffers has a signature, and the sum that
     * one without faults has. The checks of its passes make it from where
     * in memory they have summed up the data, and from the bits that each pass
     * has stored and the next one has loaded: so it shows data that nobody
     * computed, that were at wrong addresses, or that changed between passes.
     * May be NULL: never. */
    int (*signature)(const stfi_exec *, const stfi_buffers *, uint64_t *sum_p);
    /* Returns 1 if an executable computes the whole in a form of its own, and not
     * pass by pass (stfi_schedule: apart). May be NULL: never. */
    int (*is_whole)(const stfi_exec *);
    /* Prepares an executable whose passes have checks for one check of each
     * transform as a whole in their place, if that takes less: *how_p, a
     * stfi_ft_whole, is not STFI_WHOLE_NONE then, and check_whole() has to follow.
     * May be NULL: never. Errors: MEMORY. */
    stf_status (*may_check_whole)(stfi_bctx *, stfi_exec *, int *how_p);
    /* Gives it the checks (ft/whole.h), which outlive the executable. It may do
     * without. Errors: MEMORY. */
    stf_status (*check_whole)(stfi_bctx *, stfi_exec *,
                              const struct stfi_ft_whole_checks *);
    /* For an executable whose schedule has checks: reads what the checks of
     * finished launches found, so call sync() before. reset: 1 to clear it
     * afterwards. */
    stf_status (*ledger)(stfi_exec *, int reset, stfi_ft_ledger *ledger_p);
    /* Lets the next launch suffer these faults, each once; with count 0, none.
     * The caller has checked them against the schedule (ft/fault.h). Waits
     * until the executable is idle. Errors: MEMORY, DEVICE. */
    stf_status (*inject)(stfi_exec *, const stf_fault *fault, int count);
    /* Measures the seconds of one execution, the least of `reps` tries. Errors:
     * ARGUMENT (reps below 1), DEVICE. */
    stf_status (*time)(stfi_exec *, const stfi_buffers *, int reps,
                       double *seconds_p);
} stfi_fft_ops;

#endif
