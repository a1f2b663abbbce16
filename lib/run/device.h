/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Open devices. Their references are counted, because each plan keeps its
 * device open. */
#ifndef STFI_RUN_DEVICE_H
#define STFI_RUN_DEVICE_H

#include <stdatomic.h>

#include "backend/backend.h"
#include "ft/weights/vector.h"

typedef struct stfi_gemm_kept stfi_gemm_kept; /* run/gemm/kept.h */

struct stf_device {
    const stfi_backend *backend;
    stfi_bctx *ctx;
    atomic_int references;
    int threads;    /* host threads for those who ask for no number */
    int unit_radix; /* as in stfi_choice, for plans by the model; 0: the model's.
                    Set before there are plans, by tests and tools. */
    _Atomic(stfi_ft_cache *) checks; /* vectors of checks; NULL until needed */
    _Atomic(stfi_gemm_kept *) products; /* plans of calls without a plan; NULL
                                           until needed */
};

/* Opens by name as stf_device_open() does. */
stf_status stfi_device_open(const char *name, stf_device **dev_p);

/* Adds and removes a reference; without references the device is closed. */
void stfi_device_keep(stf_device *dev);
void stfi_device_drop(stf_device *dev);

/* Returns 1 if the device's memory is the host's, so that nothing has to be
 * copied. */
int stfi_host_is_device(const stf_device *dev);

/* Returns how many host threads may work, if a descriptor says `wanted`. */
int stfi_device_threads(const stf_device *dev, int wanted);

/* Gets the device's cache of vectors for checks. Errors: MEMORY. Thread:
 * any. */
stf_status stfi_device_checks(stf_device *dev, stfi_ft_cache **cache_p);

/* Returns the backend's row_sums() for a precision, or NULL. */
const stfi_ft_rows *stfi_device_row_sums(const stf_device *dev,
                                         stf_precision precision);

/* Fills the list as stf_device_list() does. */
int stfi_device_list(stf_device_info *list, int capacity);

#endif
