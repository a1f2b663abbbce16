/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A kernel as the compiler and the launcher see it: its name, the text of its
 * config.h, and how it is launched. lib/fft/gpu/ chooses its configuration.
 * These are pure functions, which need no device. */
#ifndef STFI_FFT_SPEC_H
#define STFI_FFT_SPEC_H

#include "backends/gpu/host/device/gpu_rt.h"
#include "fft/gpu/config.h"

enum { STFI_GPU_ENTRY_BYTES = 192, STFI_GPU_CONFIG_BYTES = 16384 };

typedef struct stfi_gpu_spec {
    char entry[STFI_GPU_ENTRY_BYTES];   /* encodes every parameter */
    char config[STFI_GPU_CONFIG_BYTES]; /* config.h of the kernel sources */
    stfi_gpu_launch launch;             /* blocks: 0, set per execution */
    int lanes;                          /* lanes of the pass per tile */
    int stays;                          /* its blocks go from tile to tile */
    int draws;        /* its blocks draw tiles from a tile counter */
    int tiles;        /* number of tiles that one verdict covers */
    int ordered;      /* the vectors of checks are in the order of
                                           registers; tables.c */
    int exact;        /* it is compiled for its architecture alone (archs.h) */
    int from_memory;  /* residuals are made of what memory holds */
    int is_signed;    /* the pass adds to the signature of its launch */
    int spill_bytes;  /* local memory that a thread may use */
    int spills_most;  /* and its spills: stfi_gpu_usage */
    int spills_hoped; /* the same of kernels for more than `resident` blocks */
    int resident;     /* blocks per multiprocessor that the
                                           planner counts on */
    int hoped;        /* those that it is first compiled for, as many or more */
    int has_flag; /* where kernels have static block memory, that is a flag of
                                           known size, and a launch's part has a
                                           fixed place behind it */
} stfi_gpu_spec;

/* Makes the kernel of a configuration. Errors: INTERNAL, MEMORY.
 * Thread: any. */
stf_status stfi_gpu_spec_of(const stfi_gpu_config *config,
                            stfi_gpu_spec *spec_p);

/* Makes the kernel of a pass of a schedule that was planned for `caps`. Errors:
 * as stfi_gpu_config_choose() and stfi_gpu_spec_of(). Thread: any. */
stf_status stfi_gpu_spec_make(const stfi_pass *p, stf_precision precision,
                              const stfi_caps *caps, stfi_gpu_spec *spec_p);

/* A kernel is first compiled for `hoped` blocks per multiprocessor, and for fewer
 * while it spills registers. stfi_gpu_spec_spills() returns whether it does when
 * compiled for `blocks`: whether its stack is larger than the spec allows, or too many
 * of its instructions access it; that of a protected kernel mostly belongs to functions
 * which compute a tile again. stfi_gpu_spec_fewer() returns the
 * number to try after `blocks`, or 0 if there is none, and
 * stfi_gpu_spec_variant() writes config.h for any number. Thread: any. */
enum { STFI_GPU_VARIANT_BYTES = STFI_GPU_CONFIG_BYTES + 64 };
int stfi_gpu_spec_spills(const stfi_gpu_spec *spec, int blocks,
                         const stfi_gpu_usage *usage);
int stfi_gpu_spec_fewer(const stfi_gpu_spec *spec, int blocks);
void stfi_gpu_spec_variant(const stfi_gpu_spec *spec, int blocks,
                           char config[STFI_GPU_VARIANT_BYTES]);

#endif
