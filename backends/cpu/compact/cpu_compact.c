/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Makes the steps of compact transforms. */
#include "backends/cpu/compact/cpu_compact.h"

#include <limits.h>
#include <string.h>

#include "backends/cpu/compact/cpu_choose.h"
#include "backends/cpu/compact/cpu_few.h"
#include "backends/cpu/compact/cpu_few_axes.h"
#include "backends/cpu/compact/cpu_grid.h"
#include "backends/cpu/compact/cpu_reals.h"
#include "backends/cpu/compact/cpu_shape.h"
#include "backends/cpu/compact/cpu_step.h"
#include "base/alloc.h"
#include "fft/factor.h"

static stfi_cpu_step *add_step(stfi_cpu_compact *c, stfi_cpu_step_kind kind)
{
    stfi_cpu_step *step = &c->step[c->nsteps++];

    step->kind = kind;
    return step;
}

static void add_turn(stfi_cpu_compact *c, int64_t rows, int64_t columns)
{
    stfi_cpu_step *step = add_step(c, STFI_CPU_TURN);

    step->m = rows;
    step->s = columns;
}

/* The radices of an axis; one where it is all there is: short rows are computed
 * in registers, and vectors of one array could not be filled in any case. The
 * weights of a check suit the radices of its pass; those of 4 * 4 are the same
 * as of 16. */
static int find_radices(const stfi_cpu_compact *c, const stfi_cpu_shape *a,
                        int64_t n, int64_t blocks, int radix[STFI_MAX_STAGES])
{
    int alone = c->group == 1 && c->nsteps == 0 && blocks == 1;

    if ((alone || (a->rank == 1 && a->form == STFI_CPU_COMPLEX)) && n <= INT_MAX
        && stfi_factor_special((int)n)) {
        radix[0] = (int)n;
        return 1;
    }
    if (a->checked == NULL)
        return stfi_factor_stages(n, radix, NULL);
    memcpy(radix, a->checked->radix, sizeof a->checked->radix);
    return a->checked->nstages;
}

/* Adds the butterflies of an axis of n elements, between `inner` elements of
 * faster axes and `blocks` of slower ones. Returns 0 if there are none. */
static int add_axis(stfi_cpu_compact *c, const stfi_cpu_shape *a, int64_t n,
                    int64_t blocks, int64_t inner)
{
    int radix[STFI_MAX_STAGES];
    int count = find_radices(c, a, n, blocks, radix);
    int64_t s = inner, m = n;

    if (count < 0 || c->nsteps + count + 2 > STFI_CPU_STEPS)
        return 0;
    for (int i = 0; i < count; i++) {
        stfi_cpu_step *step = add_step(c, STFI_CPU_COLUMNS);
        if (!stfi_factor_special(radix[i]))
            return 0;
        m /= radix[i];
        step->radix = radix[i];
        step->blocks = blocks;
        step->m = m;
        step->s = s;
        if (s == 1 && m > 1)
            step->kind = STFI_CPU_ROWS;
        s *= radix[i];
    }
    return 1;
}

/* Adds the butterflies of the axes but the last, between `inner` elements of faster
 * axes and `blocks` of slower ones. */
static int add_others(stfi_cpu_compact *c, const stfi_cpu_shape *a,
                      int64_t blocks, int64_t inner)
{
    int64_t rows = a->elements / a->n[0];

    for (int i = 1; i < a->rank; i++) {
        rows /= a->n[i];
        if (!add_axis(c, a, a->n[i], rows * blocks, inner))
            return 0;
        inner *= a->n[i];
    }
    return c->nsteps > 0;
}

/* Adds the steps of all axes. With one array at a time, the last axis of
 * several is brought to the front if it is too short to fill vectors. */
static int add_steps(stfi_cpu_compact *c, const stfi_cpu_shape *a, int lanes)
{
    int64_t rows = a->elements / a->n[0], inner = c->group;
    int turned = c->group == 1 && a->rank > 1 && a->n[0] < 4 * lanes;

    if (turned) {
        add_turn(c, rows, a->n[0]);
        if (!add_axis(c, a, a->n[0], 1, rows))
            return 0;
        add_turn(c, a->n[0], rows);
    } else if (!add_axis(c, a, a->n[0], rows, inner)) {
        return 0;
    }
    return add_others(c, a, 1, inner * a->n[0]);
}

/* Adds the step between spectra of two rows in one and their halves. One array has
 * its rows as the fastest index. */
