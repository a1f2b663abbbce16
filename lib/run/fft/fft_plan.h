/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Plans of Fourier transforms: a descriptor, its schedules made ready on a
 * device, checks from input to output. */
#ifndef STFI_RUN_FFT_PLAN_H
#define STFI_RUN_FFT_PLAN_H

#include "ft/instrument.h"
#include "run/end_to_end/end_to_end.h"
#include "run/plan.h"

typedef struct stfi_fft_plan stfi_fft_plan;

/* What executions on host arrays keep with a plan. Who makes one (host.h) has
 * a struct that begins with it. */
typedef struct stfi_fft_staging {
    stfi_fft_plan *plan; /* through whose device arrays host arrays pass */
    void (*destroy)(struct stfi_fft_staging *);
} stfi_fft_staging;

/* `padded` is the in-place form of a packed real transform, whose real rows
 * are padded; NULL where in-place runs use the main executable or are not
 * possible. */
struct stfi_fft_plan {
    stf_plan head;
    stf_fft_desc desc;
    stf_fft_desc padded_desc;
    int pads; /* there is such a form */
    stfi_schedule *schedule;
    stfi_exec *exec;
    stfi_exec *padded;
    stfi_ft_vectors vectors[2]; /* of the checks of exec and padded */
    int inplace_ok;             /* of the main executable */
    stfi_e2e *e2e;              /* checks from input to output; NULL: none */
    size_t e2e_at;              /* where in the workspace its sums begin */
    stfi_fft_staging *staging;  /* of host arrays; NULL until needed */
};

extern const stfi_plan_class stfi_fft_plan_class;

/* `workspace` as for stfi_plan_make(). Errors: ARGUMENT, UNSUPPORTED, MEMORY,
 * DEVICE, COMPILE. */
stf_status stfi_fft_plan_create(stf_device *dev, const stf_fft_desc *d,
                                int workspace, stfi_fft_plan **plan_p);

/* The plan, if it is of transforms. Errors: ARGUMENT, which names the `call`
 * that wanted one. */
stf_status stfi_fft_plan_get(stf_plan *plan, const char *call,
                             stfi_fft_plan **fft_p);

/* A plan that is known to be of transforms, to be looked at. */
const stfi_fft_plan *stfi_fft_plan_of(const stf_plan *plan);

/* The executable for these arrays. Errors: ARGUMENT (in place, but the
 * layouts differ). */
stf_status stfi_fft_plan_choose(const stfi_fft_plan *plan, int in_place,
                                stfi_exec **exec_p);

/* What a launch in a direction needs to know beside the arrays. */
void stfi_fft_plan_direct(const stfi_fft_plan *plan, stf_direction direction,
                          stfi_buffers *buffers);

/* Launches one of the plan's executables, with its checks from input to
 * output, if it has any. As stf_execute_on(). */
stf_status stfi_fft_plan_launch(const stfi_fft_plan *plan, stfi_exec *exec,
                                const stfi_buffers *buffers, void *stream);

#endif
