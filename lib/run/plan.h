/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Plans: a descriptor, its schedules made ready on a device, a workspace. */
#ifndef STFI_RUN_PLAN_H
#define STFI_RUN_PLAN_H

#include "ft/instrument.h"
#include "run/device.h"

/* `padded` is the in-place form of a packed real transform, whose real rows
 * are padded; NULL where in-place runs use the main executable or are not
 * possible. */
struct stf_plan {
    stf_device *dev;
    stf_fft_desc desc;
    stf_fft_desc padded_desc;
    stfi_schedule *schedule;
    stfi_exec *exec;
    stfi_exec *padded;
    stfi_ft_vectors vectors[2]; /* of the checks of exec and padded */
    int inplace_ok;             /* of the main executable */
    int armed;                  /* exec and padded have faults to suffer */
    size_t workspace_bytes;
    void *workspace;
    struct stfi_e2e *e2e;         /* checks from input to output; NULL: none */
    size_t e2e_at;                /* where in the workspace its sums begin */
    struct stfi_staging *staging; /* of host arrays; made when needed */
};

/* `workspace`: 1 if the plan shall have one, which may take shorter rounds
 * where memory is short; 0 if executions bring theirs. */
stf_status stfi_plan_create(stf_device *dev, const stf_fft_desc *d,
                            int workspace, stf_plan **plan_p);
void stfi_plan_destroy(stf_plan *plan);

/* The executable for these arrays. Errors: ARGUMENT (in place, but the
 * layouts differ). */
stf_status stfi_plan_choose(const stf_plan *plan, int in_place,
                            stfi_exec **exec_p);

#endif
