/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* An emulated GPU for tests: a driver and a run-time compiler that fill the
 * tables of gpu_rt.h, and a device made of them. Kernels are compiled by the
 * C++ compiler that configure found; every launch runs twice, with the threads
 * in opposite orders, and fails if the results differ.
 *
 * Device memory cannot be touched by the host but through copies, and holds
 * NaNs at first. The environment: STEADFAST_PRESET names the device emulated
 * (a row of presets.def), t4 without it. */
#ifndef STFI_TESTS_SIMT_SIMT_H
#define STFI_TESTS_SIMT_SIMT_H

#include "backend/backend.h"
#include "backends/gpu/host/device/gpu_rt.h"

extern const stfi_gpu_rt stfi_simt_rt;
extern const stfi_gpu_rtc stfi_simt_rtc;
extern const stfi_backend stfi_simt_backend;

/* Opens an emulated device; NULL is what STEADFAST_PRESET names.
 * Errors: ARGUMENT (no such preset), MEMORY. */
stf_status stfi_simt_device_open(const char *preset, stf_device **dev_p);

/* As above, with another size of block memory if `block_bytes` is not 0. */
stf_status stfi_simt_device_open_small(const char *preset, int64_t block_bytes,
                                       stf_device **dev_p);

/* As above, with the limits that the caller gives. */
stf_status stfi_simt_device_open_caps(const stfi_caps *caps,
                                      stf_device **dev_p);

/* What the calling thread's next stfi_simt_rt.open() yields; NULL is again
 * what STEADFAST_PRESET names. */
void stfi_simt_set_caps(const stfi_caps *caps);

/* Why there is no emulation here (no C++ compiler), or NULL. */
const char *stfi_simt_missing(void);

/* 1 if STF_TEST_CACHE names a folder for kernels, which is now this process's
 * cache: test programs of several builds of the same sources may share one,
 * and whoever names it sees to it that these are the same, tests/simt too. */
int stfi_simt_share_kernels(void);

/* What was done in this process so far. */
typedef struct stfi_simt_counts {
    long allocs;
    long frees;
    long loads;
    long unloads;
    long launches;
    long compiles;
    long devices; /* open now */
} stfi_simt_counts;

stfi_simt_counts stfi_simt_count(void);

/* From now on, allocation or launch number `countdown` (1 = the next) fails,
 * once. 0 switches it off. */
void stfi_simt_fail_alloc_at(long countdown);
void stfi_simt_fail_launch_at(long countdown);

/* Compiles C++ `source`, which finds the kernels' folder, tests/simt and
 * `config` as config.h, for "simt32" or "simt64"; stfi_simt_rtc does so with
 * entry.h. Errors: COMPILE with the head of the compiler's log, MEMORY. */
stf_status stfi_simt_compile(const char *arch, const char *name,
                             const char *config, const char *source,
                             void **image_p, size_t *bytes_p);

/* Used by the driver: counts a compilation. */
void stfi_simt_count_compile(void);

#endif
