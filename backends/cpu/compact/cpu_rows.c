/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernels of short rows that are compiled in; see cpu_rows.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cpu/compact/cpu_rows.h"

#include <string.h>

#include "backends/cpu/simd/isas.h"

#ifdef HAVE_VECTOR_EXT
/* Vectors of 16 bytes have one number in F64, and gain nothing. */
#define EACH_base(X)
#define EACH_avx2(X) X(f64, avx2)
#define EACH_avx512(X) X(f64, avx512)

#define DECLARE(type, isa) \
    extern const stfi_cpu_rows stfi_cpu_rows_##type##_##isa;
#define ROW(type, isa) &stfi_cpu_rows_##type##_##isa,
#define DECLARE_ALL(isa) EACH_##isa(DECLARE)
#define ROWS(isa) EACH_##isa(ROW)

STFI_EACH_ISA(DECLARE_ALL)

static const stfi_cpu_rows *const all[] = {STFI_EACH_ISA(ROWS) NULL};
#else
static const stfi_cpu_rows *const all[] = {NULL};
#endif

stfi_cpu_rows_fn *stfi_cpu_rows_find(const char *isa, stf_precision precision,
                                     int64_t n)
{
    for (int i = 0; all[i] != NULL; i++)
        if (strcmp(all[i]->isa, isa) == 0 && all[i]->precision == precision)
            return n <= STFI_CPU_ONE_WHOLE ? all[i]->run[n] : NULL;
    return NULL;
}
