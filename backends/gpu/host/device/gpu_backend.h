/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Devices over a vendor's tables: the members of a stfi_backend, except
 * probe, which a vendor's backend adds. Functions are as in
 * lib/backend/backend.h. Transforms are in fft/exec.h, end-to-end checks in
 * end_to_end/end_to_end.h. */
#ifndef STFI_DEVICE_GPU_BACKEND_H
#define STFI_DEVICE_GPU_BACKEND_H

#include "backend/backend.h"
#include "backends/gpu/host/device/gpu_rt.h"

/* Opens a device. STEADFAST_PRESET names a row of presets.def whose limits
 * and architecture replace the device's own. Errors: ARGUMENT, DEVICE,
 * MEMORY. */
stf_status stfi_gpu_open(const stfi_gpu_rt *rt, const stfi_gpu_rtc *rtc,
                         int device, stfi_bctx **bctx_p);
void stfi_gpu_close(stfi_bctx *ctx);
stf_status stfi_gpu_caps(const stfi_bctx *ctx, stfi_caps *caps_p);
stf_status stfi_gpu_info(const stfi_bctx *ctx, stf_device_info *info_p);
const char *stfi_gpu_last_error(const stfi_bctx *ctx);

/* Tables for a vendor whose stfi_gpu_rt has every function. */
extern const stfi_device_ops stfi_gpu_device_table;
extern const stfi_queue_ops stfi_gpu_queue_table;

/* Functions for the tables of a vendor whose stfi_gpu_rt lacks some. */
stf_status stfi_gpu_mem_alloc(stfi_bctx *ctx, size_t bytes, void **ptr_p);
void stfi_gpu_mem_free(stfi_bctx *ctx, void *ptr);
stf_status stfi_gpu_mem_copy(stfi_bctx *ctx, void *dst, const void *src,
                             size_t bytes, stfi_copy_dir dir, void *stream);
stf_status stfi_gpu_sync(stfi_bctx *ctx, void *stream);
stf_status stfi_gpu_time_work(stfi_bctx *ctx, stfi_work *work, void *arg,
                              int count, int replay, double *seconds_p);

#endif
