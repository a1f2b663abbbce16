/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The memory of an open device, and copies between it and the host's. Nothing
 * here knows what is computed on the device. */
#ifndef STFI_BACKEND_DEVICE_OPS_H
#define STFI_BACKEND_DEVICE_OPS_H

#include <stddef.h>

#include "steadfast.h"

typedef struct stfi_bctx stfi_bctx; /* an open device, private to a backend */

typedef enum stfi_copy_dir {
    STFI_TO_DEVICE,
    STFI_TO_HOST,
    STFI_ON_DEVICE
} stfi_copy_dir;

typedef struct stfi_device_ops {
    /* Errors: MEMORY, DEVICE. */
    stf_status (*mem_alloc)(stfi_bctx *, size_t bytes, void **ptr_p);
    void (*mem_free)(stfi_bctx *, void *ptr); /* NULL is a no-op */
    /* Copies after earlier work of the stream, and waits until the copy is
     * done. Errors: DEVICE. */
    stf_status (*mem_copy)(stfi_bctx *, void *dst, const void *src,
                           size_t bytes, stfi_copy_dir, void *stream);

    /* Allocate and free host memory for copies at full speed (pinned memory).
     * Both may be NULL: run/queue.h says what is done instead. */
    stf_status (*host_alloc)(stfi_bctx *, size_t bytes, void **ptr_p);
    void (*host_free)(stfi_bctx *, void *ptr);
} stfi_device_ops;

#endif
