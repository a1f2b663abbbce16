/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernels of compact transforms that are compiled in. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>

#include "backends/cpu/compact/cpu_compact.h"
#include "backends/cpu/simd/isas.h"

#define DECLARE(isa)                                                  \
    extern const stfi_cpu_compact_kernels stfi_cpu_compact_f32_##isa; \
    extern const stfi_cpu_compact_kernels stfi_cpu_compact_f64_##isa; \
    extern const stfi_cpu_compact_kernels stfi_cpu_few_f32_##isa;     \
    extern const stfi_cpu_compact_kernels stfi_cpu_few_f64_##isa;
#define ROWS(isa) \
    &stfi_cpu_compact_f32_##isa.key, &stfi_cpu_compact_f64_##isa.key,
#define ROWS_OF_FEW(isa) \
    &stfi_cpu_few_f32_##isa.key, &stfi_cpu_few_f64_##isa.key,

STFI_EACH_ISA(DECLARE)

/* Wider vectors come first. */
static const stfi_isa_key *const all[] = {STFI_EACH_ISA(ROWS)};
static const stfi_isa_key *const few[] = {STFI_EACH_ISA(ROWS_OF_FEW)};

const stfi_cpu_compact_kernels *
stfi_cpu_compact_find(const char *isa, stf_precision precision, int64_t most)
{
    return (const void *)stfi_isa_narrow(all, sizeof all / sizeof *all, isa,
                                         precision, most);
}

const stfi_cpu_compact_kernels *
stfi_cpu_few_find(const char *isa, stf_precision precision, int64_t most)
{
    return (const void *)stfi_isa_narrow(few, sizeof few / sizeof *few, isa,
                                         precision, most);
}
