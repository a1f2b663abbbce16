/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Instruction sets: which are compiled in, and which this processor runs. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>
#ifdef HAVE_ISA_AVX2
#include <cpuid.h>
#endif

#include "backends/cpu/cpu_pass.h"
#include "backends/cpu/simd/isas.h"

#define DECLARE(isa)                                           \
    extern const stfi_cpu_kernels stfi_cpu_kernels_half_##isa; \
    extern const stfi_cpu_kernels stfi_cpu_kernels_f32_##isa;  \
    extern const stfi_cpu_kernels stfi_cpu_kernels_f64_##isa;

STFI_EACH_ISA(DECLARE)
extern const stfi_cpu_kernels stfi_cpu_kernels_f80_base;

static int has_base(void)
{
    return 1;
}

#ifdef HAVE_ISA_AVX2
/* Not all compilers know F16C by name. */
static int has_f16c(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
}

static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
           && has_f16c();
}
#endif
#ifdef HAVE_ISA_AVX512
static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f")
           && __builtin_cpu_supports("avx512dq")
           && __builtin_cpu_supports("avx512vl")
           && __builtin_cpu_supports("avx512bw");
}
#endif

/* The instruction sets in the order of preference, with their kernels by
 * precision; both halves have the same. */
static const struct {
    const char *name;
    int (*present)(void);
    const stfi_cpu_kernels *kernels[STFI_TYPES];
} isas[] = {
#define ROW(isa)                                 \
    {#isa,                                       \
     has_##isa,                                  \
     {[STF_F16] = &stfi_cpu_kernels_half_##isa,  \
      [STF_BF16] = &stfi_cpu_kernels_half_##isa, \
      [STF_F32] = &stfi_cpu_kernels_f32_##isa,   \
      [STF_F64] = &stfi_cpu_kernels_f64_##isa,   \
      [STF_F80] = &stfi_cpu_kernels_f80_base}},
    STFI_EACH_ISA(ROW)};

enum { ISAS = sizeof isas / sizeof *isas };

const char *stfi_cpu_isa_at(int i)
{
    for (int k = 0; k < ISAS; k++)
        if (isas[k].present() && i-- == 0)
            return isas[k].name;
    return NULL;
}

int stfi_cpu_isa_bytes(const char *isa)
{
    for (int k = 0; k < ISAS; k++)
        if (strcmp(isas[k].name, isa) == 0)
            return isas[k].kernels[STF_F32]->lanes * 4;
    return 0;
}

const stfi_cpu_kernels *stfi_cpu_kernels_find(const char *isa,
                                              stf_precision precision)
{
    for (int k = 0; k < ISAS; k++) {
        if (strcmp(isas[k].name, isa) == 0)
            return isas[k].kernels[precision];
    }
    return NULL;
}

/* 1 if a side is rows of reals that have an order, and fewer than `lanes`, but
 * half of the lanes or more. */
static int is_narrow(const stfi_side *side, int lanes)
{
    return side->order != STFI_ORDER_NONE && side->unit == 1
           && side->span < lanes && 2 * side->span >= lanes;
}

/* 1 if the kernels are not too wide for the pass. Rows of n elements are
 * transposed lanes/2 elements at a time, so n must be at least that; rows of
 * reals are transposed `lanes` reals at a time. */
static int suits(const stfi_cpu_kernels *kernels, const stfi_pass *p)
{
    int rows = p->load.form == STFI_FORM_COMPLEX && p->load.stride == 1;

    return (!rows || p->n * 2 >= kernels->lanes)
           && !is_narrow(&p->load, kernels->lanes)
           && !is_narrow(&p->store, kernels->lanes);
}

const stfi_cpu_kernels *stfi_cpu_kernels_choose(const char *isa,
                                                stf_precision precision,
                                                const stfi_pass *p)
{
    const stfi_cpu_kernels *found = stfi_cpu_kernels_find(isa, precision);

    for (int k = 0; k < ISAS && found != NULL && !suits(found, p); k++) {
        const stfi_cpu_kernels *next =
            stfi_cpu_kernels_find(isas[k].name, precision);
        if (next->lanes < found->lanes)
            found = next;
    }
    return found;
}
