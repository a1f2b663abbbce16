/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What kernels need of the emulation on a host, which the tests have: its
 * declarations are theirs (tests/simt/simt_device.h). */
#ifndef STFK_ARCH_HOST_H
#define STFK_ARCH_HOST_H

#include "simt_device.h"

#endif
