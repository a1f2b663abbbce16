/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* An emulated GPU for tests: a driver and a run-time compiler that fill the
 * tables of gpu_rt.h, and a device made of them. Kernels are compiled by the
 * C++ compiler that configure found. Every launch runs twice, with the threads
 * in opposite orders, and fails if the results differ.
 *
 * The host can reach device memory only by copies; new memory is filled with
 * NaNs. The environment variable STEADFAST_PRESET names the emulated device (a
 * row of presets.def); without it, t4 is emulated. */
#ifndef STFI_TESTS_SIMT_SIMT_H
#define STFI_TESTS_SIMT_SIMT_H

#include "backend/backend.h"
#include "backends/gpu/host/device/gpu_rt.h"

extern const stfi_gpu_rt stfi_simt_rt;
extern const stfi_gpu_rtc stfi_simt_rtc;
extern const stfi_backend stfi_simt_backend;

/* Opens an emulated device; NULL stands for the preset of STEADFAST_PRESET.
 * Errors: ARGUMENT (no such preset), MEMORY. */
stf_status stfi_simt_device_open(const char *preset, stf_device **dev_p);

/* As above, with another size of block memory if `block_bytes` is not 0. */
stf_status stfi_simt_device_open_small(const char *preset, int64_t block_bytes,
                                       stf_device **dev_p);

/* As above, with the limits that the caller gives. */
stf_status stfi_simt_device_open_caps(const stfi_caps *caps,
                                      stf_device **dev_p);

/* Sets the limits that the calling thread's next stfi_simt_rt.open() uses; NULL
 * again stands for the preset of STEADFAST_PRESET. */
void stfi_simt_set_caps(const stfi_caps *caps);

/* The reason why nothing can be emulated here (there is no C++ compiler), or
 * NULL. */
const char *stfi_simt_missing(void);

/* Kernels are kept in the folder that STF_TEST_CACHE names, else in that of
 * STEADFAST_CACHE_DIR, else in a new one, which stfi_simt_cache_close()
 * removes. They are found by their sources, their compiler and its options, so
 * that programs, builds and runs to come may share them. Returns 0 if there can
 * be no such folder. */
int stfi_simt_cache_open(void);
void stfi_simt_cache_close(void);

/* What this process has done so far. */
typedef struct stfi_simt_counts {
    long allocs;
    long frees;
    long loads;
    long unloads;
    long launches;
    long
        overlaps; /* of these, which may begin before the one before has ended */
    long compiles;
    long devices; /* devices that are open now */
} stfi_simt_counts;

stfi_simt_counts stfi_simt_count(void);

/* From now on, allocation or launch number `countdown` (1 = the next) fails,
 * once. 0 switches it off. */
void stfi_simt_fail_alloc_at(long countdown);
void stfi_simt_fail_launch_at(long countdown);

/* From now on, launches of the kernel of this name have at most so many blocks. A
 * kernel whose blocks go from tile to tile computes the same with fewer. "" again
 * stands for no kernel. */
void stfi_simt_limit_blocks(const char *entry, uint32_t most);

/* Compiles the C++ text `source` for "simt32" or "simt64". It can include the
 * kernels' sources, tests/simt, and `config` as config.h. stfi_simt_rtc does so
 * for a kernel's entry file. Errors: COMPILE with the beginning of the
 * compiler's log, MEMORY. */
stf_status stfi_simt_compile(const char *arch, const char *name,
                             const char *config, const char *source,
                             void **image_p, size_t *bytes_p);

/* Used by the driver: counts a compilation. */
void stfi_simt_count_compile(void);

/* From now on, kernels whose config.h contains the text do not compile, as with a
 * compiler that is too old for them; NULL ends it. */
void stfi_simt_refuse(const char *text);

#endif
