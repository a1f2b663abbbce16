/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The data of trials and whether a fault strikes them, by their number, and how much a
 * fault changes a transform. */
#ifndef STFI_INJECT_CHANGE_H
#define STFI_INJECT_CHANGE_H

#include "tools/inject/rig.h"

/* What the random choices of trials depend on: the seed, and the distribution
 * of the data (-1: all distributions in turn). */
typedef struct stfi_chance {
    uint64_t seed;
    int distribution;
} stfi_chance;

/* The data of a trial, and whether it suffers a fault. Exactly one of the
 * trials 2i and 2i + 1 does. */
stfi_draw stfi_chance_draw(stfi_chance chance, int64_t trial);
int stfi_chance_strikes(stfi_chance chance, int64_t trial);

/* The measures by which changes of one transform are judged, as L2 norms. */
typedef struct stfi_change {
    long double clean; /* error of the clean result */
    long double unit;  /* the same, but at least 0.2 sqrt(L) u times the norm */
    long double norm;
} stfi_change;
stfi_change stfi_change_of(const stfi_rig *r, int64_t t, const void *clean);

/* How far the transform is from its clean result, in units of c->unit; INFINITY
 * if the change is not finite or the unit is 0. */
double stfi_change_size(const stfi_rig *r, const stfi_change *c, int64_t t,
                        const void *clean, const void *now);

/* Draws data for a rig of one transform, and executes the rig's plan on it
 * without and with one fault. Outputs: both results, both reports, and the size
 * of the change between the results. Errors: those of executing and
 * injecting. */
stf_status stfi_change_draw(stfi_rig *r, const stfi_draw *draw, void *clean,
                            void *struck, stf_ft_report report[2],
                            double *size_p);

#endif
