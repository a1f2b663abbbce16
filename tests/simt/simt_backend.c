/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The emulated GPU as a backend and as a device, which corresponds to the
 * backends cuda and hip. The registry of backends does not contain it. */
#include "backends/gpu/host/device/gpu_backend.h"
#include "backends/gpu/host/end_to_end/end_to_end.h"
#include "backends/gpu/host/fft/exec.h"
#include "backends/gpu/host/gemm/gemm_exec.h"
#include "base/alloc.h"
#include "base/status.h"
#include "run/device.h"
#include "tests/simt/simt.h"

static stf_status probe(int *ndevices_p, const char **reason_p)
{
    return stfi_simt_rt.probe(ndevices_p, reason_p);
}

static stf_status open_context(int device, stfi_bctx **bctx_p)
{
    return stfi_gpu_open(&stfi_simt_rt, &stfi_simt_rtc, device, bctx_p);
}

/* The emulated driver has neither pinned memory nor streams of its own. */
static const stfi_device_ops device_table = {
    .mem_alloc = stfi_gpu_mem_alloc,
    .mem_free = stfi_gpu_mem_free,
    .mem_copy = stfi_gpu_mem_copy,
};

static const stfi_queue_ops queue_table = {
    .sync = stfi_gpu_sync,
    .time_work = stfi_gpu_time_work,
};

const stfi_backend stfi_simt_backend = {
    .abi = STFI_BACKEND_ABI,
    .name = "simt",
    .priority = 0,
    .probe = probe,
    .open = open_context,
    .close = stfi_gpu_close,
    .caps = stfi_gpu_caps,
    .info = stfi_gpu_info,
    .last_error = stfi_gpu_last_error,
    .device = &device_table,
    .queue = &queue_table,
    .fft = &stfi_gpu_fft_table,
    .e2e = &stfi_gpu_e2e_table,
    .gemm = &stfi_gpu_gemm_table,
};

stf_status stfi_simt_device_open_caps(const stfi_caps *caps, stf_device **dev_p)
{
    stf_device *dev;
    void *mem;
    stf_status status = stfi_alloc(sizeof *dev, "a device", &mem);

    if (status != STF_OK)
        return status;
    dev = mem;
    dev->backend = &stfi_simt_backend;
    atomic_init(&dev->references, 1);
    stfi_simt_set_caps(caps);
    status = stfi_simt_backend.open(0, &dev->ctx);
    stfi_simt_set_caps(NULL);
    if (status != STF_OK) {
        stfi_dealloc(dev);
        return status;
    }
    *dev_p = dev;
    return STF_OK;
}

stf_status stfi_simt_device_open(const char *preset, stf_device **dev_p)
{
    const stfi_caps *caps = NULL;

    if (preset != NULL && (caps = stfi_preset_find(preset)) == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "no preset \"%s\"", preset);
    return stfi_simt_device_open_caps(caps, dev_p);
}

stf_status stfi_simt_device_open_small(const char *preset, int64_t block_bytes,
                                       stf_device **dev_p)
{
    stfi_caps caps = *stfi_preset_find(preset);

    if (block_bytes > 0)
        caps.block_bytes = block_bytes;
    return stfi_simt_device_open_caps(&caps, dev_p);
}
