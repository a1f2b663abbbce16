/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Public calls: version and build. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "steadfast.h"

#ifndef STF_BUILD_COMPILER
#define STF_BUILD_COMPILER "unknown"
#endif
#ifndef STF_BUILD_CFLAGS
#define STF_BUILD_CFLAGS "unknown"
#endif
#ifndef STF_BUILD_OPENMP
#define STF_BUILD_OPENMP "unknown"
#endif
#ifndef STF_BUILD_SIMD
#define STF_BUILD_SIMD "unknown"
#endif
#ifndef STF_BUILD_HIP
#define STF_BUILD_HIP "unknown"
#endif
#ifndef STF_BUILD_CUDA
#define STF_BUILD_CUDA "unknown"
#endif
#ifndef STF_BUILD_BACKENDS
#define STF_BUILD_BACKENDS "cpu"
#endif

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

const char *stf_version(void)
{
    return TEXT(STF_VERSION_MAJOR) "." TEXT(STF_VERSION_MINOR) "." TEXT(
        STF_VERSION_PATCH);
}

const char *stf_build_info(void)
{
    return "backends: " STF_BUILD_BACKENDS "\n"
           "openmp: " STF_BUILD_OPENMP "\n"
           "simd: " STF_BUILD_SIMD "\n"
           "cuda: " STF_BUILD_CUDA "\n"
           "hip: " STF_BUILD_HIP "\n"
           "compiler: " STF_BUILD_COMPILER "\n"
           "cflags: " STF_BUILD_CFLAGS "\n";
}
