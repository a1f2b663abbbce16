/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The table of peers; see peer.h. */
#include "support/peers/peer_ops.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

static const stfi_peer_ops *const peers[] = {
    &stfi_peer_fftw, &stfi_peer_mkl,   &stfi_peer_cufft,
    &stfi_peer_cupy, &stfi_peer_vkfft,
};

enum { PEERS = sizeof peers / sizeof *peers, NAME_BYTES = 64 };

stf_status stfi_peer_open(const char *name, const char *device,
                          stfi_peer **peer_p)
{
    size_t length = strcspn(device, ":");
    const stfi_peer_ops *ops = NULL;
    char known[NAME_BYTES] = "";

    for (int i = 0; i < PEERS; i++) {
        size_t used = strlen(known);
        if (strcmp(name, peers[i]->name) == 0)
            ops = peers[i];
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "",
                 peers[i]->name);
    }
    if (ops == NULL)
        return stfi_error(STF_ERR_ARGUMENT,
                          "peer \"%s\" is not known; there "
                          "are %s",
                          name, known);
    if (strlen(ops->backend) != length
        || strncmp(ops->backend, device, length) != 0)
        return stfi_error(STF_ERR_ARGUMENT,
                          "peer %s runs on %s, and the "
                          "device is %s",
                          name, ops->backend, device);
    return ops->open(device[length] == ':' ? atoi(device + length + 1) : 0,
                     peer_p);
}

void stfi_peer_close(stfi_peer *peer)
{
    if (peer != NULL)
        peer->ops->close(peer);
}

stf_status stfi_peer_plan_fft(stfi_peer *peer, const stf_fft_desc *full,
                              stf_direction direction, void *in, void *out,
                              int threads, int measure, stfi_peer_plan **plan_p)
{
    return peer->ops->plan_fft(peer, full, direction, in, out, threads, measure,
                               plan_p);
}

stf_status stfi_peer_execute(stfi_peer_plan *plan, void *stream)
{
    if (plan->ops->execute == NULL)
        return stfi_error(STF_ERR_UNSUPPORTED, "peer %s has its own arrays",
                          plan->ops->name);
    return plan->ops->execute(plan, stream);
}

int stfi_peer_is_apart(const stfi_peer_plan *plan)
{
    return plan->ops->time != NULL;
}

stf_status stfi_peer_time(stfi_peer_plan *plan, int count, double *seconds_p)
{
    return plan->ops->time(plan, count, seconds_p);
}

void stfi_peer_plan_destroy(stfi_peer_plan *plan)
{
    if (plan != NULL)
        plan->ops->plan_destroy(plan);
}

int stfi_peer_symbol(void *library, const char *prefix, const char *name,
                     void *function_p)
{
    char symbol[NAME_BYTES];
    void *address;

    snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
    address = dlsym(library, symbol);
    memcpy(function_p, &address, sizeof address);
    return address != NULL;
}
