/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What is CUDA's in the tests that are written once for all vendors. */
#include <string.h>

#include "backends/cuda/cuda_rt.h"
#include "tests/fake/fake.h"

static const char *const calls[] = {
#define STFI_CUDA_CALL(name, parameters) #name,
#include "backends/cuda/cuda_api.def"
#undef STFI_CUDA_CALL
    NULL};

static const char *const harmless[] = {"cuGetErrorName",
                                       "cuGetErrorString",
                                       "cuMemFree_v2",
                                       "cuMemFreeHost",
                                       "cuGraphDestroy",
                                       "cuGraphExecDestroy",
                                       "cuStreamDestroy_v2",
                                       "cuModuleUnload",
                                       "cuEventDestroy_v2",
                                       "cuDevicePrimaryCtxRelease_v2",
                                       NULL};

static const char *result(int code)
{
    static const struct {
        int code;
        const char *name;
    } rows[] = {
#define STFI_CUDA_VALUE(name, value) {value, #name},
#include "backends/cuda/cuda_api.def"
#undef STFI_CUDA_VALUE
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code && !strncmp(rows[i].name, "CUDA_", 5))
            return rows[i].name;
    return "unknown";
}

const fake_vendor_table fake_vendor = {
    .name = "cuda",
    .rt = &stfi_cuda_rt,
    .arch = "sm_90",
    .contexts = 1,
    .variable = "STEADFAST_CUDA_DRIVER",
    .library = "libcuda.so",
    .old_library = "libcuda-old.so",
    .old = "cuLaunchKernel",
    .none = "/nowhere/libcuda.so.1",
    .absent = "no CUDA driver",
    .init = "cuInit",
    .properties = "cuDevicePrimaryCtxRetain",
    .enter = "cuCtxPushCurrent_v2",
    .wait_stream = "cuStreamSynchronize",
    .wait_device = "cuCtxSynchronize",
    .to_device = "cuMemcpyHtoDAsync_v2",
    .on_device = "cuMemcpyDtoDAsync_v2",
    .load = "cuModuleLoadDataEx",
    .launch = "cuLaunchKernel",
    .stream_create = "cuStreamCreate",
    .host_alloc = "cuMemHostAlloc",
    .elapsed = "cuEventElapsedTime",
    .calls = calls,
    .harmless = harmless,
    .leave = "cuCtxPopCurrent_v2",
    .result = result,
};
