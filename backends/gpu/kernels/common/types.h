/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The types of numbers: arrays in device memory hold `stored`, which kernels of
 * transforms have for each of their sides (fft/lane.h), kernels compute in
 * `real`, which tables hold, too, and checks sum up in `sum`. */
#ifndef STFK_TYPES_H
#define STFK_TYPES_H

#include "config.h"
#include "common/complex.h"
#include "common/half.h"

namespace stfk
{

#if defined(STFK_STORED)
typedef STFK_STORED stored;
#endif
typedef STFK_REAL real;
typedef STFK_SUM sum;
typedef complex<real> cx;
typedef complex<sum> sum_cx;
typedef long long wide;

} // namespace stfk

#endif
