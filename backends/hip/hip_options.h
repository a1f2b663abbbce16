/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What kernels for GPUs of AMD are compiled with, beside the architecture, by
 * hipRTC and by clang: a kernel that one of them has compiled stands for that
 * of the other only if these are the same. */
#ifndef STFI_HIP_OPTIONS_H
#define STFI_HIP_OPTIONS_H

#define STFI_HIP_OPTIONS(X) X("-std=c++17") X("-O3") X("-DSTFK_HIP=1")

#endif
