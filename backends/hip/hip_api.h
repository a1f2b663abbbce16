/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The HIP runtime's types and constants that hip_api.def needs, with the
 * vendor's names. This file must not be included together with the vendor's
 * hip_runtime_api.h. */
#ifndef STFI_HIP_API_H
#define STFI_HIP_API_H

#include <stddef.h>

typedef int hipError_t;
typedef int hipDevice_t;
typedef int hipDeviceAttribute_t;
typedef int hipFunction_attribute;
typedef int hipStreamCaptureMode;
typedef void *hipDeviceptr_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipGraph *hipGraph_t;
typedef struct hipGraphExec *hipGraphExec_t;

enum {
#define STFI_HIP_VALUE(name, value) name = value,
#include "backends/hip/hip_api.def"
#undef STFI_HIP_VALUE
};

/* The properties of a device, of which only the name of the architecture is
 * read. Their layout changed in ROCm 6, which has a new symbol for the new one;
 * the old symbol kept the old layout in all releases. */
enum {
    STFI_HIP_PROPERTIES_BYTES = 4096, /* room for either */
    STFI_HIP_ARCH_OFFSET_R0600 = 1160,
    STFI_HIP_ARCH_OFFSET_OLD = 396,
    STFI_HIP_ARCH_BYTES = 256
};

#define STFI_HIP_PROPERTIES_R0600 "hipGetDevicePropertiesR0600"
#define STFI_HIP_PROPERTIES_OLD "hipGetDeviceProperties"

typedef hipError_t stfi_hip_properties_call(void *properties, int device);

#endif
