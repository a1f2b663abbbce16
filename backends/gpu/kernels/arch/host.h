/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What kernels need from the emulation on a host. The declarations are part
 * of the tests (tests/simt/simt_device.h). */
#ifndef STFK_ARCH_HOST_H
#define STFK_ARCH_HOST_H

#include "simt_device.h"

#endif
