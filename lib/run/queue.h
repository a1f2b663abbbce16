/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Work that a device does while the host continues: streams, copies that nobody
 * waits for, the host memory that these need, and timing. If a backend does not
 * support this (NULL in its tables), all work is done in order on the default
 * stream, host memory is ordinary, and the host's clock measures time. */
#ifndef STFI_RUN_QUEUE_H
#define STFI_RUN_QUEUE_H

#include "run/device.h"

stf_status stfi_stream_create(stf_device *dev, void **stream_p);
void stfi_stream_destroy(stf_device *dev, void *stream);

stf_status stfi_host_alloc(stf_device *dev, size_t bytes, void **ptr_p);
void stfi_host_free(stf_device *dev, void *ptr);

/* The host's side of the copy must be memory from stfi_host_alloc(), and must
 * not be touched until the stream is done with it. */
stf_status stfi_copy_async(stf_device *dev, void *dst, const void *src,
                           size_t bytes, stfi_copy_dir dir, void *stream);

/* Measures the seconds that `count` runs of the work take, one after the other.
 * replay: 1 if they run as a graph, which leaves out what each launch costs the
 * host. */
stf_status stfi_time_work(stf_device *dev, stfi_work *work, void *arg,
                          int count, int replay, double *seconds_p);

#endif
