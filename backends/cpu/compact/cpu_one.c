/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernels of single short arrays that are compiled in, and their tables; see
 * cpu_one.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cpu/compact/cpu_one.h"
#include "backends/cpu/compact/cpu_one_store.h"

#include <string.h>

#include "base/alloc.h"
#include "base/type.h"
#include "backends/cpu/simd/isas.h"
#include "fft/tables/complex_table.h"
#include "math/roots.h"

#ifdef HAVE_VECTOR_EXT
/* The sets of kernels that are compiled, the fastest first of those that have the
 * same lengths: tables of vectors of 32 bytes and more, pairs in F64, where tables have
 * no more elements in a vector of 16, and pairs where there is no table. */
#define EACH_base(X)    \
    X(one_4, f32, base) \
    X(pairs, f32, base) X(pairs, f64, base) X(one_2, f64, base)
#define EACH_avx2(X)    \
    X(one_8, f32, avx2) \
    X(one_4, f32, avx2) \
    X(pairs, f32, avx2) X(one_4, f64, avx2) X(pairs, f64, avx2)
#define EACH_avx512(X)     \
    X(one_16, f32, avx512) \
    X(one_8, f32, avx512)  \
    X(one_4, f32, avx512) X(one_8, f64, avx512) X(one_4, f64, avx512)

#define DECLARE(set, type, isa) \
    extern const stfi_cpu_ones stfi_cpu_##set##_##type##_##isa;
#define ROW(set, type, isa) &stfi_cpu_##set##_##type##_##isa,
#define DECLARE_ALL(isa) EACH_##isa(DECLARE)
#define ROWS(isa) EACH_##isa(ROW)

STFI_EACH_ISA(DECLARE_ALL)

static const stfi_cpu_ones *const all[] = {STFI_EACH_ISA(ROWS) NULL};
#else
static const stfi_cpu_ones *const all[] = {NULL};
#endif

/* Makes the twiddles of an array of r * lanes elements. */
static stf_status make_table(const stfi_cpu_ones *o, int r, void **table_p)
{
    stf_status status =
        stfi_complex_alloc((int64_t)(r - 1) * o->lanes, o->precision, table_p);

    for (int j = 1; j < r && status == STF_OK; j++)
        for (int l = 0; l < o->lanes; l++) {
            long double re, im;
            stfi_root_l((uint64_t)(o->element[l] * j), (uint64_t)(r * o->lanes),
                        &re, &im);
            stfi_type_write(o->precision, *table_p, (2 * j - 2) * o->lanes + l,
                            re);
            stfi_type_write(o->precision, *table_p, (2 * j - 1) * o->lanes + l,
                            im);
        }
    return status;
}

/* Returns the functions with one for n elements, of the most lanes, and by how many
 * rows of a table such an array is one of *r_p, which is 0 if it is none; NULL if
 * there are none. */
static const stfi_cpu_ones *find_ones(const char *isa, stf_precision precision,
                                      int64_t n, int *r_p)
{
    const stfi_cpu_ones *o;
    int seen = 0;

    for (int i = 0; (o = all[i]) != NULL; i++) {
        int64_t r = n / o->lanes;
        seen |= strcmp(o->isa, isa) == 0;
        if (!seen || o->precision != precision)
            continue;
        *r_p =
            n % o->lanes == 0 && r <= STFI_CPU_ONE_RADIX && o->square[r] != NULL
                ? (int)r
                : 0;
        if (*r_p > 0 || (n <= STFI_CPU_ONE_WHOLE && o->whole[n] != NULL))
            return o;
    }
    return NULL;
}

/* Bound: measured. Vectors of 16 bytes are slower. */
int stfi_cpu_one_suits_many(const char *isa, stf_precision precision, int64_t n,
                            int radix[2])
{
    enum { BYTES = 32 };
    const stfi_cpu_ones *o = find_ones(isa, precision, n, &radix[0]);

    if (o == NULL || radix[0] == 0)
        return 0;
    radix[1] = o->lanes;
    return o->lanes * (int)stfi_type_get(precision)->bytes >= BYTES;
}

stf_status stfi_cpu_one_make(const char *isa, stf_precision precision,
                             int64_t n, stfi_cpu_one *one_p)
{
    int r;
    const stfi_cpu_ones *o = find_ones(isa, precision, n, &r);

    *one_p = (stfi_cpu_one){.run = NULL};
    if (o == NULL)
        return STF_OK;
    one_p->run = r > 0 ? o->square[r] : o->whole[n];
    return r > 0 ? make_table(o, r, &one_p->table) : STF_OK;
}

/* Tables store vectors of the lanes; arrays of pairs one number at a time. */
static int store_bytes_in(const stfi_cpu_ones *o, stfi_cpu_one_fn *run)
{
    const int bytes = (int)stfi_type_get(o->precision)->bytes;

    for (int r = 0; r <= STFI_CPU_ONE_RADIX; r++)
        if (o->square[r] == run)
            return o->lanes * bytes;
    for (int n = 0; n <= STFI_CPU_ONE_WHOLE; n++)
        if (o->whole[n] == run)
            return 2 * bytes;
    return 0;
}

int stfi_cpu_one_store_bytes(stfi_cpu_one_fn *run)
{
    int bytes = 0;

    for (int i = 0; all[i] != NULL && run != NULL && bytes == 0; i++)
        bytes = store_bytes_in(all[i], run);
    return bytes;
}

void stfi_cpu_one_free(stfi_cpu_one *one)
{
    stfi_dealloc(one->inner);
    stfi_dealloc(one->table);
}
