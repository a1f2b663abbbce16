/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executes schedules on a GPU of any vendor. */
#ifndef STFI_FFT_EXEC_H
#define STFI_FFT_EXEC_H

#include "backend/fft_ops.h"

extern const stfi_fft_ops stfi_gpu_fft_table;

#endif
