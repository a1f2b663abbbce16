/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Single arrays of few reals of several axes; see cpu_few_axes.h. */
#include "backends/cpu/compact/cpu_few_axes.h"

#include <string.h>

#include "backends/cpu/compact/cpu_grid.h"
#include "base/alloc.h"
#include "base/type.h"

enum {
    POINTS = STFI_CPU_GRID_POINTS, /* most numbers of all half spectra */
    BEHIND = 64                    /* bytes that vectors read behind them */
};

typedef struct column_axis {
    stfi_cpu_columns_out_fn *run;
    int64_t blocks, columns; /* of each block */
    size_t step;             /* bytes of a block */
} column_axis;

typedef struct few_axes {
    stfi_cpu_compact rows; /* the last axis */
    int64_t count;         /* of rows */
    size_t bytes;          /* of the half spectra */
    int fills;             /* 1 if their columns fill vectors */
    int axes;
    column_axis axis[STF_MAX_RANK];
} few_axes;

/* What a step makes of an array, to be read by the next one. */
typedef struct halves {
    _Alignas(64) unsigned char bytes[16 * POINTS + BEHIND];
} halves;

static void run_axis(const column_axis *axis, const void *from, void *to,
                     int inverse)
{
    for (int64_t b = 0; b < axis->blocks; b++)
        axis->run((const char *)from + (size_t)b * axis->step,
                  (char *)to + (size_t)b * axis->step, axis->columns, inverse);
}

static void run_rows(const few_axes *g, const void *from, void *to,
                     double scale, int inverse)
{
    const stfi_cpu_compact_run run = {
        .src = from,
        .dst = to,
        .scale = scale,
        .inverse = inverse,
        .end = g->count,
    };

    g->rows.kernels->run(&g->rows, &run);
}

/* Clears what vectors read behind the half spectra: arithmetic on what is left there
 * might be slow. */
static void clear_ends(const few_axes *g, halves mid[2])
{
    for (int i = 0; i < 2; i++)
        memset(mid[i].bytes + g->bytes, 0, BEHIND);
}

static void run_r2c(const void *src, void *dst, const void *table, double scale,
                    int inverse)
{
    const few_axes *g = table;
    halves mid[2];
    int at = 0;

    if (!g->fills)
        clear_ends(g, mid);
    run_rows(g, src, &mid[at], scale, inverse);
    for (int i = 0; i < g->axes; i++, at = !at)
        run_axis(&g->axis[i], &mid[at],
                 i == g->axes - 1 && g->fills ? dst : &mid[!at], inverse);
    if (!g->fills)
        memcpy(dst, &mid[at], g->bytes);
}

static void run_c2r(const void *src, void *dst, const void *table, double scale,
                    int inverse)
{
    const few_axes *g = table;
    const void *from = src;
    halves mid[2];
    int at = 0;

    if (!g->fills) {
        clear_ends(g, mid);
        from = memcpy(&mid[1], src, g->bytes);
    }
    for (int i = 0; i < g->axes; i++, at = !at) {
        run_axis(&g->axis[i], from, &mid[at], inverse);
        from = &mid[at];
    }
    run_rows(g, from, dst, scale, inverse);
}

/* Fills in the axes but the last. Returns 0 if there are no functions for them. */
static int find_axes(const stfi_cpu_grids *s, const stfi_cpu_shape *a,
                     few_axes *g)
{
    const int64_t half = a->n[0] / 2 + 1;
    const size_t bytes = 2 * stfi_type_get(s->precision)->bytes;
    int64_t columns = half;

    g->fills = half >= s->numbers;
    g->bytes = (size_t)(half * g->count) * bytes;
    for (int i = 1; i < a->rank; i++) {
        const int64_t r = a->n[i], block = columns * r;
        if (r > STFI_CPU_GRID_RADIX || g->axes == STF_MAX_RANK
            || (r > 1 && s->columns[r] == NULL))
            return 0;
        if (r > 1)
            g->axis[g->axes++] = (column_axis){
                .run = s->columns[r],
                .blocks = half * g->count / block,
                .columns = columns,
                .step = (size_t)block * bytes,
            };
        columns = block;
    }
    return g->axes > 0;
}

/* Finds the kernels of rows: narrow ones if these are few. */
static void find_rows(const char *isa, stf_precision precision,
                      const stfi_cpu_shape *a, few_axes *g)
{
    const int64_t least = 16 / (int64_t)stfi_type_get(precision)->bytes;
    const int64_t half = a->n[0] / 2 * 2 + 2;
    const int back = a->form == STFI_CPU_REAL_OUT;

    g->count = a->elements / a->n[0];
    g->rows = (stfi_cpu_compact){
        .kernels = stfi_cpu_few_find(isa, precision,
                                     g->count > least ? g->count : least),
        .form = a->form,
        .n = a->n[0],
        .src_step = back ? half : a->pitch,
        .dst_step = back ? a->pitch : half,
    };
}

static stf_status make_table(const char *isa, stf_precision precision,
                             const stfi_cpu_shape *a, stfi_cpu_one *one_p)
{
    const stfi_cpu_grids *s = stfi_cpu_grids_find(isa, precision);
    const int64_t half = a->n[0] / 2 + 1;
    few_axes *g;
    void *mem;
    stf_status status;

    *one_p = (stfi_cpu_one){.run = NULL};
    if (s == NULL || a->n[0] > STFI_CPU_FEW
        || a->elements / a->n[0] * half > POINTS)
        return STF_OK;
    status = stfi_alloc(sizeof *g, "the plan's tables", &mem);
    if (status != STF_OK)
        return status;
    g = mem;
    find_rows(isa, precision, a, g);
    if (g->rows.kernels != NULL && find_axes(s, a, g))
        *one_p = (stfi_cpu_one){
            .run = a->form == STFI_CPU_REAL_IN ? run_r2c : run_c2r, .table = g};
    else
        stfi_dealloc(mem);
    return STF_OK;
}

stf_status stfi_cpu_few_axes_find(stfi_cpu_compact *c, const char *isa,
                                  const stfi_schedule *s,
                                  const stfi_cpu_shape *a)
{
    if (a->form == STFI_CPU_COMPLEX || a->rank == 1 || s->batch > 1)
        return STF_OK;
    c->kernels = stfi_cpu_compact_find(isa, s->precision, INT64_MAX);
    c->group = 1;
    return c->kernels != NULL ? make_table(isa, s->precision, a, &c->one)
                              : STF_OK;
}
