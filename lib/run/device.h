/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Open devices: counted references, because plans keep theirs alive. */
#ifndef STFI_RUN_DEVICE_H
#define STFI_RUN_DEVICE_H

#include <stdatomic.h>

#include "backend/backend.h"
#include "ft/weights/vector.h"

struct stf_device {
    const stfi_backend *backend;
    stfi_bctx *ctx;
    atomic_int references;
    _Atomic(stfi_ft_cache *) checks; /* vectors; NULL until needed */
};

/* Opens by name as stf_device_open() does. */
stf_status stfi_device_open(const char *name, stf_device **dev_p);

/* One more, one less reference; the last one closes the device. */
void stfi_device_keep(stf_device *dev);
void stfi_device_drop(stf_device *dev);

/* 1 if device memory is host memory, so that nothing need be staged. */
int stfi_host_is_device(const stf_device *dev);

/* What the device's checksums are made of. Errors: MEMORY. Thread: any. */
stf_status stfi_device_checks(stf_device *dev, stfi_ft_cache **cache_p);

/* Fills the list as stf_device_list() does. */
int stfi_device_list(stf_device_info *list, int capacity);

#endif
