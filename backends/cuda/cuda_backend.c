/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The CUDA backend: the common code of the GPU backends with CUDA's driver and
 * run-time compiler. */
#include "backends/cuda/cuda_backend.h"

#include "backends/cuda/cuda_rt.h"
#include "backends/cuda/cuda_rtc.h"
#include "backends/gpu/host/device/gpu_backend.h"
#include "backends/gpu/host/end_to_end/end_to_end.h"
#include "backends/gpu/host/fft/exec.h"
#include "backends/gpu/host/gemm/gemm_exec.h"

static stf_status cuda_probe(int *ndevices_p, const char **reason_p)
{
    return stfi_cuda_rt.probe(ndevices_p, reason_p);
}

static stf_status cuda_open(int device, stfi_bctx **bctx_p)
{
    return stfi_gpu_open(&stfi_cuda_rt, &stfi_cuda_rtc, device, bctx_p);
}

const stfi_backend stfi_cuda_backend = {
    .abi = STFI_BACKEND_ABI,
    .name = "cuda",
    .priority = 30,
    .probe = cuda_probe,
    .open = cuda_open,
    .close = stfi_gpu_close,
    .caps = stfi_gpu_caps,
    .info = stfi_gpu_info,
    .last_error = stfi_gpu_last_error,
    .device = &stfi_gpu_device_table,
    .queue = &stfi_gpu_queue_table,
    .fft = &stfi_gpu_fft_table,
    .e2e = &stfi_gpu_e2e_table,
    .gemm = &stfi_gpu_gemm_table,
};
