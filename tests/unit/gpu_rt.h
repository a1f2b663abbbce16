/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The tests of a vendor's own that gpu_rt.c runs among those for all. */
#ifndef STFI_TESTS_GPU_RT_H
#define STFI_TESTS_GPU_RT_H

/* How devices are described, and how kernels are loaded. */
void vendor_describe(void);
void vendor_load(void);

#endif
