/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Other libraries, loaded at run time (dlopen), to be measured beside ours
 * and asked for a second opinion. None is linked: the command runs without
 * them and says which one is missing. Each works on the arrays of one
 * backend's devices: fftw and mkl on host arrays, cufft and vkfft on those of a
 * cuda device. cupy runs in a process of its own. */
#ifndef STFI_PEERS_PEER_H
#define STFI_PEERS_PEER_H

#include "steadfast.h"

typedef struct stfi_peer stfi_peer; /* an open library */
typedef struct stfi_peer_plan stfi_peer_plan;

/* Opens a peer by name ("fftw", "mkl", "cufft", "cupy", "vkfft") for arrays of a device
 * ("cpu", "cuda:0"). Errors: ARGUMENT (unknown name, or a device that it does not
 * run on), IO (not installed or not configured; the message says which file
 * or option), DEVICE. */
stf_status stfi_peer_open(const char *name, const char *device,
                          stfi_peer **peer_p);
void stfi_peer_close(stfi_peer *peer);

/* Plans the completed descriptor between these arrays (in == out: in place),
 * which planning may overwrite. `threads`: of the host, where that matters.
 * `measure`: 1 plans by measuring (FFTW_MEASURE) else by estimate.
 * Errors: UNSUPPORTED (the peer cannot), MEMORY, DEVICE. */
stf_status stfi_peer_plan_fft(stfi_peer *peer, const stf_fft_desc *full,
                              stf_direction direction, void *in, void *out,
                              int threads, int measure,
                              stfi_peer_plan **plan_p);

/* Executes without scale factors; on a GPU, on the stream and without waiting.
 * A C2R transform may overwrite its input. Errors: DEVICE. */
stf_status stfi_peer_execute(stfi_peer_plan *plan, void *stream);

/* 1 if the peer times itself, on arrays of its own; stfi_peer_execute() is
 * UNSUPPORTED then. */
int stfi_peer_is_apart(const stfi_peer_plan *plan);

/* Lets such a peer execute `count` times: seconds of one of them. Errors: DEVICE,
 * IO. */
stf_status stfi_peer_time(stfi_peer_plan *plan, int count, double *seconds_p);

void stfi_peer_plan_destroy(stfi_peer_plan *plan);

#endif
