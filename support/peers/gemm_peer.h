/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Libraries of matrix products, loaded at run time (dlopen) to be measured
 * beside ours: openblas on host arrays, cublas on the arrays of device
 * cuda:0. */
#ifndef STFI_PEERS_GEMM_PEER_H
#define STFI_PEERS_GEMM_PEER_H

#include "steadfast.h"

typedef struct stfi_gemm_peer stfi_gemm_peer;

/* Opens a library for arrays of a device ("cpu", "cuda:0"). `threads`: of the
 * host, where that matters. Errors: ARGUMENT (unknown name, or a device that it
 * does not run on), IO (not installed), DEVICE, MEMORY. */
stf_status stfi_gemm_peer_open(const char *name, const char *device,
                               int threads, stfi_gemm_peer **peer_p);
void stfi_gemm_peer_close(stfi_gemm_peer *peer);

/* Returns 1 if the library computes this completed, column-major product with
 * packed or shared matrices. */
int stfi_gemm_peer_can(const stfi_gemm_peer *peer, const stf_gemm_desc *full);

/* Computes C = A B on the stream, and does not wait. Errors: DEVICE. */
stf_status stfi_gemm_peer_execute(stfi_gemm_peer *peer,
                                  const stf_gemm_desc *full, const void *a,
                                  const void *b, void *c, void *stream);

#endif
