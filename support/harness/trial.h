/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* One problem that is ready to be run: arrays with guards, random input, an
 * output filled with NaNs, and functions that compute what the output should
 * be.
 *
 * Every byte that is not an element (guards, gaps between strided elements,
 * padding) is NaN before a run. So reading it spoils the result, and writing it
 * is found by stfi_trial_damage(). */
#ifndef STFI_HARNESS_TRIAL_H
#define STFI_HARNESS_TRIAL_H

#include "support/problem/problem.h"

/* One array between guards. */
typedef struct stfi_fenced {
    char *block;         /* the whole allocation */
    char *image;         /* a copy of it from before the run */
    unsigned char *mine; /* [components]: 1 where an element is */
    int64_t components;
    int64_t origin; /* component at which element 0 starts */
} stfi_fenced;

typedef struct stfi_trial {
    stfi_problem problem; /* the problem as given to the planner */
    stf_fft_desc full;    /* completed; padded if run in place */
    uint64_t seed;        /* seed of the input data */
    size_t component_bytes;
    int64_t points;       /* of one transform */
    stfi_fenced array[2]; /* input and output; only [0] in place */
} stfi_trial;

/* The reference with which an output is compared. */
typedef enum stfi_source {
    STFI_SOURCE_AUTO, /* direct sums if they are affordable */
    STFI_SOURCE_DIRECT,
    STFI_SOURCE_F80 /* an F80 plan of the library */
} stfi_source;

/* A trial's plan, and copies of its arrays, guards included, on a device. */
typedef struct stfi_remote {
    stf_device *dev;
    stf_plan *plan;
    void *array[2]; /* as long as the trial's; only [0] in place */
} stfi_remote;

/* Lays out the arrays of a problem: "packed", "interleaved" (the batch varies
 * fastest), "gaps", "negative", "mixed" (axes permuted, input and output
 * unlike), "padded" (real rows as in place, wherever they are). Returns 0 if the
 * problem cannot have that layout (real transforms in place are packed or padded
 * only). */
int stfi_trial_layout(stfi_problem *p, const char *layout, uint64_t *state);

/* Opens a trial; `shift` moves element 0 by so many components from a 64-byte
 * boundary. Errors: those of the descriptor; MEMORY. */
stf_status stfi_trial_open(stfi_trial *t, const stfi_problem *p, int shift,
                           uint64_t seed);
void stfi_trial_close(stfi_trial *t);

/* Draws new input data, by another seed. */
void stfi_trial_renew(stfi_trial *t, uint64_t seed);

/* Brings input and output back to what they were before a run. */
void stfi_trial_reset(stfi_trial *t);

/* Element 0 of an array; the output is the input in place. */
void *stfi_trial_array(const stfi_trial *t, int output);

/* Plans, and copies the arrays to the device. Close it in any case. */
stf_status stfi_remote_open(const stfi_trial *t, stf_device *dev,
                            stfi_remote *r);
void stfi_remote_close(stfi_remote *r);

/* stfi_remote_load() copies all arrays to the device; stfi_remote_fetch() waits
 * and copies them back. */
stf_status stfi_remote_load(const stfi_trial *t, const stfi_remote *r);
stf_status stfi_remote_fetch(stfi_trial *t, const stfi_remote *r);

/* Element 0 of an array on the device. */
void *stfi_remote_element(const stfi_trial *t, const stfi_remote *r,
                          int output);

/* Plans, executes between device arrays and destroys. */
stf_status stfi_trial_run(stfi_trial *t, stf_device *dev,
                          stf_direction direction);

/* Plans, executes between host arrays by stf_execute_host() and destroys. */
stf_status stfi_trial_run_host(stfi_trial *t, stf_device *dev,
                               stf_direction direction);

/* The right output as F80, laid out like the output, for the input as it was
 * before the run; the pointer is to element 0. Free it by
 * stfi_trial_free_want(). `cpu` is the cpu device. */
stf_status stfi_trial_want(const stfi_trial *t, stf_device *cpu,
                           stf_direction direction, stfi_source source,
                           long double **want_p);
void stfi_trial_free_want(const stfi_trial *t, long double *want);

/* 1 if STFI_SOURCE_AUTO means direct sums for this trial. */
int stfi_trial_is_direct(const stfi_trial *t);

/* What a run wrote outside of the output's elements, as text; NULL if
 * nothing. */
const char *stfi_trial_damage(const stfi_trial *t);

/* Component `part` of element i (row-major in the array's own shape) of
 * transform b, as an index into the components of the array counted from
 * element 0. */
int64_t stfi_trial_place(const stfi_trial *t, int output, int64_t b, int64_t i,
                         int part);
int64_t stfi_trial_elements(const stfi_trial *t, int output);
int stfi_trial_parts(const stfi_trial *t, int output);

/* Reads or writes a component of an array of the trial's precision. */
long double stfi_trial_get(const stfi_trial *t, const void *array,
                           int64_t place);
void stfi_trial_set(const stfi_trial *t, void *array, int64_t place,
                    long double value);

/* Describes a trial for a diagnostic: word, layout, direction, seed. */
const char *stfi_trial_name(const stfi_trial *t, char *text, size_t capacity);

#endif