static void add_halves(stfi_cpu_compact *c, const stfi_cpu_shape *a,
                       stfi_cpu_step_kind kind)
{
    const int64_t rows = a->elements / a->n[0],
                  pairs = stfi_cpu_row_pairs(rows);
    stfi_cpu_step *t = add_step(c, kind);

    t->m = a->n[0];
    t->blocks = c->group > 1 ? pairs : 1;
    t->s = c->group > 1 ? c->group : pairs;
    t->line = c->group > 1 ? c->group : rows;
    t->other = (rows - pairs) * (c->group > 1 ? c->group * (t->m / 2 + 1) : 1);
}

/* The same of the axes but the last, over half spectra. Those of one array are turned
 * before them if they fill vectors, or else behind. */
static int add_half_spectra(stfi_cpu_compact *c, const stfi_cpu_shape *a,
                            int lanes)
{
    const int64_t rows = a->elements / a->n[0], half = a->n[0] / 2 + 1;
    const int out = a->form == STFI_CPU_REAL_OUT;
    const int turns = c->group == 1, late = (half < lanes) != out;

    if (turns && !late)
        add_turn(c, out ? rows : half, out ? half : rows);
    if (!add_others(c, a, turns && half < lanes ? half : 1,
                    turns && half < lanes ? 1 : c->group * half))
        return 0;
    if (turns && late)
        add_turn(c, out ? rows : half, out ? half : rows);
    return 1;
}

/* Adds the steps of reals with several rows. */
static int add_real_steps(stfi_cpu_compact *c, const stfi_cpu_shape *a,
                          int lanes)
{
    const int64_t pairs = stfi_cpu_row_pairs(a->elements / a->n[0]);
    const int64_t blocks = c->group > 1 ? pairs : 1;
    const int64_t inner = c->group > 1 ? c->group : pairs;

    if (a->form == STFI_CPU_REAL_IN) {
        if (!add_axis(c, a, a->n[0], blocks, inner))
            return 0;
        add_halves(c, a, STFI_CPU_SEPARATE);
        return add_half_spectra(c, a, lanes);
    }
    if (!add_half_spectra(c, a, lanes))
        return 0;
    add_halves(c, a, STFI_CPU_JOIN);
    return add_axis(c, a, a->n[0], blocks, inner);
}

static stf_status make_tables(stfi_cpu_compact *c, stf_precision precision)
{
    stf_status status = STF_OK;

    for (int i = 0; i < c->nsteps && status == STF_OK; i++)
        status = stfi_cpu_step_twiddle(&c->step[i], precision,
                                       c->kernels->key.lanes);
    return status;
}

/* The same of an array of reals. */
static stf_status make_one_of_reals(stfi_cpu_compact *c, const char *isa,
                                    stf_precision precision)
{
    stfi_cpu_reals *r = c->reals;
    stf_status status = STF_OK;

    if (r->n <= STFI_CPU_REALS_POINTS)
        status = stfi_cpu_grid_make(isa, precision, r->n, &r->one);
    if (status == STF_OK && r->one.run != NULL)
        c->one = (stfi_cpu_one){.run = stfi_cpu_reals_run(isa, precision),
                                .table = r};
    return status;
}

static int is_single_complex(const stfi_schedule *s, const stfi_cpu_shape *a)
{
    return s->batch == 1 && a->form == STFI_CPU_COMPLEX;
}

/* The same of an array of several axes: turned axis by axis if it is short. */
static stf_status make_array(stfi_cpu_compact *c, const char *isa,
                             const stfi_schedule *s, const stfi_cpu_shape *a)
{
    stf_status status =
        stfi_cpu_grid_make_axes(isa, s->precision, a->rank, a->n, &c->one);

    if (status != STF_OK || c->one.run != NULL || !a->inside)
        return status;
    return stfi_cpu_array_make(isa, s->precision, a->rank, a->n, &c->one);
}

/* Finds what replaces the steps of a short array, if there is that. Many rows of two
 * steps are as fast by the compact ones, and have the same bits with checks. */
static stf_status make_one(stfi_cpu_compact *c, const char *isa,
                           const stfi_schedule *s, const stfi_cpu_shape *a)
{
    if (c->reals != NULL)
        return make_one_of_reals(c, isa, s->precision);
    if (a->rank > 1 && (a->inside || is_single_complex(s, a)))
        return make_array(c, isa, s, a);
    if (c->group > 1 || a->rank > 1 || (a->checked != NULL && !a->inside))
        return STF_OK;
    return (a->inside || s->batch < c->kernels->key.lanes
                ? stfi_cpu_grid_make
                : stfi_cpu_one_make)(isa, s->precision, c->n, &c->one);
}

