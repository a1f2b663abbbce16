/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernels of short rows that are compiled in; see cpu_rows.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cpu/compact/cpu_rows.h"

#include <string.h>

#include "backends/cpu/compact/cpu_grid.h"
#include "backends/cpu/simd/isas.h"
#include "base/alloc.h"

#ifdef HAVE_VECTOR_EXT
/* Vectors of 16 bytes have one number in F64, and gain nothing. Where there are those
 * of 64, rows have vectors of 32 all the same, and more registers. */
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

static const stfi_cpu_rows *find(const char *isa, stf_precision precision)
{
    for (int i = 0; all[i] != NULL; i++)
        if (strcmp(all[i]->isa, isa) == 0 && all[i]->precision == precision)
            return all[i];
    return NULL;
}

/* Rows of 2, 3, 4 and 8 numbers are faster with one in each lane: their vectors are
 * squares that are turned at once. */
stfi_cpu_rows_fn *stfi_cpu_rows_find(const char *isa, stf_precision precision,
                                     int64_t n)
{
    const stfi_cpu_rows *k = find(isa, precision);

    return k != NULL && n > 4 && n != 8 && n <= STFI_CPU_ONE_WHOLE ? k->rows[n]
                                                                   : NULL;
}

/* 1 if the axes but the last have functions. */
static int has_columns(int rank, const int64_t *n)
{
    for (int i = 1; i < rank; i++)
        if (n[i] > STFI_CPU_ONE_WHOLE)
            return 0;
    return rank <= STF_MAX_RANK;
}

static int64_t elements_of(int rank, const int64_t *n)
{
    int64_t elements = 1;

    for (int i = 0; i < rank && elements < INT32_MAX; i++)
        elements *= n[i];
    return elements;
}

/* 1 if the numbers of a column, s numbers apart, exceed the places that they have in the
 * nearest cache: 8 ways of 4096 bytes each. */
static int is_crowded(int64_t s, int64_t n)
{
    enum { WAYS = 8, WAY = 256 };
    int64_t common = WAY;

    while (s % common != 0)
        common /= 2;
    return n * common > WAYS * WAY;
}

/* 1 if the columns of an axis are. */
static int has_crowded(int rank, const int64_t *n)
{
    int64_t s = n[0];

    for (int i = 1; i < rank; s *= n[i++])
        if (is_crowded(s, n[i]))
            return 1;
    return 0;
}

/* Bounds: measured. */
int stfi_cpu_array_suits(const char *isa, stf_precision precision, int rank,
                         const int64_t *n)
{
    enum { LEAST = 16, MOST = 1 << 13 };
    const int64_t elements = elements_of(rank, n);
    int radix[2];

    return find(isa, precision) != NULL && rank > 1 && has_columns(rank, n)
           && !has_crowded(rank, n)
           && (n[0] <= STFI_CPU_ONE_WHOLE
               || stfi_cpu_grid_suits_many(isa, precision, n[0], radix))
           && elements >= LEAST && elements <= MOST;
}

/* Fills in the axes but the last, of rows of a->n numbers. */
static void set_axes(const stfi_cpu_rows *k, int rank, const int64_t *n,
                     stfi_cpu_array *a)
{
    int64_t s = a->n;

    for (int i = 1; i < rank; i++)
        a->count *= n[i];
    for (int i = 1; i < rank; i++) {
        a->axis[i].run = k->columns[n[i]];
        a->axis[i].s = s;
        s *= n[i];
        a->axis[i].blocks = a->n * a->count / s;
    }
}

stf_status stfi_cpu_array_make(const char *isa, stf_precision precision,
                               int rank, const int64_t *n, stfi_cpu_one *one_p)
{
    const stfi_cpu_rows *k = find(isa, precision);
    stfi_cpu_array a = {.n = n[0], .count = 1, .rank = rank};
    stf_status status = STF_OK;
    void *mem;

    set_axes(k, rank, n, &a);
    if (n[0] <= STFI_CPU_ONE_WHOLE)
        a.rows = k->rows[n[0]];
    else
        status = stfi_cpu_grid_make(isa, precision, n[0], &a.one);
    if (status == STF_OK)
        status = stfi_alloc_raw(sizeof a, "the plan's tables", &mem);
    if (status != STF_OK) {
        stfi_cpu_one_free(&a.one);
        return status;
    }
    *(stfi_cpu_array *)mem = a;
    *one_p = (stfi_cpu_one){k->run_array, mem, a.one.table};
    return STF_OK;
}

stf_status stfi_cpu_real_array_make(const char *isa, stf_precision precision,
                                    int rank, const int64_t *n, int64_t pitch,
                                    int back, stfi_cpu_one *one_p)
{
    const stfi_cpu_rows *k = find(isa, precision);
    stfi_cpu_real_array a = {
        .row = *one_p,
        .back = back,
        .pitch = pitch,
        .half = {.n = n[0] / 2 + 1, .count = 1, .rank = rank},
    };
    stf_status status;
    void *mem;

    if (k == NULL || !has_columns(rank, n)
        || elements_of(rank, n) > STFI_CPU_GRID_POINTS)
        return STF_OK;
    set_axes(k, rank, n, &a.half);
    status = stfi_alloc_raw(sizeof a, "the plan's tables", &mem);
    if (status != STF_OK)
        return status;
    *(stfi_cpu_real_array *)mem = a;
    *one_p = (stfi_cpu_one){.run = k->run_real_array, .table = mem};
    return STF_OK;
}
