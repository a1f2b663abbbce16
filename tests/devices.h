/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The devices that tests of transforms run on: every one that this machine
 * has, and a far one. */
#ifndef STFI_TESTS_DEVICES_H
#define STFI_TESTS_DEVICES_H

#include "steadfast.h"

typedef void stfi_device_visitor(void *context, stf_device *dev,
                                 const stf_device_info *info);

/* Opens each device in turn and calls `visit`. An absent backend is a SKIP
 * with its reason, or a failure if the environment variable
 * STF_REQUIRE_BACKENDS ("cpu cuda") names it. */
void stfi_devices_each(stfi_device_visitor *visit, void *context);

/* 1 for the cpu device itself, for tests that apply to host arrays only. */
int stfi_device_is_cpu(const stf_device_info *info);

/* 1 for a device with a driver of its own, neither cpu nor far. */
int stfi_device_is_gpu(const stf_device_info *info);

/* 1 if a test takes row i on the device: at the quick level a GPU takes one of
 * `step` rows, since it has to compile kernels for each. */
int stfi_device_takes(const stf_device_info *info, int i, int step);

#endif
