/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What users of a GPU do by its vendor's own interface while they use this
 * library: they make streams, and capture and replay graphs. The driver is
 * loaded at run time. */
#ifndef STFI_HARNESS_VENDOR_H
#define STFI_HARNESS_VENDOR_H

#include "steadfast.h"

typedef struct stfi_vendor stfi_vendor; /* an open device */

/* Opens a device through its vendor's interface. Returns NULL if that is not
 * possible, and *reason_p says why. */
stfi_vendor *stfi_vendor_open(const stf_device_info *info,
                              const char **reason_p);
void stfi_vendor_close(stfi_vendor *v);

/* Makes a stream that does not wait for the default stream; NULL on failure. */
void *stfi_vendor_stream(stfi_vendor *v);
void stfi_vendor_stream_destroy(stfi_vendor *v, void *stream);
int stfi_vendor_wait(stfi_vendor *v, void *stream);

/* stfi_vendor_capture() begins to record the work put on the stream;
 * stfi_vendor_captured() makes a graph of it, or NULL on failure; and
 * stfi_vendor_replay() puts the graph on the stream. The functions that return
 * int return 1 on success. */
int stfi_vendor_capture(stfi_vendor *v, void *stream);
void *stfi_vendor_captured(stfi_vendor *v, void *stream);
int stfi_vendor_replay(stfi_vendor *v, void *graph, void *stream);
void stfi_vendor_graph_destroy(stfi_vendor *v, void *graph);

#endif
