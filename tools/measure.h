/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Timing of problems, ours and a peer's in turn. */
#ifndef STFI_TOOLS_MEASURE_H
#define STFI_TOOLS_MEASURE_H

#include "bench/compare/peer.h"
#include "tools/accuracy.h"
#include "tools/trial.h"

enum { STFI_MAX_ROUNDS = 1001, STFI_COPY_SIZES = 64 };

/* What all problems of a run share. */
typedef struct stfi_bench {
    stf_device *dev;
    stf_device_info info;
    stfi_peer *peer;            /* NULL: ours alone */
    int rounds;
    int threads;
    uint64_t seed;
    stfi_accuracy accuracy;
    int ncopies;                /* copy bandwidths that are known */
    struct {
        size_t bytes;
        double bandwidth;
    } copy[STFI_COPY_SIZES];
} stfi_bench;

typedef struct stfi_timing {
    double seconds;             /* median of one execution */
    double error;               /* relative L2; < 0: not measured */
} stfi_timing;

typedef struct stfi_measurement {
    stfi_timing ours, peer;
    double bytes;               /* read + written, as arrays are long */
    double copy_bandwidth;      /* bytes/s of copying that much; 0: unknown */
} stfi_measurement;

/* Measures one problem. Rounds alternate between ours and the peer's, on the
 * same arrays; each round runs as often as fills 20 ms.
 * Errors: those of planning and executing. */
stf_status stfi_measure(stfi_bench *b, const stfi_problem *problem,
                        stf_direction direction, stfi_measurement *m_p);

#endif
