/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Work that a device does while the host continues: streams, waiting for them,
 * and the time that their work takes. Nothing here depends on what the work is.
 * A stream is the vendor's handle, so that users can pass their own; NULL is
 * the default stream. */
#ifndef STFI_BACKEND_QUEUE_OPS_H
#define STFI_BACKEND_QUEUE_OPS_H

#include "backend/device_ops.h"

/* A function that puts work on the stream and waits for nothing. */
typedef stf_status stfi_work(void *arg, void *stream);

typedef struct stfi_queue_ops {
    /* Waits until the stream is done; with NULL, until the whole device is.
     * Errors: DEVICE. */
    stf_status (*sync)(stfi_bctx *, void *stream);

    /* Each of these may be NULL: run/queue.h says what is done instead. */
    stf_status (*stream_create)(stfi_bctx *, void **stream_p);
    void (*stream_destroy)(stfi_bctx *, void *stream);
    /* As mem_copy, but does not wait; the host memory must be from
     * host_alloc(). */
    stf_status (*copy_async)(stfi_bctx *, void *dst, const void *src,
                             size_t bytes, stfi_copy_dir, void *stream);
    /* Measures, by events on the device, the seconds of `count` runs of the
     * work one after the other. replay: 1 if they are captured into a graph,
     * which is then launched twice; the second launch is timed. */
    stf_status (*time_work)(stfi_bctx *, stfi_work *work, void *arg, int count,
                            int replay, double *seconds_p);
} stfi_queue_ops;

#endif
