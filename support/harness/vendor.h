/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What users of a GPU do with its vendor's own interface, beside this
 * library: streams of theirs, and graphs that are captured and replayed. The
 * driver is loaded at run time. */
#ifndef STFI_HARNESS_VENDOR_H
#define STFI_HARNESS_VENDOR_H

#include "steadfast.h"

typedef struct stfi_vendor stfi_vendor; /* an open device of a vendor */

/* Opens the vendor's view of a device; NULL if there is none, and *reason_p
 * says why. */
stfi_vendor *stfi_vendor_open(const stf_device_info *info,
                              const char **reason_p);
void stfi_vendor_close(stfi_vendor *v);

/* A stream that does not wait for the default one. NULL: failed. */
void *stfi_vendor_stream(stfi_vendor *v);
void stfi_vendor_stream_destroy(stfi_vendor *v, void *stream);
int stfi_vendor_wait(stfi_vendor *v, void *stream);

/* Begins to record what is put on the stream; makes a graph of it, NULL on
 * failure; puts that on the stream, 1 on success. */
int stfi_vendor_capture(stfi_vendor *v, void *stream);
void *stfi_vendor_captured(stfi_vendor *v, void *stream);
int stfi_vendor_replay(stfi_vendor *v, void *graph, void *stream);
void stfi_vendor_graph_destroy(stfi_vendor *v, void *graph);

#endif
