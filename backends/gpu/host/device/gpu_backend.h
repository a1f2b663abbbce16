/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A backend over a vendor's tables: everything of stfi_backend but probe and
 * the choice of the tables. Fields as in lib/backend/backend.h. */
#ifndef STFI_DEVICE_GPU_BACKEND_H
#define STFI_DEVICE_GPU_BACKEND_H

#include "backends/gpu/host/device/gpu_rt.h"
#include "backends/gpu/host/end_to_end/end_to_end.h"

/* Opens a device. STEADFAST_PRESET names a row of presets.def whose limits
 * and architecture replace the device's own. Errors: ARGUMENT, DEVICE,
 * MEMORY. */
stf_status stfi_gpu_open(const stfi_gpu_rt *rt, const stfi_gpu_rtc *rtc,
                         int device, stfi_bctx **bctx_p);
void stfi_gpu_close(stfi_bctx *ctx);
stf_status stfi_gpu_caps(const stfi_bctx *ctx, stfi_caps *caps_p);
stf_status stfi_gpu_info(const stfi_bctx *ctx, stf_device_info *info_p);
stf_status stfi_gpu_supports(const stfi_bctx *ctx, stf_precision precision,
                             const stfi_pass *p);
stf_status stfi_gpu_mem_alloc(stfi_bctx *ctx, size_t bytes, void **ptr_p);
void stfi_gpu_mem_free(stfi_bctx *ctx, void *ptr);
stf_status stfi_gpu_mem_copy(stfi_bctx *ctx, void *dst, const void *src,
                             size_t bytes, stfi_copy_dir dir, void *stream);
stf_status stfi_gpu_exec_create(stfi_bctx *ctx, const stfi_schedule *s,
                                int threads, const stfi_exec *like,
                                stfi_exec **exec_p);
void stfi_gpu_exec_destroy(stfi_exec *x);
size_t stfi_gpu_exec_workspace(const stfi_exec *x);
stf_status stfi_gpu_exec_launch(stfi_exec *x, const stfi_buffers *b,
                                void *stream);
stf_status stfi_gpu_exec_ledger(stfi_exec *x, int reset,
                                stfi_ft_ledger *ledger_p);
stf_status stfi_gpu_exec_inject(stfi_exec *x, const stf_fault *fault,
                                int count);
stf_status stfi_gpu_exec_time(stfi_exec *x, const stfi_buffers *b, int reps,
                              double *seconds_p);
stf_status stfi_gpu_sync(stfi_bctx *ctx, void *stream);
const char *stfi_gpu_last_error(const stfi_bctx *ctx);

/* For vendors whose tables have them. */
stf_status stfi_gpu_stream_create(stfi_bctx *ctx, void **stream_p);
void stfi_gpu_stream_destroy(stfi_bctx *ctx, void *stream);
stf_status stfi_gpu_host_alloc(stfi_bctx *ctx, size_t bytes, void **ptr_p);
void stfi_gpu_host_free(stfi_bctx *ctx, void *ptr);
stf_status stfi_gpu_mem_copy_async(stfi_bctx *ctx, void *dst, const void *src,
                                   size_t bytes, stfi_copy_dir dir,
                                   void *stream);
stf_status stfi_gpu_time_work(stfi_bctx *ctx, stfi_work *work, void *arg,
                              int count, int replay, double *seconds_p);

/* The fields of a stfi_backend that every vendor has. */
#define STFI_GPU_BACKEND_FIELDS                                               \
    .close = stfi_gpu_close, .caps = stfi_gpu_caps, .info = stfi_gpu_info,    \
    .supports = stfi_gpu_supports, .mem_alloc = stfi_gpu_mem_alloc,           \
    .mem_free = stfi_gpu_mem_free, .mem_copy = stfi_gpu_mem_copy,             \
    .exec_create = stfi_gpu_exec_create,                                      \
    .exec_destroy = stfi_gpu_exec_destroy,                                    \
    .exec_workspace = stfi_gpu_exec_workspace,                                \
    .exec_launch = stfi_gpu_exec_launch, .exec_ledger = stfi_gpu_exec_ledger, \
    .exec_inject = stfi_gpu_exec_inject, .exec_time = stfi_gpu_exec_time,     \
    .sync = stfi_gpu_sync, .last_error = stfi_gpu_last_error,                 \
    .e2e = &stfi_gpu_e2e_table

#endif
