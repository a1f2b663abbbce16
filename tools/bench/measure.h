/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Times of problems: ours with several kinds of protection, and a peer's,
 * measured alternately. */
#ifndef STFI_BENCH_MEASURE_H
#define STFI_BENCH_MEASURE_H

#include "support/peers/peer.h"
#include "tools/verify/accuracy.h"
#include "tools/bench/arena.h"
#include "tools/command/copy.h"
#include "tools/command/protections.h"

enum { STFI_MAX_ROUNDS = 1001 };

/* The state that all problems of a run share. */
typedef struct stfi_bench {
    stf_device *dev;
    stf_device_info info;
    stfi_peer *peer; /* NULL: no peer */
    int rounds;
    int threads;
    uint64_t seed;
    stfi_accuracy accuracy;
    stfi_arena arena;
    stfi_copies copies;
} stfi_bench;

typedef struct stfi_timing {
    double seconds;         /* median of one execution; 0: not done */
    double error;           /* relative L2; < 0: not measured */
    stfi_error_means means; /* if that was measured */
    stf_ft_mode mode;       /* the mode that the plan has */
    stf_status status;      /* why there is no time, and that in words; or, */
    char failure[160];      /* with a time, what the checks found */
} stfi_timing;

typedef struct stfi_measurement {
    stfi_timing ours[STFI_MAX_PROTECTIONS], peer;
    double bytes;          /* bytes of the input and the output together */
    double copy_bandwidth; /* bytes/s of a copy of that size; 0: unknown */
} stfi_measurement;

/* Measures one problem with each protection of the list. Rounds alternate
 * between our plans and the peer's, on the same arrays; each round lasts some
 * milliseconds of the device's time. On a GPU, single transforms and those in
 * place are replayed as a graph. Input that executions use up is loaded again
 * while the clock stands still. A protection or peer that cannot do the problem
 * is left out. Errors: those of executing, and of planning the first
 * protection. */
stf_status stfi_measure(stfi_bench *b, const stfi_problem *problem,
                        stf_direction direction,
                        const stfi_protections *protections,
                        stfi_measurement *m_p);

#endif
