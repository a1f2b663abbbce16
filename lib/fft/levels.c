/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The search for levels; see levels.h. */
#include "fft/levels.h"

#include <math.h>

#include "base/alloc.h"
#include "device/tuning.h"
#include "fft/factor.h"
#include "fft/gpu_shape.h"
#include "fft/levels_cost.h"
#include "math/numth.h"

stfi_level stfi_level_make(const stfi_builder *b, int64_t n)
{
    stfi_level l = {.n = n};

    if (b->caps->gpu)
        stfi_gpu_method(n, b->lanes, b->real_bytes, b->caps, &l.conv, &l.tile);
    else
        l.ops = stfi_factor_tile(n, &l.conv, &l.tile);
    return l;
}

/* On a GPU, Rader's algorithm needs all elements in block memory at once. */
int stfi_level_fits(const stfi_builder *b, const stfi_level *l, int64_t max)
{
    int whole = l->conv == STFI_CONV_RADER;

    if (l->tile > max || (whole && l->tile >= stfi_builder_max_whole(b)))
        return 0;
    /* A long tile fits only if a shape for it is found. */
    return !b->caps->gpu
           || 4 * l->tile <= stfi_gpu_block_elements(b->caps, b->real_bytes)
           || stfi_builder_fits(b, l->tile, whole);
}

/* A divisor that can be a level, and the cost of its pass as the first of three
 * or more levels, and as a later one. With three or more, the cost does not
 * depend on the other levels. */
typedef struct divisor {
    stfi_level level;
    double cost[2];
} divisor;

typedef struct search {
    const stfi_builder *b;
    int64_t n, max; /* n: elements; max: of a level */
    int row;        /* a single pass would read rows */
    double others;
    divisor *divisor; /* in rising order */
    int count;
    double least;  /* the least cost of a later level */
    int64_t steps; /* left of a search for three or more levels */
    stfi_split part, best;
} search;

static void keep_cheapest(search *s)
{
    if (s->part.cost < s->best.cost)
        s->best = s->part;
}

/* Tries one level of at most `max` elements. */
static void try_single(search *s, int64_t max)
{
    if (s->n > max)
        return;
    s->part.level[0] = stfi_level_make(s->b, s->n);
    if (!stfi_level_fits(s->b, &s->part.level[0], max))
        return;
    s->part.count = 1;
    s->part.cost =
        stfi_levels_cost(s->b, &s->part, 0, (double)s->n, s->others, s->row, 0);
    keep_cheapest(s);
}

static void add_divisor(search *s, int64_t d)
{
    stfi_split three = {.count = 3};
    divisor *at = &s->divisor[s->count];

    at->level = stfi_level_make(s->b, d);
    if (!stfi_level_fits(s->b, &at->level, s->max))
        return;
    three.level[0] = three.level[1] = at->level;
    for (int i = 0; i < 2; i++)
        at->cost[i] = stfi_levels_cost(s->b, &three, i, (double)s->n, s->others,
                                       s->row, 0);
    s->least = s->count == 0 ? at->cost[1] : fmin(s->least, at->cost[1]);
    s->count++;
}

/* Lists the divisors in rising order. Errors: MEMORY. */
static stf_status list_divisors(search *s)
{
    uint64_t prime[16];
    int power[16], primes;
    size_t most = 1;
    void *memory;
    stf_status status;

    if (s->divisor != NULL)
        return STF_OK;
    primes = stfi_factorize((uint64_t)s->n, prime, power);
    for (int i = 0; i < primes; i++)
        most *= (size_t)power[i] + 1;
    status =
        stfi_alloc(most * sizeof *s->divisor, "a list of divisors", &memory);
    if (status != STF_OK)
        return status;
    s->divisor = memory;
    for (int64_t d = 2; d <= s->max && d <= s->n / 2; d++)
        if (s->n % d == 0)
            add_divisor(s, d);
    return STF_OK;
}

