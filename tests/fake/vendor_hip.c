/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What is HIP's in the tests that are written once for all vendors. */
#include <string.h>

#include "backends/hip/hip_rt.h"
#include "tests/fake/fake.h"

static const char *const calls[] = {
#define STFI_HIP_CALL(name, parameters) #name,
#include "backends/hip/hip_api.def"
#undef STFI_HIP_CALL
    STFI_HIP_PROPERTIES_R0600, NULL};

static const char *const harmless[] = {
    "hipFree",          "hipHostFree",
    "hipGraphDestroy",  "hipGraphExecDestroy",
    "hipStreamDestroy", "hipModuleUnload",
    "hipEventDestroy",  NULL};

static const char *result(int code)
{
    static const struct {
        int code;
        const char *name;
    } rows[] = {
#define STFI_HIP_VALUE(name, value) {value, #name},
#include "backends/hip/hip_api.def"
#undef STFI_HIP_VALUE
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code && !strncmp(rows[i].name, "hipError", 8))
            return rows[i].name;
    return "unknown";
}

const fake_vendor_table fake_vendor = {
    .name = "hip",
    .rt = &stfi_hip_rt,
    .arch = "gfx90a",
    .contexts = 0,
    .variable = "STEADFAST_HIP_DRIVER",
    .library = "libamdhip64.so",
    .old_library = "libamdhip64-old.so",
    .old = "hipModuleLaunchKernel",
    .none = "/nowhere/libamdhip64.so.6",
    .absent = "no HIP runtime",
    .init = "hipInit",
    .properties = STFI_HIP_PROPERTIES_R0600,
    .enter = "hipGetDevice",
    .wait_stream = "hipStreamSynchronize",
    .wait_device = "hipDeviceSynchronize",
    .to_device = "hipMemcpyHtoDAsync",
    .on_device = "hipMemcpyDtoDAsync",
    .load = "hipModuleLoadData",
    .launch = "hipModuleLaunchKernel",
    .stream_create = "hipStreamCreateWithFlags",
    .host_alloc = "hipHostMalloc",
    .elapsed = "hipEventElapsedTime",
    .calls = calls,
    .harmless = harmless,
    .leave = "",
    .result = result,
};
