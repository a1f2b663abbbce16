/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Shapes of thread blocks; see gpu_shape.h.
 *
 * The search runs over all products of radices and, for each, over the
 * numbers of threads that leave no stage with idle threads in its last round.
 * Its cost counts operations per element, exchanges through block memory, and
 * work that idle threads waste.
 * Source: [TurboFFT], section 5.1 (parameters); [Govindaraju2008], section IV.D. */
#include "fft/gpu_shape.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "device/tuning.h"
#include "fft/gpu/residency.h"
#include "fft/gpu_radices.h"
#include "fft/gpu_shape_cost.h"
#include "fft/gpu_tuned.h"

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* ------------------------------------------------------------- the search */

/* The cheapest shapes, in rising order of cost. */
typedef struct ranking {
    int count;
    stfi_gpu_shape shape[STFI_CHOICE_SHAPES];
} ranking;

typedef struct search {
    const stfi_gpu_tile *tile;
    const stfi_caps *caps;
    const stfi_tuning *tuning;
    int lanes_least;           /* lanes that a block must take */
    int any;                   /* 1: the first shape that is found will do */
    const stfi_gpu_radices *r; /* that are being tried */
    int wanted;                /* how many shapes are ranked */
    ranking found;
} search;

/* Returns the 32-bit registers of a real. */
static int words_of(const stfi_gpu_tile *tile)
{
    return (int)tile->real_bytes / 4;
}

/* Returns 1 if only one block of so many lanes fits a multiprocessor. Where
 * components are split early, block memory is no obstacle if it holds two blocks
 * with one component each. */
static int is_alone(const stfi_gpu_tile *tile, const stfi_caps *caps, int lanes,
                    int threads, int held, int largest)
{
    const stfi_gpu_shape least = {.lanes = lanes, .split = !tile->whole};
    int64_t bytes = 2 * tile->n * lanes * (int64_t)tile->real_bytes;

    if (caps->split_early && stfi_gpu_shape_is_half(tile, caps, &least))
        bytes = 0;
    return stfi_gpu_is_alone(
        (int64_t)threads * lanes, bytes,
        stfi_gpu_registers(held, largest, tile->real_bytes), tile->twiddle,
        caps);
}

/* A candidate: the radices of the search, with so many threads per lane. */
typedef struct trial {
    int count, threads;
    int held;      /* elements that a thread holds, at most */
    int registers; /* of the block */
    double slots;  /* places for elements, used or idle, over all stages, per
                      element */
    double
        uneven; /* idle places of the first and the last stage, per element */
    int alone;  /* 1: no other block fits a multiprocessor */
} trial;

/* Returns the most registers that a block may need by estimate. Checks of tiles of
 * several axes keep what registers do not hold elsewhere, and need it at each stage. */
static int most_registers(const search *s, const trial *y)
{
    const stfi_tuning *t = s->tuning;

    if (!s->tile->checked || s->tile->axes == NULL)
        return t->most_registers;
    return y->count > t->axes_stages
               ? t->axes_many_registers
               : t->axes_few_registers[stfi_gpu_is_double(s->tile->real_bytes)];
}

/* Fills in the rest; returns 0 if a block cannot be like that. */
static int measure(const search *s, trial *y)
{
    const stfi_gpu_tile *tile = s->tile;
    const stfi_tuning *t = s->tuning;
    const int largest = s->r->largest;

    for (int i = 0; i < y->count; i++) {
        int r = s->r->radix[i];
        int64_t own = ceil_div(tile->n / r, y->threads) * r;
        y->held = own > y->held ? (int)own : y->held;
        double slots = (double)(own * y->threads) / (double)tile->n;
        y->slots += slots;
        y->uneven += (slots - 1.0) * ((i == 0) + (i == y->count - 1));
    }
    if (y->held > t->held_most[stfi_gpu_is_double(tile->real_bytes)]
        && !(y->held == largest && stfi_gpu_is_prime(y->held)))
        return 0;
    y->registers = y->threads * s->lanes_least
                   * stfi_gpu_registers(y->held, largest, tile->real_bytes);
    y->alone =
        is_alone(tile, s->caps, s->lanes_least, y->threads, y->held, largest);
    return y->registers <= most_registers(s, y)
           && stfi_gpu_suits_units(tile, s->r->radix, y->count, y->threads);
}

