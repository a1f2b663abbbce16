/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The CUDA backend: what the GPU backends share, on CUDA's driver and
 * run-time compiler. */
#include "backends/cuda/cuda_backend.h"

#include "backends/cuda/cuda_rt.h"
#include "backends/cuda/cuda_rtc.h"
#include "backends/gpu/host/device/gpu_backend.h"

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
    STFI_GPU_BACKEND_FIELDS,
    .stream_create = stfi_gpu_stream_create,
    .stream_destroy = stfi_gpu_stream_destroy,
    .host_alloc = stfi_gpu_host_alloc,
    .host_free = stfi_gpu_host_free,
    .mem_copy_async = stfi_gpu_mem_copy_async,
    .time_work = stfi_gpu_time_work,
};
