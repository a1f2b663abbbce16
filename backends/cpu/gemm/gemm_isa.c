/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernels of matrix products that are compiled in. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>

#include "backends/cpu/gemm/gemm_kernels.h"
#include "backends/cpu/simd/isas.h"

#define DECLARE(isa)                                            \
    extern const stfi_cpu_gemm_kernels stfi_cpu_gemm_f32_##isa; \
    extern const stfi_cpu_gemm_kernels stfi_cpu_gemm_f64_##isa;
#define ROWS(isa) &stfi_cpu_gemm_f32_##isa, &stfi_cpu_gemm_f64_##isa,

STFI_EACH_ISA(DECLARE)
extern const stfi_cpu_gemm_kernels stfi_cpu_gemm_f80_base;

static const stfi_cpu_gemm_kernels *const kernels[] = {&stfi_cpu_gemm_f80_base,
                                                       STFI_EACH_ISA(ROWS)};

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
