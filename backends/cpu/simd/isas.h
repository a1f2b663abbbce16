/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* STFI_EACH_ISA(X) is X(isa) for each instruction set that kernels are compiled
 * for, in the order of preference; and the choice among tables of these. */
#ifndef STFI_SIMD_ISAS_H
#define STFI_SIMD_ISAS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "steadfast.h"

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

/* What a table of kernels begins with. */
typedef struct stfi_isa_key {
    const char *isa;
    stf_precision precision;
    int lanes; /* 1: there are none */
} stfi_isa_key;

/* Returns the table, of `count` in the order of preference, of an instruction set
 * or, if it has more than `most` lanes, the widest that has not; NULL if there is
 * none. Thread: any. */
static inline const stfi_isa_key *
stfi_isa_narrow(const stfi_isa_key *const *all, size_t count, const char *isa,
                stf_precision precision, int64_t most)
{
    int seen = 0;

    for (size_t i = 0; i < count; i++) {
        seen |= strcmp(all[i]->isa, isa) == 0;
        if (seen && all[i]->precision == precision && all[i]->lanes <= most)
            return all[i]->lanes > 1 ? all[i] : NULL;
    }
    return NULL;
}

#endif
