/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* stf_check_fft() for arrays in device memory, by the device itself. */
#ifndef STFI_RUN_CHECK_DEVICE_H
#define STFI_RUN_CHECK_DEVICE_H

#include "run/device.h"

/* Returns 1 if the device can do that. */
int stfi_check_device_is_there(const stf_device *dev);

/* As stfi_check_fft(). Errors: MEMORY, DEVICE, COMPILE, UNSUPPORTED. */
stf_status stfi_check_device(stf_device *dev, const stf_fft_desc *full,
                             stf_direction direction, const void *in,
                             const void *out, stf_ft_report *report_p);

#endif
