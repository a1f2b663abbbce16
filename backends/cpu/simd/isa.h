/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Vector lengths of the instruction sets that kernels are compiled for:
 * STFI_ISA is base (SSE2, NEON or whatever the compiler's default has), avx2
 * or avx512. Plain C where the compiler has no vector types. */
#ifndef STFI_SIMD_ISA_H
#define STFI_SIMD_ISA_H

#define STFI_ISA_BYTES_base 16
#define STFI_ISA_BYTES_avx2 32
#define STFI_ISA_BYTES_avx512 64

#define STFI_ISA_CAT2(a, b) a##b
#define STFI_ISA_CAT(a, b) STFI_ISA_CAT2(a, b)

/* The instruction set's name, and a prefix followed by the names of precision
 * and instruction set, as in stfi_cpu_gemm_f32_avx2. */
#define STFI_ISA_TEXT2(isa) #isa
#define STFI_ISA_TEXT1(isa) STFI_ISA_TEXT2(isa)
#define STFI_ISA_TEXT STFI_ISA_TEXT1(STFI_ISA)
#define STFI_ISA_NAME(prefix)                                           \
    STFI_ISA_CAT(STFI_ISA_CAT(STFI_ISA_CAT(prefix, STFI_REAL_NAME), _), \
                 STFI_ISA)

#ifdef HAVE_VECTOR_EXT
/* Literals, because the lanes are pasted into names. */
#define STFI_LANES_base_4 4
#define STFI_LANES_base_8 2
#define STFI_LANES_avx2_4 8
#define STFI_LANES_avx2_8 4
#define STFI_LANES_avx512_4 16
#define STFI_LANES_avx512_8 8
#define STFI_ISA_LANES(bytes) \
    STFI_ISA_CAT(STFI_ISA_CAT(STFI_ISA_CAT(STFI_LANES_, STFI_ISA), _), bytes)
#else
#define STFI_ISA_LANES(bytes) 1
#endif

#endif
