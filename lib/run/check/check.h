/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checking transforms that anyone computed, wherever their arrays are. */
#ifndef STFI_RUN_CHECK_H
#define STFI_RUN_CHECK_H

#include "run/device.h"

/* Checks every transform of the completed descriptor, and fills in *report_p.
 * Arrays of a device with memory of its own are copied to the host in parts.
 * Errors: MEMORY, UNSUPPORTED, DEVICE. Thread: any. */
stf_status stfi_check_fft(stf_device *dev, const stf_fft_desc *full,
                          stf_direction direction, const void *in,
                          const void *out, stf_ft_report *report_p);

#endif
