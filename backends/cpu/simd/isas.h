/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* STFI_EACH_ISA(X) is X(isa) for each instruction set that kernels are compiled
 * for, in the order of preference. */
#ifndef STFI_SIMD_ISAS_H
#define STFI_SIMD_ISAS_H

#ifdef HAVE_ISA_AVX512
#define STFI_IF_AVX512(X) X(avx512)
#else
#define STFI_IF_AVX512(X)
#endif
#ifdef HAVE_ISA_AVX2
#define STFI_IF_AVX2(X) X(avx2)
#else
#define STFI_IF_AVX2(X)
#endif
#define STFI_EACH_ISA(X) STFI_IF_AVX512(X) STFI_IF_AVX2(X) X(base)

#endif