/* Returns 1 if the threads of a row can swap reals beside a stage of radix r;
 * fft/gpu/orders.h. */
static int can_swap(const search *s, int threads, int r)
{
    return threads % 2 == 0 && s->tile->n / r % threads == 0;
}

/* Returns what the sides of real to real transforms cost more whose reals cannot be
 * swapped. */
static double reals_cost(const search *s, const trial *y)
{
    const double missed = 2.0 * s->tuning->runs_even;
    double cost = 0.0;

    if ((s->tile->swaps & 1) && !can_swap(s, y->threads, s->r->radix[0]))
        cost += missed;
    if ((s->tile->swaps & 2)
        && !can_swap(s, y->threads, s->r->radix[y->count - 1]))
        cost +=
            (s->tile->checked ? s->tuning->checked_swap_cost : 1.0) * missed;
    return cost;
}

/* Returns 1 if a thread has a short checked row alone: it exchanges neither elements nor
 * sums. Few rows would wait for it, and of halves nothing was measured. */
static int is_lone_check(const search *s, const trial *y)
{
    const stfi_gpu_tile *tile = s->tile;

    return tile->checked && y->threads == 1 && s->lanes_least == 1
           && tile->stored_bytes >= 4 && tile->n <= s->tuning->lone_checked
           && tile->lanes >= 64 * (int64_t)s->caps->units;
}

/* Returns the cost of operations, exchanges and both sides. */
static double work_cost(const search *s, const trial *y)
{
    const stfi_gpu_tile *tile = s->tile;
    const stfi_tuning *t = s->tuning;
    int waiting = y->threads * s->lanes_least;
    double cost = s->r->ops * (y->slots / y->count);

    /* A block that is alone needs its threads to hide latencies. */
    if (y->alone && s->lanes_least > 1 && waiting > t->alone_threads)
        waiting = t->alone_threads;
    cost += stfi_gpu_exchange_cost(t, tile, s->lanes_least, waiting)
            * (y->count - 1 + s->r->sorts);
    cost +=
        stfi_gpu_side_cost(t, tile, y->threads, tile->load_across, tile->run);
    cost += stfi_gpu_side_cost(t, tile, y->threads, tile->store_across,
                               tile->store_run);
    cost += reals_cost(s, y);
    if (y->threads == 1 && tile->n * words_of(tile) >= 8 && s->lanes_least == 1
        && !stfi_gpu_has_half_rows(tile) && !is_lone_check(s, y))
        cost += t->lone_cost;
    if (tile->checked && s->lanes_least == 1)
        cost += t->checked_thread_cost[stfi_gpu_is_double(tile->real_bytes)]
                * y->threads / (double)tile->n;
    return cost;
}

/* Returns the cost factor of threads that are idle in the first or the last
 * stage. */
static double uneven_cost(const search *s, const trial *y)
{
    const stfi_gpu_tile *tile = s->tile;
    const stfi_tuning *t = s->tuning;
    int staged =
        stfi_gpu_is_staged(t, tile, y->threads, tile->load_across, tile->run)
        || stfi_gpu_is_staged(t, tile, y->threads, tile->store_across,
                              tile->store_run);

    return staged ? t->uneven_staged_cost : t->uneven_cost;
}

/* Returns the most elements that a thread should hold: if no multiprocessor is full, the
 * time is that of one block, and many threads with little code each are best. Rows
 * that are neither checked nor convolutions are not better so; nor are powers of two. */
