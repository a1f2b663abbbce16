/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Plans of Fourier transforms: a descriptor, the executables of its schedules
 * on a device, and end-to-end checks. */
#ifndef STFI_RUN_FFT_PLAN_H
#define STFI_RUN_FFT_PLAN_H

#include <stdint.h>

#include "fft/choice.h"
#include "ft/instrument.h"
#include "ft/whole.h"
#include "run/end_to_end/end_to_end.h"
#include "run/plan.h"

typedef struct stfi_fft_plan stfi_fft_plan;

enum { STFI_FFT_PLAN_HOW = 1024 };

/* What executions on host arrays keep with a plan. host.c, which makes it, has
 * a struct that begins with this one. */
typedef struct stfi_fft_staging {
    stfi_fft_plan *plan; /* transforms the chunks that are copied to the
                            device */
    void (*destroy)(struct stfi_fft_staging *);
} stfi_fft_staging;

/* What executions may use at most. */
typedef struct stfi_fft_limits {
    int threads;
    size_t work_bytes;
} stfi_fft_limits;

/* How to execute without looking at anything but the arguments. */
typedef struct stfi_fft_brief {
    stfi_brief as;
    stfi_exec *exec;
    uintptr_t unaligned; /* bits of an address that must be 0 */
    int allowed[2];      /* directions: forward, inverse */
    stfi_brief_way way[2];
} stfi_fft_brief;

/* A plan of Fourier transforms. `padded` is the executable for the in-place
 * form of a packed real transform, whose real rows are padded; NULL if in-place
 * runs use the main executable, or are not possible. */
struct stfi_fft_plan {
    stf_plan head;
    stf_fft_desc desc;
    stf_fft_desc padded_desc;
    int pads;                    /* 1: there is a form with padded rows */
    stfi_choice choice;          /* how it differs from the model's */
    char how[STFI_FFT_PLAN_HOW]; /* how that was found, or "" */
    stfi_fft_limits most;
    stfi_schedule *schedule;
    stfi_exec *exec;
    stfi_exec *padded;
    stfi_fft_brief brief[2];    /* out of place, and in place */
    stfi_ft_vectors vectors[2]; /* of the checks of exec and padded */
    /* Checks of the transforms of exec and padded as a whole, forward and inverse, by
     * number; cache NULL: there is none. */
    stfi_ft_offline whole[2][2][STFI_WHOLE_CHECKS];
    int inplace_ok;            /* 1: the main executable can run in place */
    stfi_e2e *e2e;             /* end-to-end checks; NULL: none */
    size_t e2e_at;             /* where its part of the workspace begins */
    stfi_fft_staging *staging; /* for host arrays; NULL until needed */
};

extern const stfi_plan_class stfi_fft_plan_class;

/* Makes a plan as its choice says, whatever the descriptor's effort. `workspace`
 * as for stfi_plan_make(). Errors: ARGUMENT, UNSUPPORTED (also if the choice is
 * not possible), MEMORY, DEVICE, COMPILE. */
stf_status stfi_fft_plan_create_as(stf_device *dev, const stf_fft_desc *d,
                                   int workspace, const stfi_choice *choice,
                                   stfi_fft_plan **plan_p);

/* Makes a plan with the effort that the descriptor asks for. */
stf_status stfi_fft_plan_create(stf_device *dev, const stf_fft_desc *d,
                                int workspace, stfi_fft_plan **plan_p);

/* Returns the plan as one of transforms. Errors: ARGUMENT (the plan is of
 * another class); the message names `call`, the function that was called. */
stf_status stfi_fft_plan_get(stf_plan *plan, const char *call,
                             stfi_fft_plan **fft_p);

/* Returns a plan, which must be one of transforms, for reading. */
const stfi_fft_plan *stfi_fft_plan_of(const stf_plan *plan);

/* Makes an executable of some of the plan's passes that runs in the plan's
 * workspace: where they alone are worth more threads than that has room for, it
 * has one. Errors: MEMORY, DEVICE, COMPILE. */
stf_status stfi_fft_plan_part(const stfi_fft_plan *plan,
                              const stfi_schedule *part, stfi_exec **exec_p);

/* Chooses the executable for in-place or out-of-place arrays. Errors: ARGUMENT
 * (in place, but the layouts differ). */
stf_status stfi_fft_plan_choose(const stfi_fft_plan *plan, int in_place,
                                stfi_exec **exec_p);

/* Sets the direction and the scale of a launch. */
void stfi_fft_plan_direct(const stfi_fft_plan *plan, stf_direction direction,
                          stfi_buffers *buffers);

/* Returns 1 if the residuals of the next launch are those from input to output. */
int stfi_fft_plan_is_checked_by_passes(const stfi_fft_plan *plan,
                                       const stfi_exec *exec, int in_place);

/* Decides whether executions of a plan that is made can be brief, and what they do
 * then. */
void stfi_fft_plan_set_brief(stfi_fft_plan *plan);

/* Executes with the plan's own workspace, if nothing speaks against it: returns
 * the status if that is done, and STFI_BRIEF_NOT if the call has to be looked at
 * more closely. */
int stfi_fft_plan_briefly(stf_plan *plan, stf_direction direction,
                          const void *in, void *out);

/* Launches one of the plan's executables, with the plan's end-to-end checks, if
 * it has any. As stf_execute_on(). */
stf_status stfi_fft_plan_launch(const stfi_fft_plan *plan, stfi_exec *exec,
                                const stfi_buffers *buffers, void *stream);

#endif
