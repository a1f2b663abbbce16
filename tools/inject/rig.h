/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A rig for faults: a protected plan and its twin that only watches, data of
 * every kind for the transforms of a batch, and what each transform should
 * be. Arrays of the host are packed. */
#ifndef STFI_INJECT_RIG_H
#define STFI_INJECT_RIG_H

#include "tools/command/setup.h"

typedef struct stfi_rig {
    stfi_setup setup;  /* of the plan under test */
    stf_plan *witness; /* the same, of mode DETECT: leaves results as
                                   they are; NULL if the plan does so itself */
    stf_device *cpu;
    stf_plan *oracle; /* in a wider type, packed */
    stf_precision wide;
    int64_t in_count, out_count; /* components of one transform */
    size_t in_bytes, out_bytes;  /* of one transform, packed */
    void *in;                    /* what is transformed */
    void *wide_in, *want;        /* the same wide, and its transforms */
    int loaded;                  /* the device has the data */
} stfi_rig;

/* Errors: ARGUMENT (unprotected), those of planning and allocating. */
stf_status stfi_rig_make(stf_device *dev, const stfi_problem *problem,
                         stf_direction direction, stfi_rig *r_p);
/* The same for one transform at a time, in mode DETECT. */
stf_status stfi_rig_make_single(stf_device *dev, const stfi_problem *problem,
                                stf_direction direction, stfi_rig *r_p);
void stfi_rig_free(stfi_rig *r);

/* Room for the results of the batch. Errors: MEMORY. */
stf_status stfi_rig_results(const stfi_rig *r, void **out_p);

/* What the data of a transform are. */
typedef struct stfi_draw {
    uint64_t seed;
    int distribution;
} stfi_draw;

/* Draws the data of the whole batch, and computes what they should become. */
stf_status stfi_rig_draw(stfi_rig *r, const stfi_draw *draw);

/* How many transforms of the batch in a row a tile can have: what one of them
 * suffers can make the others be computed again. With checks from input to
 * output that is the whole batch. */
stf_status stfi_rig_neighbours(const stfi_rig *r, int64_t *count_p);

/* Transforms the data with a plan of the rig that suffers faults, and reads
 * what it reported. */
stf_status stfi_rig_run(stfi_rig *r, stf_plan *plan, const stf_fault *fault,
                        int count, void *out, stf_ft_report *report_p);

/* Squares of norms of one transform: of what it should be, and of how far two
 * results are from each other, or (b NULL) one is from that. */
long double stfi_rig_norm2(const stfi_rig *r, int64_t t);
long double stfi_rig_distance2(const stfi_rig *r, int64_t t, const void *a,
                               const void *b);

#endif