static int most_held(const search *s)
{
    const stfi_gpu_tile *tile = s->tile;
    const stfi_tuning *t = s->tuning;

    if (tile->lanes > 2 * (int64_t)s->caps->units)
        return INT_MAX;
    if (tile->conv || s->lanes_least > 1)
        return t->few_held;
    return tile->checked && !stfi_gpu_is_even(tile->n) ? t->few_row_held
                                                       : INT_MAX;
}

/* Returns 1 for checked rows whose threads exchange elements and sums within a wave. The
 * other costs of powers of two fit as they are. */
static int is_within_wave(const search *s, const trial *y)
{
    const stfi_gpu_tile *tile = s->tile;
    const double most_uneven =
        s->tuning->wave_lane_uneven[stfi_gpu_is_double(tile->real_bytes)];

    return tile->checked && s->lanes_least == 1 && !tile->load_across
           && !tile->store_across && !stfi_gpu_is_even(tile->n)
           && s->caps->wave % y->threads == 0
           && !(tile->one_real && y->uneven >= most_uneven)
           && (y->threads > 1 || tile->extra || is_lone_check(s, y));
}

/* Returns 1 for many short rows of real transforms. */
static int has_short_reals(const search *s)
{
    return s->lanes_least == 1 && s->tile->lanes >= 64 * (int64_t)s->caps->units
           && stfi_gpu_has_short_reals(s->tuning, s->tile);
}

/* Returns the same, plus what too many or too few elements per thread cost, and
 * a multiprocessor that is not full. */
static double trial_cost(const search *s, const trial *y)
{
    const stfi_gpu_tile *tile = s->tile;
    const stfi_tuning *t = s->tuning;
    int good = stfi_gpu_held_good(t, tile), words = words_of(tile),
        held = y->held;
    double cost;

    if (has_short_reals(s))
        return stfi_gpu_short_real_cost(tile, s->caps, y->count, y->threads,
                                        held, y->slots / y->count - 1.0);
    cost = work_cost(s, y);
    if (held > good)
        cost *= 1.0
                + stfi_gpu_held_cost(t, tile, s->lanes_least) * words
                      * (held - good) / good;
    cost *= stfi_gpu_reals_factor(t, tile, s->lanes_least, y->count, held);
    if (y->threads > 1 && held < good / 2)
        cost += good / 2 - held;
    if (y->alone)
        cost *= t->alone_cost;
    if (y->alone && tile->checked && s->lanes_least > 1 && held * words < 32)
        cost *= stfi_gpu_is_even(tile->n)
                    ? t->few_even_cost[stfi_gpu_is_double(tile->real_bytes)]
                    : t->few_cost;
    if (y->registers > stfi_gpu_unit_registers(s->caps))
        cost *= t->crowded_cost;
    cost *= 1.0 + uneven_cost(s, y) * y->uneven;
    if (is_within_wave(s, y))
        cost *= t->wave_lane_cost;
    if (held > most_held(s))
        cost *= (double)held / most_held(s);
    return cost;
}

/* The most threads of a block. Protected columns of other lengths than powers of
 * two have none to spare: their kernels keep sums beside the elements, and what
 * the registers of many threads do not hold goes to memory, which takes longer
 * than narrower tiles do. */
static int most_threads(const search *s)
{
    const stfi_gpu_tile *tile = s->tile;
    int most = s->caps->max_threads;
    int checked =
        s->tuning->checked_threads[stfi_gpu_is_double(tile->real_bytes)];

    return tile->checked && s->lanes_least > 1 && !stfi_gpu_is_even(tile->n)
                   && most > checked
               ? checked
               : most;
}

/* Returns the cost that a shape has to be below to be ranked. */
static double cost_to_beat(const search *s)
{
    const ranking *f = &s->found;

    return f->count < s->wanted ? INFINITY : f->shape[s->wanted - 1].cost;
}

static int is_same_shape(const stfi_gpu_shape *a, const stfi_gpu_shape *b)
{
    return a->threads == b->threads && a->nstages == b->nstages
           && memcmp(a->radix, b->radix, sizeof(int) * (size_t)a->nstages) == 0
           && memcmp(a->axis, b->axis, (size_t)a->nstages) == 0;
}

