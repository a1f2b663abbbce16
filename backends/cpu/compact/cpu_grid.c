/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernels of grids that are compiled in, and their tables; see cpu_grid.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cpu/compact/cpu_compact.h"
#include "backends/cpu/compact/cpu_grid.h"

#include <string.h>

#include "backends/cpu/simd/isas.h"
#include "base/alloc.h"
#include "base/type.h"
#include "fft/factor.h"
#include "math/roots.h"

#ifdef HAVE_VECTOR_EXT
/* Vectors of 16 bytes have one number in F64, and gain nothing. */
#define EACH_base(X)
#define EACH_avx2(X) X(f32, avx2) X(f64, avx2)
#define EACH_avx512(X) X(f32, avx512) X(f64, avx512)

#define DECLARE(type, isa) \
    extern const stfi_cpu_grids stfi_cpu_grid_##type##_##isa;
#define ROW(type, isa) &stfi_cpu_grid_##type##_##isa,
#define DECLARE_ALL(isa) EACH_##isa(DECLARE)
#define ROWS(isa) EACH_##isa(ROW)

STFI_EACH_ISA(DECLARE_ALL)

static const stfi_cpu_grids *const all[] = {STFI_EACH_ISA(ROWS) NULL};
#else
static const stfi_cpu_grids *const all[] = {NULL};
#endif

const stfi_cpu_grids *stfi_cpu_grids_find(const char *isa,
                                          stf_precision precision)
{
    for (int i = 0; all[i] != NULL; i++)
        if (strcmp(all[i]->isa, isa) == 0 && all[i]->precision == precision)
            return all[i];
    return NULL;
}

static int has_radix(const stfi_cpu_grids *s, int64_t r)
{
    return r >= s->numbers && r <= STFI_CPU_GRID_RADIX && s->first[r] != NULL;
}

/* Finds the two stages of n elements: those of passes, or else two radices that
 * differ as little as possible, of which the lesser one has the twiddles. Returns 0 if
 * there are not two, or no functions for them. */
static int find_stages(const stfi_cpu_grids *s, int64_t n, int radix[2])
{
    int found[STFI_MAX_STAGES];
    double cost;

    if (n > STFI_CPU_GRID_POINTS)
        return 0;
    if (stfi_factor_stages(n, found, &cost) == 2 && has_radix(s, found[0])
        && has_radix(s, found[1])) {
        radix[0] = found[0];
        radix[1] = found[1];
        return 1;
    }
    for (int r = 1; r <= STFI_CPU_GRID_RADIX; r++)
        if (r * r >= n && n % r == 0 && has_radix(s, r)
            && has_radix(s, n / r)) {
            radix[0] = (int)n / r;
            radix[1] = r;
            return 1;
        }
    return 0;
}

/* With more lanes an array in each is faster in F32, and was not compared in F64. */
int stfi_cpu_grid_suits_many(const char *isa, stf_precision precision,
                             int64_t n, int radix[2])
{
    enum { LANES = 4 };
    const stfi_cpu_grids *s = stfi_cpu_grids_find(isa, precision);
    const stfi_cpu_compact_kernels *k =
        stfi_cpu_compact_find(isa, precision, INT64_MAX);

    return s != NULL && k != NULL && k->key.lanes == LANES
           && find_stages(s, n, radix);
}

static void write_twiddles(stf_precision precision, stfi_cpu_grid *g)
{
    for (int64_t k = 1; k < g->a; k++)
        for (int64_t j = 0; j < g->b; j++) {
            const int64_t at = 4 * (k - 1) * g->b + 2 * j;
            long double re, im;
            stfi_root_l((uint64_t)(k * j), (uint64_t)(g->a * g->b), &re, &im);
            for (int part = 0; part < 2; part++) {
                stfi_type_write(precision, g->twiddle, at + part, re);
                stfi_type_write(precision, g->twiddle, at + 2 * g->b + part,
                                part ? im : -im);
            }
        }
}

static stf_status make_grid(const stfi_cpu_grids *s, const int radix[2],
                            stfi_cpu_one *one_p)
{
    const size_t reals = (size_t)(4 * (radix[0] - 1) * radix[1]);
    stfi_cpu_grid *g;
    void *mem;
    stf_status status =
        stfi_alloc(sizeof *g + reals * stfi_type_get(s->precision)->bytes,
                   "the plan's tables", &mem);

    if (status != STF_OK)
        return status;
    g = mem;
    g->first = s->first[radix[0]];
    g->second = s->second[radix[1]];
    g->a = radix[0];
    g->b = radix[1];
    write_twiddles(s->precision, g);
    *one_p = (stfi_cpu_one){.run = s->run, .table = g};
    return STF_OK;
}

stf_status stfi_cpu_grid_make(const char *isa, stf_precision precision,
                              int64_t n, stfi_cpu_one *one_p)
{
    const stfi_cpu_grids *s = stfi_cpu_grids_find(isa, precision);
    int radix[2];
    stf_status status = stfi_cpu_one_make(isa, precision, n, one_p);

    if (status != STF_OK || one_p->run != NULL || s == NULL
        || !find_stages(s, n, radix))
        return status;
    return make_grid(s, radix, one_p);
}

/* Fills in the steps of the axes and returns the function that takes these, NULL if
 * there is none for an axis. */
static stfi_cpu_one_fn *find_axes(const stfi_cpu_grids *s, int rank,
                                  const int64_t *n, stfi_cpu_axes *g)
{
    int narrow = 0;

    for (int i = 0; i < rank; i++) {
        const int64_t r = n[rank - 1 - i];
        if (r > STFI_CPU_GRID_RADIX || s->axis[r] == NULL)
            return NULL;
        g->axis[i].run = s->axis[r];
        g->axis[i].columns = g->n / r;
        narrow |= g->axis[i].columns < s->numbers;
    }
    return narrow ? s->run_narrow_axes : s->run_axes;
}

stf_status stfi_cpu_grid_make_axes(const char *isa, stf_precision precision,
                                   int rank, const int64_t *n,
                                   stfi_cpu_one *one_p)
{
    const stfi_cpu_grids *s = stfi_cpu_grids_find(isa, precision);
    stfi_cpu_axes g = {.rank = rank, .n = 1};
    stfi_cpu_one_fn *run;
    void *mem;
    stf_status status;

    *one_p = (stfi_cpu_one){.run = NULL};
    for (int i = 0; i < rank && g.n <= STFI_CPU_GRID_POINTS; i++)
        g.n *= n[i];
    if (s == NULL || rank > STF_MAX_RANK || g.n > STFI_CPU_GRID_POINTS
        || (run = find_axes(s, rank, n, &g)) == NULL)
        return STF_OK;
    status = stfi_alloc_raw(sizeof g, "the plan's tables", &mem);
    if (status != STF_OK)
        return status;
    *(stfi_cpu_axes *)mem = g;
    *one_p = (stfi_cpu_one){.run = run, .table = mem};
    return STF_OK;
}
