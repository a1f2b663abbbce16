/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernels of matrix products that are compiled in. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>

#include "backends/cpu/gemm/gemm_kernels.h"

#define DECLARE(isa)                                            \
    extern const stfi_cpu_gemm_kernels stfi_cpu_gemm_f32_##isa; \
    extern const stfi_cpu_gemm_kernels stfi_cpu_gemm_f64_##isa
#define ROWS(isa) &stfi_cpu_gemm_f32_##isa, &stfi_cpu_gemm_f64_##isa

DECLARE(base);
#ifdef HAVE_ISA_AVX2
DECLARE(avx2);
#endif
#ifdef HAVE_ISA_AVX512
DECLARE(avx512);
#endif
extern const stfi_cpu_gemm_kernels stfi_cpu_gemm_f80_base;

static const stfi_cpu_gemm_kernels *const kernels[] = {
#ifdef HAVE_ISA_AVX512
    ROWS(avx512),
#endif
#ifdef HAVE_ISA_AVX2
    ROWS(avx2),
#endif
    ROWS(base),
    &stfi_cpu_gemm_f80_base,
};

/* F80 has the same kernels in every instruction set. */
const stfi_cpu_gemm_kernels *stfi_cpu_gemm_kernels_find(const char *isa,
                                                        stf_precision precision)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i]->precision == precision
            && (precision == STF_F80 || strcmp(kernels[i]->isa, isa) == 0))
            return kernels[i];
    return NULL;
}