static void free_one(stfi_cpu_compact *c)
{
    if (c->one.table != c->reals)
        stfi_cpu_one_free(&c->one);
    stfi_cpu_reals_free(c->reals);
    stfi_cpu_conv_free(c->conv);
}

/* Adds the steps of an array, or of its convolution. Returns 0 if there are none. */
static int add_all_steps(stfi_cpu_compact *c, const stfi_cpu_shape *a)
{
    if (c->conv != NULL)
        return add_axis(c, a, c->conv->m, 1, 1);
    return (stfi_cpu_has_rows(a) ? add_real_steps
                                 : add_steps)(c, a, c->kernels->key.lanes);
}

/* Finds what replaces the steps of an array, or the convolution that they are of, if
 * there is that. */
static stf_status make_other(stfi_cpu_compact *c, const char *isa,
                             const stfi_schedule *s, const stfi_cpu_shape *a,
                             const stfi_cpu_conv_from *from)
{
    stf_status status = STF_OK;

    if (c->rows == NULL && c->one.run == NULL)
        status = make_one(c, isa, s, a);
    if (status == STF_OK && a->convolved && c->rows == NULL
        && c->one.run == NULL)
        status = stfi_cpu_conv_make(a->elements, s->precision,
                                    c->kernels->key.lanes, from, &c->conv);
    return status;
}

/* Makes steps, or what replaces them, of what has a shape and kernels. Leaves
 * *compact_p as it is if there are none. */
static stf_status make_all(stfi_cpu_compact *c, const char *isa,
                           const stfi_schedule *s, const stfi_cpu_shape *a,
                           const stfi_cpu_conv_from *from,
                           stfi_cpu_compact **compact_p)
{
    const int64_t *n = &c->n;
    void *mem;
    stf_status status;

    c->form = a->form;
    c->n = a->elements;
    c->last = a->n[0];
    c->pitch = a->pitch;
    c->src_step = s->batch_stride[0];
    c->dst_step = s->batch_stride[1];
    status = make_other(c, isa, s, a, from);
    if (c->conv != NULL)
        n = &c->conv->m;
    c->plane = (*n * c->group + 18 * c->kernels->key.lanes + 15) / 16 * 16;
    /* What computes one row by one butterfly has no table. */
    c->at_once =
        a->form == STFI_CPU_COMPLEX
        && (c->rows != NULL
            || (c->one.run != NULL && (a->rank > 1 || c->one.table == NULL)));
    if (status != STF_OK
        || (c->one.run == NULL && c->rows == NULL && !add_all_steps(c, a))
        || (status = stfi_alloc_raw(sizeof *c, "a plan", &mem)) != STF_OK) {
        free_one(c);
        return status;
    }
    *(stfi_cpu_compact *)mem = *c;
    status = make_tables(mem, s->precision);
    if (status == STF_OK)
        *compact_p = mem;
    else
        stfi_cpu_compact_destroy(mem);
    return status;
}

/* 1 if rows of a real to real kind are so many that lanes of passes are faster. Bound:
 * measured. */
static int fills_lanes(const stfi_schedule *s, const stfi_cpu_shape *a,
                       int lanes)
{
    return stfi_kind_is_r2r(a->row.kind) && s->batch > 1
           && 4 * s->batch > 3 * lanes;
}

/* Makes what computes arrays of reals one by one, with vectors inside of each. */
static stf_status make_reals(const char *isa, const stfi_schedule *s,
                             const stfi_cpu_shape *a,
                             const stfi_cpu_conv_from *from,
                             stfi_cpu_compact **compact_p)
{
    stfi_cpu_compact c = {.n = 0};
    stfi_cpu_shape own = {.form = STFI_CPU_COMPLEX, .rank = 1, .alone = 1};
    stf_status status;
    int radix[2];

    if (a->form == STFI_CPU_COMPLEX || a->rank > 1)
        return STF_OK;
    own.n[0] = own.elements = stfi_cpu_reals_length(isa, s->precision, &a->row);
    own.convolved = a->convolved;
    own.conv_lanes = a->conv_lanes;
    own.paired = 2 * own.elements == a->elements;
    own.inside = stfi_kind_is_r2r(a->row.kind)
                 || (own.paired
                     && stfi_cpu_grid_suits_many(isa, s->precision,
                                                 own.elements, radix));
    if (own.elements == 0 || !stfi_cpu_compact_choose(&c, isa, s, &own)
        || c.group != 1 || fills_lanes(s, a, c.kernels->key.lanes))
        return STF_OK;
    status = stfi_cpu_reals_make(isa, s->precision, &a->row, &c.reals);
    return status == STF_OK ? make_all(&c, isa, s, &own, from, compact_p)
                            : status;
}

