/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Three plans of one transform, for tests of protection: unprotected, DETECT
 * and CORRECT; with packed arrays on a device, signals of many distributions,
 * and faults. */
#ifndef STFI_TESTS_FT_TRIO_H
#define STFI_TESTS_FT_TRIO_H

#include "tests/devices.h"
#include "tests/ft/signals.h"

typedef enum stfi_trio_mode {
    STFI_TRIO_PLAIN, /* unprotected */
    STFI_TRIO_DETECT,
    STFI_TRIO_CORRECT,
    STFI_TRIO_MODES
} stfi_trio_mode;

typedef struct stfi_trio {
    stfi_signals s; /* on the cpu; the input is s.in */
    stf_device *dev, *cpu;
    stf_ft_desc ft; /* protection of the two protected plans, without the
                     * mode */
    stf_plan *plan[STFI_TRIO_MODES];
    int in_place;
    size_t in_bytes, out_bytes; /* bytes of the whole batch */
    void *in, *out;             /* on the device; the same in place */
    void *want, *got;           /* outputs on the host */
    int lane;                   /* transforms of a lane: 1, or on a GPU 2 */
    int others; /* the protected plans have other passes, as they may on a GPU */
    /* The output of the unprotected plan as it runs without faults, which differs
     * from that of its passes where a cpu has other kernels for all of it; and
     * which of both the last run has to equal. If the passes are others, `want` is
     * the output of the protected ones, which has agreed with `whole` to within
     * the error bound of both. */
    void *whole;
    const void *due;
} stfi_trio;

/* Opens the plans. Returns 1 on success, 0 after a failure, which is reported,
 * and -1 if the device does not protect transforms. Close it in any case.
 * stfi_trio_open_as() protects as `ft` says. */
int stfi_trio_open(stfi_trio *trio, stf_device *dev, const char *word,
                   stf_direction direction);
int stfi_trio_open_as(stfi_trio *trio, stf_device *dev, const char *word,
                      stf_direction direction, const stf_ft_desc *ft);
void stfi_trio_close(stfi_trio *trio);

/* 1 if a protected plan has other passes than the unprotected one, as it may on a GPU:
 * other radices, or no two signals in a lane. Then it has other bits, too. */
int stfi_has_other_passes(stf_device *dev, const stf_plan *plain,
                          const stf_plan *guarded);

/* 1 if two outputs of `count` components, one of this L2 norm and so far from the other,
 * may both keep to the bound. Denormal numbers have an error of their own. */
int stfi_are_near(const stf_fft_desc *full, double gap, double norm,
                  int64_t count);

/* 1 if the device has the kinds of a problem and protects them: real to real
 * ones are for the cpu only. */
int stfi_trio_has(const stf_device_info *info, const char *word);

/* Draws inputs and uploads them; `want` gets the output of the unprotected
 * plan's passes, or of the protected plan's if these are others. Returns 1 on
 * success. */
int stfi_trio_draw(stfi_trio *trio, int distribution, uint64_t *state);

/* Like stfi_trio_draw(), with the input that is already in s.in. */
int stfi_trio_load(stfi_trio *trio);

/* stfi_trio_run() resets the plan, arms it with the faults and transforms into
 * `got`. It returns the statuses of the execution and of the report in one: on
 * a GPU only the report knows UNCORRECTED or CORRECTED. Other failures are
 * reported as failed tests. */
typedef struct stfi_trio_result {
    int ran;
    stf_status status;
    stf_ft_report r;
} stfi_trio_result;
stfi_trio_result stfi_trio_run(stfi_trio *trio, stfi_trio_mode mode,
                               const stf_fault *fault, int count);

/* Rounding errors in L2 of the transforms in `want`.
 * Shape: error[batch]. They are at least 0.4 sqrt(L) u of the output, which is
 * what most signals have. */
int stfi_trio_measure(stfi_trio *trio, double *error);

/* L2 norm of the difference between `got` and what is due in one transform. */
double stfi_trio_change(const stfi_trio *trio, int64_t signal);

/* 1 if all transforms but number `but` have the same bits in `got` and in what is
 * due; -1: all transforms. */
int stfi_trio_same(const stfi_trio *trio, int64_t but);

/* The same for all transforms but those that share a lane of any pass of the protected
 * plans with number `but`: a lane may have two, whose faults and reports are those of
 * the first, stfi_trio_first(). `lane` of stfi_trio is how many a lane has at most. */
int stfi_trio_same_elsewhere(const stfi_trio *trio, int64_t but);
int64_t stfi_trio_first(const stfi_trio *trio, int64_t signal);

#endif
