/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the files of protected.t share: a row of PROTECTED.def, and its plans on
 * the emulated device. */
#ifndef STFI_TESTS_SIMT_PROTECTED_H
#define STFI_TESTS_SIMT_PROTECTED_H

#include "support/harness/trial.h"

typedef struct protected_row {
    const char *name, *preset;
    int64_t block_bytes;
    const char *word;
    double scale; /* of the forward transform; 0: 1 */
    stf_ft_level level;
    stf_ft_scheme scheme;
    int transactions;
    int units; /* multiprocessors; 0: as in the preset */
} protected_row;

/* The state of a row that is being tested. */
typedef struct protected_run {
    const protected_row *row;
    stfi_trial trial;
    stf_direction direction;
    stf_device *dev;
    stfi_remote plain, guarded;
    char *want; /* the output of a run without faults */
    int noticed, located, missed, wrong;
    double worst_missed; /* largest relative change of the output */
} protected_run;

/* Opens a problem with its protected plan alone, in a mode; 1 if that is there. It is
 * closed in any case. */
int protected_open(const char *word, stf_device *dev, stf_ft_mode mode,
                   protected_run *r);
void protected_close(protected_run *r);

/* Executes a plan once between device arrays, which are loaded before and
 * fetched after. */
stf_status protected_execute(protected_run *r, const stfi_remote *remote);

/* Residuals of equal signals are equal and add up. If they are 0, as those of
 * some signals are, the next signal is tried. */
void protected_check_equal(const protected_row *row, protected_run *r);

/* The tiles of a group are equal, but its lanes are not. An impulse stays in one
 * thread while it is loaded, whose part of the residual is as large as it can
 * be: then rounding the sums over tiles matters most. */
void protected_check_impulses(const protected_row *row, protected_run *r);

/* Data of all distributions raise no alarm. */
void protected_check_distributions(const protected_row *row, protected_run *r);

/* Wrong products with the roots of a real to real transform, which has one pass,
 * are told. */
void protected_check_roots(void);

/* Of two transforms that share a lane, one that has Inf or NaN does not disturb the
 * other, and is told; and data below the normal numbers raise no alarm. */
void protected_check_mates(void);

/* Returns whether some pass of a plan has persistent blocks. */
int protected_persists(const stf_plan *plan);

/* Persistent columns compute the same with fewer blocks than tiles, whether or not
 * the launch has a tile counter. */
void protected_check_few_blocks(void);

/* Faults in data whose squares underflow are repaired if they are detected. */
void protected_check_tiny(void);

/* A protected kernel is refused if its compiler has put more than a flag into static
 * block memory, where that comes first; others may have any. */
void protected_check_misplaced(void);

#endif
