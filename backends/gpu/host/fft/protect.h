/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a protected executable keeps in device memory: the ledger in which its
 * kernels note what they find, and faults that the next launch suffers. */
#ifndef STFI_FFT_PROTECT_H
#define STFI_FFT_PROTECT_H

#include <stdatomic.h>

#include "backend/backend.h"
#include "backends/gpu/host/device/gpu_ctx.h"
#include "backends/gpu/kernels/fft/args.h"
#include "ft/fault.h"

/* All zero: of an executable that is not protected. Faults are sorted by
 * chunk, then by pass. */
typedef struct stfi_gpu_protection {
    stfk_ledger *ledger; /* in device memory */
    stfk_fault *fault;   /* in device memory */
    stfi_fault_place *place;
    int32_t *pass;
    atomic_int armed;    /* faults that the next launch suffers, */
    atomic_int suffered; /* and those of the last one */
} stfi_gpu_protection;

/* Errors: MEMORY, DEVICE. */
stf_status stfi_gpu_guard_create(stfi_bctx *ctx, const stfi_schedule *s,
                                 stfi_gpu_protection *g);
void stfi_gpu_guard_destroy(stfi_bctx *ctx, stfi_gpu_protection *g);

/* What the kernels of pass i need to know for every launch. */
void stfi_gpu_guard_set(const stfi_gpu_protection *g, const stfi_pass *p, int i,
                        stfk_check *check);

/* Sets what depends on the scale that the pass applies. */
void stfi_gpu_guard_scale(double scale, stfk_check *check);

/* As ledger() and inject() of stfi_fft_ops. */
stf_status stfi_gpu_guard_read(stfi_bctx *ctx, const stfi_gpu_protection *g,
                               int reset, stfi_ft_ledger *ledger_p);
stf_status stfi_gpu_guard_arm(stfi_bctx *ctx, const stfi_schedule *s,
                              const stf_fault *fault, int count,
                              stfi_gpu_protection *g);

/* How many faults this launch suffers; the next one none. `again`: it repeats
 * the last one, and has the same. */
int stfi_gpu_guard_disarm(stfi_gpu_protection *g, int again);

/* Points the arguments of a pass at those of its chunk, of `armed`. */
void stfi_gpu_guard_strike(const stfi_gpu_protection *g, int armed,
                           int64_t chunk, int pass, stfk_check *check);

#endif
