/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Kernels whose compiler puts more into static block memory than they ask for; see
 * protected.h. */
#include "backends/gpu/host/device/gpu_ctx.h"
#include "run/device.h"
#include "tests/simt/protected.h"
#include "tests/simt/simt.h"
#include "tests/tap.h"

static int static_bytes; /* of the next kernels, as the runtime says */

static stf_status load_misplaced(stfi_gpu_dev *dev, const void *image,
                                 size_t bytes, const char *entry,
                                 const stfi_gpu_launch *launch,
                                 stfi_gpu_kernel **kernel_p,
                                 stfi_gpu_usage *usage_p)
{
    stf_status status =
        stfi_simt_rt.load(dev, image, bytes, entry, launch, kernel_p, usage_p);

    usage_p->shared_bytes = static_bytes;
    return status;
}

/* Plans with kernels that have so many bytes of static block memory. */
static stf_status plan_with(stf_device *dev, stf_ft_mode mode, int bytes)
{
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *plan = NULL;
    stf_status status;

    static_bytes = bytes;
    d.n[0] = 45;
    d.batch = 7;
    d.ft.mode = mode;
    status = stf_plan_fft(dev, &d, &plan);
    stf_plan_destroy(plan);
    return status;
}

void protected_check_misplaced(void)
{
    stfi_gpu_rt rt = stfi_simt_rt;
    stfi_simt_counts before, after;
    stf_device *dev;
    int refused, taken;

    if (stfi_simt_device_open("mi300x", &dev)) {
        tap_ok(0, "%s", stf_error_message());
        return;
    }
    rt.load = load_misplaced;
    dev->ctx->rt = &rt;
    before = stfi_simt_count();
    refused = plan_with(dev, STF_FT_CORRECT, 17) == STF_ERR_INTERNAL;
    after = stfi_simt_count();
    refused = refused && after.loads > before.loads
              && after.loads - before.loads == after.unloads - before.unloads;
    taken = plan_with(dev, STF_FT_CORRECT, 16) == STF_OK
            && plan_with(dev, STF_FT_OFF, 4096) == STF_OK;
    dev->ctx->rt = &stfi_simt_rt;
    tap_ok(refused && taken, "a protected kernel with more static block memory "
                             "than a flag is refused");
    stf_device_close(dev);
}
