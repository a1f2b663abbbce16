/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A rig for faults: a protected plan, its twin of mode DETECT that repairs
 * nothing, data of any distribution for the transforms of a batch, and their
 * exact transforms. Arrays on the host are packed. */
#ifndef STFI_INJECT_RIG_H
#define STFI_INJECT_RIG_H

#include "tools/command/setup.h"
#include "tools/inject/draw.h"

typedef struct stfi_rig {
    stfi_setup setup;  /* of the plan under test */
    stf_plan *witness; /* the same plan in mode DETECT, which leaves results as
                        * they are; NULL if the plan's own mode is DETECT */
    stf_device *cpu;
    stf_plan *oracle; /* plan in a wider type, packed */
    stf_precision wide;
    int64_t in_count, out_count; /* components of one transform */
    size_t in_bytes, out_bytes;  /* of one transform, packed */
    void *in;                    /* [batch] transforms, the input */
    void *wide_in, *want;        /* the input and the wanted output in the wide
                                  * type */
    int loaded;                  /* 1 if the input is on the device */
} stfi_rig;

/* Makes a rig. Errors: ARGUMENT (the plan is not protected), those of planning
 * and allocating. */
stf_status stfi_rig_make(stf_device *dev, const stfi_problem *problem,
                         stf_direction direction, stfi_rig *r_p);
/* Makes a rig of one transform at a time, in mode DETECT. */
stf_status stfi_rig_make_single(stf_device *dev, const stfi_problem *problem,
                                stf_direction direction, stfi_rig *r_p);
void stfi_rig_free(stfi_rig *r);

/* Allocates an array for the results of the batch. Errors: MEMORY. */
stf_status stfi_rig_results(const stfi_rig *r, void **out_p);

/* Draws the data of the whole batch, and computes the wanted outputs. */
stf_status stfi_rig_draw(stfi_rig *r, const stfi_draw *draw);

/* How many successive transforms of the batch one tile can cover: a fault in
 * one of them can cause the others to be computed again. With an end-to-end
 * check it is the whole batch. */
stf_status stfi_rig_neighbours(const stfi_rig *r, int64_t *count_p);

/* Executes a plan of the rig on the data with these faults, and reads its
 * report. `out` gets the packed results of the batch. */
stf_status stfi_rig_run(stfi_rig *r, stf_plan *plan, const stf_fault *fault,
                        int count, void *out, stf_ft_report *report_p);

/* Fills `out` with the results of the plan's passes, which faults strike: by a
 * neutral fault (ft/fault.h). */
stf_status stfi_rig_run_passes(stfi_rig *r, stf_plan *plan, void *out);

/* Squares of L2 norms for transform t: the norm of the wanted output; and the
 * distance between the results a and b or, if b is NULL, between a and the
 * wanted output. */
long double stfi_rig_norm2(const stfi_rig *r, int64_t t);
long double stfi_rig_distance2(const stfi_rig *r, int64_t t, const void *a,
                               const void *b);

#endif
