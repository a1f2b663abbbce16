/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The contract between the core and a backend: what a backend is, and one table
 * of functions for each thing that it does. A backend fills one stfi_backend
 * and has a row in registry.c; the core knows nothing else of it.
 *
 * Rules, for every table: no function aborts, prints or exits. The function
 * that detects an error records it (base/status.h); callers pass the status on.
 * Outputs are written on success only. A comment says which functions and
 * tables may be NULL; all others must exist. */
#ifndef STFI_BACKEND_BACKEND_H
#define STFI_BACKEND_BACKEND_H

#include "backend/device_ops.h"
#include "backend/e2e_ops.h"
#include "backend/fft_ops.h"
#include "backend/gemm_ops.h"
#include "backend/queue_ops.h"
#include "device/caps.h"
#include "ft/ledger.h"
#include "ft/sums.h"

enum { STFI_BACKEND_ABI = 2 };

typedef struct stfi_backend {
    uint32_t abi;
    const char *name;
    int priority; /* `auto` takes the usable backend with the highest */
    /* Counts devices; cheap, and opens nothing. No device is STF_OK and 0; then
     * *reason_p (static text, or the thread's own) says why. */
    stf_status (*probe)(int *ndevices_p, const char **reason_p);
    stf_status (*open)(int device, stfi_bctx **bctx_p);
    void (*close)(stfi_bctx *);
    /* Limits for planners, and a description for users. */
    stf_status (*caps)(const stfi_bctx *, stfi_caps *caps_p);
    stf_status (*info)(const stfi_bctx *, stf_device_info *info_p);
    const char *(*last_error)(const stfi_bctx *); /* the driver's message */

    const stfi_device_ops *device; /* memory */
    const stfi_queue_ops *queue;   /* streams */
    const stfi_fft_ops *fft;       /* transforms */
    const stfi_e2e_ops *e2e;       /* end-to-end checks; NULL: the host can read
                                      the arrays, and checks them itself */
    const stfi_gemm_ops *gemm;     /* matrix products; NULL: there are none */
    /* Returns how the host adds up adjacent elements in checks that it computes
     * itself (ft/sums.h), or NULL. May be NULL: never. */
    const stfi_ft_rows *(*row_sums)(const stfi_bctx *, stf_precision);
} stfi_backend;

/* A backend that this library may have: if it was not compiled in, why. */
typedef struct stfi_backend_entry {
    const char *name;
    const stfi_backend *backend; /* NULL: not compiled in */
    const char *reason;          /* why not compiled in, else NULL */
} stfi_backend_entry;

/* Returns the backends by falling priority, including absent ones. */
const stfi_backend_entry *stfi_backend_registry(int *count_p);

#endif