/* Finds what computes many short rows with some of each in a vector. Returns 0 if
 * there is nothing, or if a check has weights of a pass with other radices. */
static int find_rows(stfi_cpu_compact *c, const char *isa,
                     const stfi_schedule *s, const stfi_cpu_shape *a)
{
    if (a->form != STFI_CPU_COMPLEX || a->rank > 1
        || a->elements > STFI_CPU_ONE_WHOLE || s->batch == 1
        || (a->checked != NULL && !stfi_factor_special((int)a->elements)))
        return 0;
    c->rows = stfi_cpu_rows_find(isa, s->precision, a->elements);
    c->kernels = stfi_cpu_compact_find(isa, s->precision, INT64_MAX);
    c->group = c->kernels != NULL ? c->kernels->key.lanes : 0;
    return c->rows != NULL && c->kernels != NULL
           && (a->checked == NULL || s->batch >= c->group);
}

/* Finds what computes one short array of reals with several axes, whose pairs of rows
 * would not fill a vector; c->one.run is NULL if there is nothing. */
static stf_status find_real_array(stfi_cpu_compact *c, const char *isa,
                                  const stfi_schedule *s,
                                  const stfi_cpu_shape *a)
{
    const int back = a->form == STFI_CPU_REAL_OUT;
    const stfi_cpu_row row = {.kind = back ? STF_C2R : STF_R2C, .n = a->n[0]};
    stf_status status;

    if (s->batch > 1 || a->rank < 2 || a->form == STFI_CPU_COMPLEX)
        return STF_OK;
    c->kernels = stfi_cpu_compact_find(isa, s->precision, INT64_MAX);
    c->group = 1;
    if (c->kernels == NULL
        || a->elements / a->n[0] >= 2 * c->kernels->key.lanes) {
        c->kernels = NULL;
        return STF_OK;
    }
    status = stfi_cpu_reals_make(isa, s->precision, &row, &c->reals);
    if (status == STF_OK && c->reals != NULL)
        status = make_one_of_reals(c, isa, s->precision);
    if (status == STF_OK && c->one.run != NULL)
        status = stfi_cpu_real_array_make(isa, s->precision, a->rank, a->n,
                                          a->pitch, back, &c->one);
    if (status == STF_OK && c->one.run != NULL && c->one.table != c->reals)
        return STF_OK;
    free_one(c);
    *c = (stfi_cpu_compact){.n = 0};
    return status;
}

stf_status stfi_cpu_compact_make(const char *isa, const stfi_schedule *s,
                                 const stfi_cpu_conv_from *from,
                                 stfi_cpu_compact **compact_p)
{
    stfi_cpu_compact c = {.n = 0};
    stfi_cpu_shape a;
    stf_status status;

    *compact_p = NULL;
    if (!stfi_cpu_shape_find(s, &a))
        return STF_OK;
    stfi_cpu_find_inside(isa, s, &a);
    status = stfi_cpu_few_make(isa, s, &a, compact_p);
    if (status == STF_OK && *compact_p == NULL)
        status = make_reals(isa, s, &a, from, compact_p);
    if (status == STF_OK && *compact_p == NULL)
        status = stfi_cpu_few_axes_find(&c, isa, s, &a);
    if (status != STF_OK || *compact_p != NULL || a.split_reals)
        return status;
    if (c.one.run == NULL)
        status = find_real_array(&c, isa, s, &a);
    if (status != STF_OK)
        return status;
    if (c.one.run == NULL && !find_rows(&c, isa, s, &a)
        && !stfi_cpu_compact_choose(&c, isa, s, &a))
        return STF_OK;
    return make_all(&c, isa, s, &a, from, compact_p);
}

void stfi_cpu_compact_destroy(stfi_cpu_compact *c)
{
    if (c == NULL)
        return;
    for (int i = 0; i < STFI_CPU_STEPS; i++)
        stfi_dealloc(c->step[i].twiddle);
    free_one(c);
    stfi_dealloc(c);
}