/* Ranks a shape; of those of the same cost, the first one stays first. */
static void rank(search *s, const stfi_gpu_shape *shape)
{
    ranking *f = &s->found;
    int i = 0;

    for (; i < f->count; i++)
        if (is_same_shape(&f->shape[i], shape))
            return;
    i = f->count < s->wanted ? f->count++ : s->wanted - 1;
    for (; i > 0 && f->shape[i - 1].cost > shape->cost; i--)
        f->shape[i] = f->shape[i - 1];
    f->shape[i] = *shape;
}

/* Ranks the radices with `threads` per lane if they are cheap enough. */
static void try_threads(search *s, int count, int threads)
{
    trial y = {.count = count, .threads = threads, .held = 1};
    stfi_gpu_shape shape = {.nstages = count, .threads = threads};

    if (threads < 1 || threads * s->lanes_least > most_threads(s)
        || !measure(s, &y))
        return;
    shape.held = y.held;
    shape.cost = trial_cost(s, &y);
    memcpy(shape.radix, s->r->radix, sizeof(int) * (size_t)count);
    memcpy(shape.axis, s->r->axis, (size_t)count);
    if (shape.cost < cost_to_beat(s))
        rank(s, &shape);
}

/* Returns 1 if shapes with the first `count` radices can be ranked, by a lower bound
 * for their cost: even the cheapest radices take 4 operations for each bit of the
 * length. */
static int may_rank(void *arg, double ops, int64_t rest, int count)
{
    const search *s = arg;
    const double least =
        ops + 4.0 * log2((double)rest)
        + stfi_gpu_exchange_cost(s->tuning, s->tile, s->lanes_least, 1) * count;
    const double factor = s->tile->checked && s->lanes_least == 1
                              ? s->tuning->wave_lane_cost
                              : 1.0;

    return (least * factor < cost_to_beat(s) || has_short_reals(s))
           && !(s->any && s->found.count > 0);
}

/* For a complete list of radices, tries the numbers of threads that compute the
 * butterflies of one of the stages in 1, 2, ... full rounds. */
static void try_stages(void *arg, const stfi_gpu_radices *r)
{
    search *s = arg;
    int most = s->tuning->held_most[stfi_gpu_is_double(s->tile->real_bytes)];

    s->r = r;
    for (int i = 0; i < r->count; i++) {
        int64_t butterflies = s->tile->n / r->radix[i];
        int own = most / r->radix[i];
        for (int rounds = 1;
             rounds == 1 || (rounds <= own && rounds <= butterflies); rounds++)
            try_threads(s, r->count, (int)ceil_div(butterflies, rounds));
    }
}

/* Ranks shapes with all radices. */
static void try_all(search *s)
{
    const stfi_gpu_radices_use use = {s, may_rank, try_stages};

    stfi_gpu_each_radices(s->tile, s->caps, &use);
}

int stfi_gpu_shape_exists(int64_t n, int lanes, int whole, int checked,
                          const stfi_caps *caps, size_t real_bytes)
{
    stfi_gpu_tile tile = {.n = n,
                          .lanes = INT32_MAX,
                          .real_bytes = real_bytes,
                          .stored_bytes = real_bytes,
                          .whole = whole,
                          .extra = whole,
                          .checked = checked};
    search s = {.tile = &tile,
                .caps = caps,
                .tuning = stfi_tuning_of(caps),
                .lanes_least = lanes,
                .any = 1,
                .wanted = 1};
    stfi_gpu_shape least = {.lanes = lanes};

    if (!stfi_gpu_shape_fit(&tile, caps, &least) || least.lanes < lanes)
        return 0;
    try_all(&s);
    return s.found.count > 0;
}

/* Returns the cheapest shapes of at least so many lanes, or of fewer if there are
 * none; the field `lanes` of a shape is the least number, up to `most`. Each lane has
 * a thread at least. */
