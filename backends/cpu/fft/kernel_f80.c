/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The passes in F80. This file is compiled once, for plain C. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cpu/simd/f80.h"

#include "backends/cpu/fft/kernel.h"
