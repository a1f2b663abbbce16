/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Other libraries, loaded at run time (dlopen), to be measured beside ours
 * and asked for a second opinion. None is linked: the command runs without
 * them and says which one is missing. */
#ifndef STFI_BENCH_PEER_H
#define STFI_BENCH_PEER_H

#include "steadfast.h"

typedef struct stfi_peer stfi_peer;         /* an open library */
typedef struct stfi_peer_plan stfi_peer_plan;

/* Opens a peer by name ("fftw"). Errors: ARGUMENT (unknown name), IO (not
 * installed or not configured; the message says which file or option). */
stf_status stfi_peer_open(const char *name, stfi_peer **peer_p);
void stfi_peer_close(stfi_peer *peer);

/* Plans the completed descriptor between these arrays (in == out: in place),
 * which planning may overwrite. `measure`: 1 plans by measuring (FFTW_MEASURE)
 * else by estimate. Errors: UNSUPPORTED (the peer cannot), MEMORY. */
stf_status stfi_peer_plan_fft(stfi_peer *peer, const stf_fft_desc *full,
                              stf_direction direction, void *in, void *out,
                              int threads, int measure,
                              stfi_peer_plan **plan_p);
void stfi_peer_execute(stfi_peer_plan *plan);
void stfi_peer_plan_destroy(stfi_peer_plan *plan);

#endif