static ranking search_lanes(const stfi_gpu_tile *tile, const stfi_caps *caps,
                            int64_t lanes, int64_t most)
{
    search s = {.tile = tile,
                .caps = caps,
                .tuning = stfi_tuning_of(caps),
                .wanted = tile->rank + 1};

    while (lanes > caps->max_threads)
        lanes /= 2;
    for (; lanes > 0 && s.found.count == 0; lanes /= 2) {
        s.lanes_least = (int)lanes;
        try_all(&s);
    }
    for (int i = 0; i < s.found.count; i++)
        s.found.shape[i].lanes =
            s.lanes_least < most ? s.lanes_least : (int)most;
    return s.found;
}

static double least_of(const ranking *r)
{
    return r->count > 0 ? r->shape[0].cost : INFINITY;
}

/* Returns the cheapest shapes. Far columns that would be alone on a
 * multiprocessor are faster as tiles of half the width. */
static ranking search_widths(const stfi_gpu_tile *tile, const stfi_caps *caps)
{
    const stfi_gpu_shape single = {.nstages = 1,
                                   .radix = {1},
                                   .threads = 1,
                                   .held = 1,
                                   .lanes = 1,
                                   .cost = 1.0};
    int across = tile->load_across || tile->store_across;
    int64_t width = 1, most;
    ranking wide, narrow;

    if (tile->n == 1)
        return (ranking){.count = 1, .shape = {single}};
    if (tile->width > 0)
        width = tile->width;
    else if (across)
        width = stfi_gpu_width(tile->n, tile->lanes, tile->far, caps,
                               tile->real_bytes, tile->stored_bytes);
    if (tile->width == 0 && stfi_gpu_columns_ahead(tile, caps))
        width = stfi_gpu_width_ahead(tile->n, width, caps, tile->real_bytes,
                                     tile->stored_bytes);
    while (tile->whole && width > 1
           && (tile->n + tile->extra) * 2 * (int64_t)tile->real_bytes * width
                  > caps->block_bytes)
        width /= 2;
    most = stfi_gpu_is_half_conv(tile, caps, width) ? width / 2 : width;
    wide = search_lanes(tile, caps, width, most);
    if (most < width || !tile->far || stfi_gpu_run_bytes(tile, width) <= 32
        || stfi_gpu_columns_ahead(tile, caps))
        return wide;
    narrow = search_lanes(tile, caps, width / 2, width / 2);
    return least_of(&narrow) * stfi_tuning_of(caps)->narrow_cost
                   < least_of(&wide)
               ? narrow
               : wide;
}

int stfi_gpu_shape_choose(const stfi_gpu_tile *tile, const stfi_caps *caps,
                          stfi_gpu_shape *shape_p)
{
    const stfi_tuning *t = stfi_tuning_of(caps);
    const stfi_tuned_shape *row = stfi_gpu_tuned_find(tile, caps);
    stfi_gpu_tile ranked = *tile;
    ranking found;
    stfi_gpu_shape best;

    if (row != NULL)
        ranked.rank = STFI_CHOICE_SHAPES - 1;
    found = search_widths(&ranked, caps);
    for (int i = 0; i < found.count && tile->rising; i++)
        stfi_gpu_radices_reverse(found.shape[i].radix, found.shape[i].nstages);
    stfi_gpu_tuned_put_first(row, found.shape, found.count);
    if (tile->rank >= found.count)
        return 0;
    best = found.shape[tile->rank];
    best.staged =
        stfi_gpu_is_staged(t, tile, best.threads, tile->load_across, tile->run)
        | stfi_gpu_is_staged(t, tile, best.threads, tile->store_across,
                             tile->store_run)
              << 1;
    best.lanes = stfi_gpu_block_lanes(tile, caps, best.threads, best.lanes);
    if (!stfi_gpu_shape_fit(tile, caps, &best))
        return 0;
    stfi_gpu_shape_go_ahead(tile, caps, &best);
    *shape_p = best;
    return 1;
}
