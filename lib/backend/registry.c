/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The backends, best first; one row each. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backend/backend.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/hip/hip_backend.h"

#ifdef HAVE_CUDA
#define CUDA_ENTRY                       \
    {                                    \
        "cuda", &stfi_cuda_backend, NULL \
    }
#elif defined(STF_BUILD_CUDA_REASON)
#define CUDA_ENTRY                          \
    {                                       \
        "cuda", NULL, STF_BUILD_CUDA_REASON \
    }
#else
#define CUDA_ENTRY                      \
    {                                   \
        "cuda", NULL, "not compiled in" \
    }
#endif

#ifdef HAVE_HIP
#define HIP_ENTRY                      \
    {                                  \
        "hip", &stfi_hip_backend, NULL \
    }
#elif defined(STF_BUILD_HIP_REASON)
#define HIP_ENTRY                         \
    {                                     \
        "hip", NULL, STF_BUILD_HIP_REASON \
    }
#else
#define HIP_ENTRY                      \
    {                                  \
        "hip", NULL, "not compiled in" \
    }
#endif

static const stfi_backend_entry registry[] = {
    CUDA_ENTRY,
    HIP_ENTRY,
    {"cpu", &stfi_cpu_backend, NULL},
};

const stfi_backend_entry *stfi_backend_registry(int *count_p)
{
    *count_p = (int)(sizeof registry / sizeof *registry);
    return registry;
}
