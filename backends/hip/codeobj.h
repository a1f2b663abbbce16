/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The resources that a kernel compiled for an AMD GPU needs, read from its code
 * object without a driver or a device. */
#ifndef STFI_HIP_CODEOBJ_H
#define STFI_HIP_CODEOBJ_H

#include "backends/gpu/host/device/gpu_rt.h"

/* What the metadata of a kernel say. Counts that an older compiler leaves out
 * are 0. */
typedef struct stfi_codeobj {
    int vgprs; /* vector registers per lane; on gfx90a and later with AGPRs */
    int agprs; /* accumulation registers among them */
    int sgprs; /* scalar registers per wave */
    int vgpr_spills, sgpr_spills;
    int scratch_bytes; /* of memory per lane, for spills and for calls */
    int lds_bytes;     /* of static block memory */
    int args_bytes;    /* of arguments, with those that HIP adds */
    int wave;          /* lanes */
    int threads;       /* in the largest block that it may be launched with */
} stfi_codeobj;

/* Reads the metadata of an entry. The image may contain anything: no byte
 * outside of [image, image + bytes) is read.
 * Errors: ARGUMENT (no code object, damaged, or without that entry). Thread:
 * any. */
stf_status stfi_codeobj_read(const void *image, size_t bytes, const char *entry,
                             stfi_codeobj *object_p);

/* The same as stfi_gpu_usage, whose member blocks is 0. */
stf_status stfi_hip_image_usage(const void *image, size_t bytes,
                                const char *entry, stfi_gpu_usage *usage_p);

#endif
