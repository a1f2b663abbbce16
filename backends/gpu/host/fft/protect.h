/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a protected executable keeps in device memory: the ledger in which its
 * kernels note what they find, and the faults to inject into the next
 * launch. */
#ifndef STFI_FFT_PROTECT_H
#define STFI_FFT_PROTECT_H

#include <stdatomic.h>

#include "backend/backend.h"
#include "backends/gpu/host/device/gpu_ctx.h"
#include "backends/gpu/kernels/fft/args.h"
#include "ft/fault.h"

/* All members are zero if the executable is not protected. Faults are sorted by
 * chunk, then by pass; place[] and pass[] are those of fault[], on the host. */
typedef struct stfi_gpu_protection {
    stfk_ledger *ledger; /* in device memory */
    stfk_fault *fault;   /* in device memory */
    stfi_fault_place *place;
    int32_t *pass;
    atomic_int armed;    /* number of faults for the next launch */
    atomic_int suffered; /* number of faults that the last launch had */
} stfi_gpu_protection;

/* Errors: MEMORY, DEVICE. */
stf_status stfi_gpu_guard_create(stfi_bctx *ctx, const stfi_schedule *s,
                                 stfi_gpu_protection *g);
void stfi_gpu_guard_destroy(stfi_bctx *ctx, stfi_gpu_protection *g);

/* Sets the arguments of pass i that are the same in every launch. */
void stfi_gpu_guard_set(const stfi_gpu_protection *g, const stfi_pass *p, int i,
                        stfk_check *check);

/* Sets the arguments that depend on the scale that the pass applies. */
void stfi_gpu_guard_scale(double scale, stfk_check *check);

/* As ledger() and inject() of stfi_fft_ops. */
stf_status stfi_gpu_guard_read(stfi_bctx *ctx, const stfi_gpu_protection *g,
                               int reset, stfi_ft_ledger *ledger_p);
stf_status stfi_gpu_guard_arm(stfi_bctx *ctx, const stfi_schedule *s,
                              const stf_fault *fault, int count,
                              stfi_gpu_protection *g);

/* Returns the number of faults for this launch; the next launch has none. If
 * `again` is 1, this launch repeats the last one and has the same faults. */
int stfi_gpu_guard_disarm(stfi_gpu_protection *g, int again);

/* Points the arguments of a pass to the faults of that chunk and pass, among
 * `armed` faults. */
void stfi_gpu_guard_strike(const stfi_gpu_protection *g, int armed,
                           int64_t chunk, int pass, stfk_check *check);

#endif
