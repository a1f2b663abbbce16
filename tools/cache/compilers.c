/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Which compiler is for which architecture; see compilers.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "tools/cache/compilers.h"

#include <string.h>

#ifdef HAVE_CUDA
#include "backends/cuda/cubin.h"
#include "backends/cuda/cuda_rtc.h"
#endif
#ifdef HAVE_HIP
#include "backends/hip/codeobj.h"
#include "backends/hip/hip_rtc.h"
#endif

static stf_status no_usage(const void *image, size_t bytes, const char *entry,
                           stfi_gpu_usage *usage_p)
{
    (void)image;
    (void)bytes;
    (void)entry;
    *usage_p = (stfi_gpu_usage){.local_bytes = 0};
    return STF_OK;
}

/* By what the architecture begins with; the last row takes all others. */
static const struct row {
    const char *arch;
    const stfi_gpu_rtc *rtc;
    stfi_usage_reader *usage;
} rows[] = {
#ifdef HAVE_CUDA
    {"sm_", &stfi_cuda_rtc, stfi_cuda_image_usage},
    {"compute_", &stfi_cuda_rtc, stfi_cuda_image_usage},
#endif
#ifdef HAVE_HIP
    {"gfx", &stfi_hip_rtc, stfi_hip_image_usage},
#endif
    {"", NULL, no_usage},
};

static const struct row *row_of(const char *arch)
{
    const struct row *row = rows;

    while (strncmp(arch, row->arch, strlen(row->arch)) != 0)
        row++;
    return row;
}

const stfi_gpu_rtc *stfi_compiler_of(const char *arch)
{
    return row_of(arch)->rtc;
}

stfi_usage_reader *stfi_usage_reader_of(const char *arch)
{
    return row_of(arch)->usage;
}
