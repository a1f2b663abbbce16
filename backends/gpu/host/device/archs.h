/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Which architecture a preset has and the reverse, by archs.def.
 * Thread: any. */
#ifndef STFI_DEVICE_ARCHS_H
#define STFI_DEVICE_ARCHS_H

#include "device/caps.h"

enum { STFI_GPU_ARCH_BYTES = 32 };

/* The preset of an architecture ("h200" for "sm_90"), and the reverse; NULL if
 * there is none. */
const stfi_caps *stfi_gpu_arch_preset(const char *arch);
const char *stfi_gpu_preset_arch(const char *preset);

/* The names of all presets that code can be compiled for, with a blank before
 * each. */
extern const char stfi_gpu_presets[];

/* Writes the virtual architecture of a real one, "compute_90" for "sm_90"; code
 * for it runs on any later device. Returns 0, with the text copied unchanged,
 * for one that has none. */
int stfi_gpu_arch_virtual(const char *arch, char text[STFI_GPU_ARCH_BYTES]);

/* Writes what code is compiled for that needs instructions which no later device
 * has: "sm_90a" for "sm_90". Other vendors' architectures are copied unchanged. */
void stfi_gpu_arch_exact(const char *arch, char text[STFI_GPU_ARCH_BYTES]);

/* 1 if both are of one vendor: they begin with the same letters. */
int stfi_gpu_arch_related(const char *a, const char *b);

#endif
