/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Which axes of an array go through one tile together, on a GPU: each pass over
 * memory that is saved counts more than the longer tile costs, unless that is so long
 * that runs of memory become short. The cheapest runs of neighbouring axes are found by
 * dynamic programming over the costs that levels.c has for passes. */
#include <math.h>

#include "device/tuning.h"
#include "fft/builder.h"
#include "fft/gpu_shape.h"
#include "fft/levels.h"
#include "fft/levels_cost.h"

/* The axes that are not of length 1, from the last one on; and what divides them into
 * runs. */
typedef struct runs_search {
    stfi_builder *b;
    int half;
    const int64_t *load, *store; /* strides of the descriptor's axes; NULL:
                                    packed */
    int count;
    int axis[STF_MAX_RANK];
    double least[STF_MAX_RANK + 1]; /* of the axes from i on */
    int taken[STF_MAX_RANK + 1];    /* so many of them by the first run */
} runs_search;

static int64_t length_of(const runs_search *s, int i)
{
    return s->b->desc->n[s->axis[i]];
}

static int are_one(const runs_search *s, const int64_t *stride, int i)
{
    return stride == NULL
           || stride[s->axis[i + 1]] == stride[s->axis[i]] * length_of(s, i);
}

/* Returns the lanes that `count` axes from i on have over the whole batch. */
static double lanes_beside(const runs_search *s, int i, int count)
{
    const stf_fft_desc *d = s->b->desc;
    double lanes = s->b->lanes;

    for (int a = 0; a < d->rank; a++) {
        const int is_half = s->half && a == d->rank - 1;
        if (a < s->axis[i + count - 1] || a > s->axis[i])
            lanes *= (double)(is_half ? d->n[a] / 2 + 1 : d->n[a]);
    }
    return lanes;
}

static int is_row(const runs_search *s, int i)
{
    const int64_t *stride = i == 0 ? s->load : s->store;

    return stride != NULL && stride[s->axis[i]] == 1;
}

/* Returns the number of axes from i on that one tile may have. */
static int most_together(const runs_search *s, int i)
{
    const stfi_builder *b = s->b;
    int64_t most =
        is_row(s, i) ? stfi_builder_max_single(b) : stfi_builder_max_column(b);
    int64_t n = 1;
    int count = 0;

    for (int k = i; k < s->count && count < b->caps->axes; k++) {
        const stfi_level l = stfi_level_make(b, length_of(s, k));
        n *= l.n;
        if (l.conv != STFI_CONV_NONE || n > most
            || stfi_choice_split(b->choice, l.n) != NULL
            || (k > i
                && !(are_one(s, s->store, k - 1)
                     && (i > 0 || are_one(s, s->load, k - 1)))))
            break;
        count++;
    }
    return count;
}

/* Returns 1 if most multiprocessors would have no tile, and the others long ones. */
static int has_few_tiles(const runs_search *s, const stfi_level *l,
                         double lanes, int row)
{
    const stfi_builder *b = s->b;
    const int width = row ? 1 : stfi_levels_width(b, l, (int64_t)lanes, 0);

    return l->n >= stfi_tuning_of(b->caps)->few_tiles
           && 4.0 * lanes < (double)b->caps->units * width;
}

/* Returns the cost of the pass for several axes, in copies. */
static double cost_together(const runs_search *s, int i, int count)
{
    const int row = is_row(s, i);
    const double lanes = lanes_beside(s, i, count);
    int64_t n = 1;
    stfi_split one = {.count = 1};
    double cost;

    for (int k = 0; k < count; k++)
        n *= length_of(s, i + k);
    one.level[0] = (stfi_level){.n = n, .tile = n};
    if (!stfi_builder_fits(s->b, n, 0)
        || has_few_tiles(s, &one.level[0], lanes, row))
        return INFINITY;
    cost = stfi_levels_cost(s->b, &one, 0, (double)n, lanes, row, 0);
    return row ? cost
               : fmax(cost, 1.0 / stfi_gpu_column_efficiency(n, 1, s->b->caps));
}

static double cost_alone(const runs_search *s, int i)
{
    const int64_t n = length_of(s, i);

    return stfi_split_choose(s->b, n, stfi_split_conv(n), is_row(s, i),
                             lanes_beside(s, i, 1))
        .cost;
}

/* Finds the cheapest runs of the axes from i on; those behind are known. */
static void find_least(runs_search *s, int i)
{
    const int most = most_together(s, i);

    s->taken[i] = 1;
    s->least[i] = cost_alone(s, i) + s->least[i + 1];
    for (int count = 2; count <= most; count++) {
        const double cost = cost_together(s, i, count) + s->least[i + count];
        if (cost < s->least[i]) {
            s->taken[i] = count;
            s->least[i] = cost;
        }
    }
}

/* Matrix units have powers of two of one axis, and a choice to run passes apart is one
 * for each axis. */
static int may_join(const stfi_builder *b)
{
    return b->caps->gpu && b->caps->axes > 1
           && b->desc->compute == STF_COMPUTE_NATIVE
           && (b->choice == NULL || !b->choice->apart);
}

int stfi_builder_runs(stfi_builder *b, int last, int half, const int64_t *load,
                      const int64_t *store, int one,
                      stfi_axis_run run[STF_MAX_RANK])
{
    runs_search s = {.b = b, .half = half, .load = load, .store = store};
    int runs = 0, join = 0;

    for (int a = last; a >= 0; a--)
        if (b->desc->n[a] > 1 || (a == 0 && one && s.count == 0))
            s.axis[s.count++] = a;
    for (int i = 0; i < s.count; i++) {
        s.taken[i] = 1;
        join |= may_join(b) && most_together(&s, i) > 1;
    }
    for (int i = s.count - 1; i >= 0 && join; i--)
        find_least(&s, i);
    for (int i = 0; i < s.count; i += s.taken[i])
        run[runs++] = (stfi_axis_run){.first = s.axis[i + s.taken[i] - 1],
                                      .last = s.axis[i]};
    return runs;
}