static const divisor *find_divisor(const search *s, int64_t n)
{
    int low = 0, high = s->count;

    while (low < high) {
        int middle = (low + high) / 2;
        if (s->divisor[middle].level.n < n)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->count && s->divisor[low].level.n == n ? &s->divisor[low]
                                                          : NULL;
}

/* Appends a level that `left` others follow; returns 0 if it cannot be better
 * than the best split. */
static int push(search *s, const divisor *d, double cost, int left)
{
    const double slack = 1e-9; /* for rounding */
    double sum = cost + d->cost[s->part.count > 0];

    if (sum + left * s->least >= s->best.cost + slack)
        return 0;
    s->part.level[s->part.count++] = d->level;
    s->part.cost = sum;
    return 1;
}

/* Completes the split by a last level of `rest` elements. */
static void try_last(search *s, int64_t rest, double cost)
{
    const divisor *last = find_divisor(s, rest);

    if (last != NULL && push(s, last, cost, 0)) {
        keep_cheapest(s);
        s->part.count--;
    }
}

/* Tries to split `rest` into `count` more levels, after levels of the given
 * cost. Levels behind the first cost the same in any order: they are tried in
 * rising order only, from the divisor `begin` on. Lengths with very many
 * divisors, which exceed any memory, keep the best of as many steps as the
 * search is given. */
static void search_many(search *s, int64_t rest, int count, double cost,
                        int begin)
{
    double reach = pow((double)s->max, count - 1);
    /* The least of levels is no larger than their mean. */
    double most = s->part.count == 0 ? (double)(rest / 2)
                                     : pow((double)rest, 1.0 / count) + 0.5;

    if (count == 1) {
        try_last(s, rest, cost);
        return;
    }
    for (int i = begin; i < s->count && s->steps > 0; i++) {
        const divisor *d = &s->divisor[i];
        s->steps--;
        if ((double)d->level.n > most)
            return;
        if (reach < (double)(rest / d->level.n) || rest % d->level.n != 0
            || !push(s, d, cost, count - 1))
            continue;
        search_many(s, rest / d->level.n, count - 1, s->part.cost,
                    s->part.count > 1 ? i : 0);
        s->part.count--;
    }
}

/* Tries all splits into two levels. The costs of both depend on the layout of
 * WORK0 that they share. */
static void search_two(search *s)
{
    stfi_split *two = &s->part;

    for (int i = 0; i < s->count; i++) {
        const divisor *first = &s->divisor[i], *last;
        int block;
        last = find_divisor(s, s->n / first->level.n);
        if (last == NULL)
            continue;
        two->count = 2;
        two->level[0] = first->level;
        two->level[1] = last->level;
        block = (int)stfi_split_block(s->b, two, s->others);
        two->cost = 0.0;
        for (int k = 0; k < 2; k++)
            two->cost += stfi_levels_cost(s->b, two, k, (double)s->n, s->others,
                                          s->row, block);
        if (!s->b->caps->gpu)
            two->cost += stfi_levels_scatter(s->b, two, s->others);
        keep_cheapest(s);
    }
    two->count = 0;
}

static stf_status search_split(search *s, int count)
{
    stf_status status = list_divisors(s);

    s->part.count = 0;
    if (status == STF_OK && count == 2)
        search_two(s);
    else if (status == STF_OK)
        search_many(s, s->n, count, 0.0, 0);
    return status;
}

/* Returns 1 if fewer levels than `count` suffice. */
static int is_enough(const search *s, int count)
{
    const stfi_caps *caps = s->b->caps;

    if (s->best.count == 0)
        return 0;
    return caps->gpu
               ? count > 3 || (s->row && s->best.count == 1)
                     || s->best.cost
                            < stfi_tuning_of(caps)->least_pass_cost * count
               : count > 2;
}

/* A range of numbers of levels. */
typedef struct range {
    int least, most;
} range;

/* Finds the cheapest split of n with a number of levels in the range; count 0:
 * none fits. row: 1 if a single pass would read rows. Errors: MEMORY. */
static stf_status choose_split(const stfi_builder *b, int64_t n, int row,
                               double others, range counts, stfi_split *split_p)
{
    int64_t column = stfi_builder_max_column(b);
    search s = {.b = b,
                .n = n,
                .max = column,
                .row = row,
                .others = others,
                .steps = (int64_t)1 << 22,
                .best = {.cost = INFINITY}};
    stf_status status = STF_OK;

    if (counts.least == 1)
        try_single(&s, row ? stfi_builder_max_single(b) : column);
    for (int count = 2;
         count <= counts.most && status == STF_OK && !is_enough(&s, count);
         count++) {
        if (pow((double)column, count) < (double)n)
            continue;
        if (count > 2 && pow(2.0, count) > (double)n)
            break;
        status = search_split(&s, count);
    }
    stfi_dealloc(s.divisor);
    if (status == STF_OK)
        *split_p = s.best;
    return status;
}

/* Returns the divisor of n whose ratio to `width` is closest to 1, from half of
 * it to twice, and at most `most`; 0 if there is none. */
static int64_t close_divisor(int64_t n, int64_t width, int64_t most)
{
    double best_ratio = INFINITY;
    int64_t best = 0;

    for (int64_t d = (width + 1) / 2; d <= 2 * width && d <= most; d++) {
        double ratio =
            d < width ? (double)width / (double)d : (double)d / (double)width;
        if (n % d == 0 && ratio < best_ratio) {
            best_ratio = ratio;
            best = d;
        }
    }
    return best;
}

int64_t stfi_split_block(const stfi_builder *b, const stfi_split *s,
                         double others)
{
    int64_t element = 2 * (int64_t)b->stored_bytes, block, held, most;
    double lanes = others * (double)s->level[0].n;

    if (!b->caps->gpu || s->count != 2)
        return 0;
    most = stfi_gpu_block_elements(b->caps, b->real_bytes) * 5 / 4
           / s->level[1].tile;
    block = stfi_levels_width(b, &s->level[1], (int64_t)lanes, 0);
    block = stfi_gpu_block_ahead(s->level[1].tile, block,
                                 b->desc->ft.mode != STF_FT_OFF, b->caps,
                                 b->real_bytes, b->stored_bytes);
    block = close_divisor(s->level[0].n, block, most);
    for (held = block; !stfi_levels_has_lanes(b, &s->level[1], 0, (int)held);)
        held /= 2; /* as gpu_shape.c does */
    return held * element >= 32 ? block : 0;
}

/* Finds the cheapest split of a convolution of at least `conv` elements. A single
 * tile would already be Bluestein's method within a tile. Errors: MEMORY. */
static stf_status choose_spread(const stfi_builder *b, int64_t conv, int row,
                                double others, range counts,
                                stfi_split *split_p)
{
    int64_t m = stfi_factor_smooth(conv);
    const range two = {2, 2};
    stf_status status = choose_split(b, m, row, others, counts, split_p);

    if (status == STF_OK && split_p->count == 1)
        status = choose_split(b, m, row, others, two, split_p);
    split_p->spread = m;
    return status;
}

int stfi_level_is_slow_alone(const stfi_builder *b, const stfi_level *l,
                             double others)
{
    const stfi_tuning *t = stfi_tuning_of(b->caps);
    const int longest =
        l->conv == STFI_CONV_NONE ? t->alone_bytes : t->alone_conv_bytes;

    return b->caps->gpu && 8.0 * others <= (double)b->caps->units
           && 2 * l->tile * (int64_t)b->real_bytes > longest;
}

/* Replaces a single level that is slow alone, if that is possible. Errors:
 * MEMORY. */
static stf_status hurry(const stfi_builder *b, int64_t n, int64_t conv, int row,
                        double others, stfi_split *s)
{
    const range two = {2, 2};
    stfi_split more = {.count = 0};
    stf_status status;

    if (s->count != 1 || !stfi_level_is_slow_alone(b, &s->level[0], others))
        return STF_OK;
    status = s->level[0].conv == STFI_CONV_NONE
                 ? choose_split(b, n, row, others, two, &more)
                 : choose_spread(b, conv, row, others, two, &more);
    if (status == STF_OK && more.count == 2)
        *s = more;
    return status;
}

stfi_split stfi_split_choose(stfi_builder *b, int64_t n, int64_t conv, int row,
                             double others)
{
    const range any = {1, STFI_MAX_LEVELS - 1};
    stfi_split s = {.count = 0};
    stf_status status;

    if (stfi_split_chosen(b, n, row, &s))
        return s;
    status = choose_split(b, n, row, others, any, &s);
    if (status == STF_OK && s.count == 0)
        status = choose_spread(b, conv, row, others, any, &s);
    else if (status == STF_OK)
        status = hurry(b, n, conv, row, others, &s);
    if (status != STF_OK)
        b->status = status;
    return s;
}

/* ------------------------------------------------------------ real, by two */

/* Sets the block and the cost. Each side in WORK0 is accessed in runs of at
 * least a block times the columns of a tile. */
static void judge_real(const stfi_builder *b, int inverse, double others,
                       stfi_split *s)
{
    const stfi_level *reals = &s->level[0], *rows = &s->level[1];
    double element = 2.0 * (double)b->stored_bytes;
    double columns = others * (double)((rows->n + 1) / 2);
    int64_t half = reals->n / 2 + 1, blocks;
    int width = stfi_gpu_width(reals->n, (int64_t)columns, !inverse, b->caps,
                               b->real_bytes, b->stored_bytes);
    double run, padded;

    while (
        width > 1
        && (width * reals->n * 2 * (int64_t)b->real_bytes > b->caps->block_bytes
            || !stfi_levels_has_lanes(b, reals, 1, width)))
        width /= 2;
    s->block =
        stfi_levels_width(b, rows, (int64_t)(others * (double)half), inverse);
    while (s->block / 2 >= half)
        s->block /= 2;
    blocks = (half + s->block - 1) / s->block;
    padded = (double)(blocks * s->block);
    run = element * 2.0 * (double)s->block * width;
    s->cost =
        stfi_levels_gpu_cost(
            b, reals, width, columns,
            stfi_levels_blocked(b, reals, !inverse,
                                inverse ? element * width : run))
        + stfi_levels_gpu_cost(
            b, rows, (int)s->block, others * (double)reals->n / 2.0,
            stfi_levels_blocked(b, rows, inverse, element * (double)s->block))
        + (padded / (double)half - 1.0);
}

/* Returns 1 if a tile computes l by radices alone; whole: 1 if all its elements
 * must be in block memory at once. */
static int is_direct(const stfi_builder *b, const stfi_level *l, int whole)
{
    int64_t max = stfi_builder_max_column(b);

    return l->conv == STFI_CONV_NONE && stfi_level_fits(b, l, max)
           && (!whole
               || (l->n <= stfi_builder_max_whole(b)
                   && stfi_builder_fits(b, l->n, 1)));
}

stfi_split stfi_split_choose_real(const stfi_builder *b, int64_t n, int inverse,
                                  double others)
{
    int64_t max = stfi_builder_max_column(b);
    stfi_split best = {.cost = INFINITY}, s = {.count = 2};

    for (int64_t d = 2; d <= max && d <= n / 2; d++) {
        if (n % d != 0 || (n % 2 == 0 && n / d % 2 != 0) || n / d > max)
            continue;
        s.level[0] = stfi_level_make(b, d);
        s.level[1] = stfi_level_make(b, n / d);
        judge_real(b, inverse, others, &s);
        if (s.cost < best.cost && is_direct(b, &s.level[0], 1)
            && is_direct(b, &s.level[1], 0))
            best = s;
    }
    return best;
}
