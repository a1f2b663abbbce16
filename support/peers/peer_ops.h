/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What implements a peer; each peer has a row in peer.c. */
#ifndef STFI_PEERS_PEER_OPS_H
#define STFI_PEERS_PEER_OPS_H

#include "support/peers/peer.h"

/* The functions of peer.h. `close` and `plan_destroy` are not called with
 * NULL. */
typedef struct stfi_peer_ops {
    const char *name;
    const char *backend; /* the backend whose arrays it works on */
    stf_status (*open)(int device, stfi_peer **peer_p);
    void (*close)(stfi_peer *peer);
    stf_status (*plan_fft)(stfi_peer *peer, const stf_fft_desc *full,
                           stf_direction direction, void *in, void *out,
                           int threads, int measure, stfi_peer_plan **plan_p);
    stf_status (*execute)(stfi_peer_plan *plan, void *stream);
    /* Instead of `execute`, of peers that work beside this process on arrays of
     * their own: see stfi_peer_time(). */
    stf_status (*time)(stfi_peer_plan *plan, int count, double *seconds_p);
    void (*plan_destroy)(stfi_peer_plan *plan);
} stfi_peer_ops;

/* The common head of all peers: the first members of their own structs. */
struct stfi_peer {
    const stfi_peer_ops *ops;
};

struct stfi_peer_plan {
    const stfi_peer_ops *ops;
};

extern const stfi_peer_ops stfi_peer_fftw, stfi_peer_mkl, stfi_peer_cufft,
    stfi_peer_cupy, stfi_peer_vkfft;

/* Writes a symbol's address to *function_p, a function pointer, in the way that
 * POSIX asks for, since C has no conversion from an object pointer. Returns 0
 * if there is no such symbol. */
int stfi_peer_symbol(void *library, const char *prefix, const char *name,
                     void *function_p);

#endif
