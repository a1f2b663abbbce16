/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Where a tile's elements are stored in block memory if some stages run on matrix
 * units. Their threads access elements with several strides at once, for which no
 * padding is right. Pure functions. Thread: any. */
#ifndef STFI_GPU_SWIZZLE_H
#define STFI_GPU_SWIZZLE_H

#include "fft/gpu/config.h"

/* Returns 1 if elements are swizzled: where stages run on units, and 32
 * neighbouring threads have neighbouring elements, whose components move
 * together. The configuration's interleaves are set. */
int stfi_gpu_has_swizzle(const stfi_gpu_config *c);

/* Returns the swizzle of such a configuration; see the row in config.def. */
int64_t stfi_gpu_swizzle(const stfi_gpu_config *c);

#endif
