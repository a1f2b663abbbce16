/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A transform along any axes of an array, as one plan that is executed once
 * or, where one distance cannot describe the other axes, slice by slice. */
#ifndef STFI_COMMAND_JOB_H
#define STFI_COMMAND_JOB_H

#include "tools/file/array.h"

typedef struct stfi_job {
    stf_fft_desc desc;         /* the transform of one slice */
    int axis[STFI_ARRAY_RANK]; /* 1: transformed */
    int last;                  /* the last transformed axis */
    int nloops;                /* number of loops over slices; loop_in and
                                * loop_out are strides in elements */
    int64_t loop_n[STFI_ARRAY_RANK];
    int64_t loop_in[STFI_ARRAY_RANK];
    int64_t loop_out[STFI_ARRAY_RANK];
    int64_t slices;
} stfi_job;

/* Parses "0,2" or "-1" for an array of `rank` axes; NULL means all axes.
 * Errors: ARGUMENT. */
stf_status stfi_axes_parse(const char *text, int rank,
                           int axis[STFI_ARRAY_RANK]);

/* Replaces the kind, and with STF_R2R that of each axis, by its inverse. */
void stfi_job_invert(stf_fft_desc *d);

/* Describes the transform of `in` along the axes marked in `axis`, slice by
 * slice, of the kind that `like` has, and with STF_R2R its kinds, of which there
 * must be one for each axis that is marked. `length` is the logical length of a
 * C2R's last axis; 0 means the even one of the two possible. out_p gets the shape
 * of the result, without data.
 * Errors: ARGUMENT. */
stf_status stfi_job_make(const stfi_array *in, const stf_fft_desc *like,
                         const int axis[STFI_ARRAY_RANK], int64_t length,
                         stfi_job *job_p, stfi_array *out_p);

/* Makes the job that transforms the result back to the input: C2R for R2C and
 * vice versa, and for real to real kinds their inverses. It has no scale factors.
 * Errors: ARGUMENT. */
stf_status stfi_job_reverse(const stfi_job *job, const stfi_array *out,
                            stfi_job *job_p, stfi_array *in_p);

/* Where slice i begins in the input and the output, in elements. */
void stfi_job_offsets(const stfi_job *job, int64_t i, int64_t *in_p,
                      int64_t *out_p);

/* Executes every slice between host arrays. */
stf_status stfi_job_run(const stfi_job *job, stf_plan *plan,
                        stf_direction direction, const stfi_array *in,
                        stfi_array *out);

/* Points of one transform, and the number of transforms in all slices. */
double stfi_job_points(const stfi_job *job);

/* Returns the logical length, by which a transform and then its inverse
 * multiply. */
double stfi_job_logical(const stfi_job *job);
double stfi_job_transforms(const stfi_job *job);

#endif
