/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Work that a device does while the host goes on: streams, copies that are
 * not waited for, host memory that suits them, device time. Where a backend
 * has none of it (NULL in its tables), everything is done in order on the
 * default stream, host memory is ordinary, and the host's clock is read. */
#ifndef STFI_RUN_QUEUE_H
#define STFI_RUN_QUEUE_H

#include "run/device.h"

stf_status stfi_stream_create(stf_device *dev, void **stream_p);
void stfi_stream_destroy(stf_device *dev, void *stream);

stf_status stfi_host_alloc(stf_device *dev, size_t bytes, void **ptr_p);
void stfi_host_free(stf_device *dev, void *ptr);

/* Host memory must be stfi_host_alloc()'s and be left alone until the stream
 * is done with it. */
stf_status stfi_copy_async(stf_device *dev, void *dst, const void *src,
                           size_t bytes, stfi_copy_dir dir, void *stream);

/* Seconds that `count` runs of the work take, one after the other; replay:
 * as a graph, which leaves out what each launch costs the host. */
stf_status stfi_time_work(stf_device *dev, stfi_work *work, void *arg,
                          int count, int replay, double *seconds_p);

#endif
