/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Layouts of block memory; see layout.h. Candidates are judged by simulating
 * the accesses of a few waves. Source: [TurboFFT], section 3 (swizzles instead
 * of padding). */
#include "fft/gpu/layout.h"

#include <math.h>
#include <string.h>

#include "fft/gpu_shape_cost.h"

enum {
    WAVE = 32,
    BANK_BYTES = 128, /* bytes that block memory moves at once */
    MAX_MOVES = 16,   /* moves that are simulated */
    MAX_TOUCHES = 6   /* touches of a move: two waves, three steps */
};

static int place(const stfi_gpu_layout *y, int lane, int e)
{
    int at = y->exclusive ? e ^ ((e >> y->shift) & y->mul)
                          : e + (e >> y->shift) * y->mul;
    return lane * y->pitch + at * y->step;
}

/* Returns the largest number of different places in one bank that a group of
 * threads accesses at once; `at` < 0: the thread accesses nothing. */
static int count_group(const int *at, int group)
{
    int last[WAVE], before[WAVE], count[WAVE] = {0}, worst = 1;

    for (int i = 0; i < group; i++) {
        int bank = at[i] % group, j;
        if (at[i] < 0)
            continue;
        /* Look through the places found in this bank, the latest first. */
        j = count[bank] > 0 ? last[bank] : -1;
        while (j >= 0 && at[j] != at[i])
            j = before[j];
        if (j >= 0)
            continue;
        before[i] = count[bank]++ > 0 ? last[bank] : -1;
        last[bank] = i;
        worst = count[bank] > worst ? count[bank] : worst;
    }
    return worst;
}

/* Returns the same for all groups of a wave together. */
static int count_conflicts(const int at[WAVE], int group)
{
    int worst = 1;

    for (int g = 0; g < WAVE; g += group) {
        int here = count_group(at + g, group);
        worst = here > worst ? here : worst;
    }
    return worst;
}

/* The accesses of a stage when it writes its results or reads its inputs. */
typedef struct move {
    int radix, apart; /* of the stage; distance of a butterfly's elements */
    int interleave;
} move;

/* What the threads of a wave access at once: element e of a lane; < 0: nothing.
 * It does not depend on the layout. */
typedef struct touch {
    int lane[WAVE], e[WAVE];
} touch;

typedef struct pattern {
    int moves;
    int touches[MAX_MOVES]; /* of each move */
    touch touch[MAX_MOVES * MAX_TOUCHES];
} pattern;

static int element(const stfi_gpu_access *a, const move *m, int t, int j)
{
    if (t >= a->n / m->radix)
        return -1;
    return t / m->apart * (m->apart * m->radix) + t % m->apart + j * m->apart;
}

static void touch_all(const stfi_gpu_access *a, const move *m, int wave, int j,
                      touch *touch_p)
{
    for (int i = 0; i < WAVE; i++) {
        int thread = wave + i;
        int t = thread % m->interleave
                + thread / (m->interleave * a->lanes) * m->interleave;
        touch_p->lane[i] = thread / m->interleave % a->lanes;
        touch_p->e[i] =
            thread < a->lanes * a->threads ? element(a, m, t, j) : -1;
    }
}

/* Adds the accesses of the first and the last wave, in a few of their steps. */
static void add_move(const stfi_gpu_access *a, const move *m, pattern *p,
                     touch **end)
{
    int last = (a->lanes * a->threads - 1) / WAVE * WAVE;
    touch *first = *end;

    if (p->moves == MAX_MOVES)
        return;
    for (int wave = 0; wave <= last; wave += last > 0 ? last : 1)
        for (int j = 0; j<m->radix; j += m->radix> 2 ? m->radix / 2 : 1)
            touch_all(a, m, wave, j, (*end)++);
    p->touches[p->moves++] = (int)(*end - first);
}

static void make_pattern(const stfi_gpu_access *a, pattern *p)
{
    touch *end = p->touch;

    p->moves = 0;
    if (a->reach[0] != a->n / a->radix[0]) {
        /* The tile is sorted for the first stage. */
        move natural = {a->radix[0], a->n / a->radix[0], a->interleave_first};
        move sorted = {a->radix[0], a->reach[0], a->interleave_first};
        add_move(a, &natural, p, &end);
        add_move(a, &sorted, p, &end);
    }
    for (int s = 0; s < a->nstages; s++) {
        move results = {a->radix[s], a->spread[s],
                        s == 0 ? a->interleave_first : a->interleave};
        move inputs = {a->radix[s], a->reach[s], a->interleave};
        if (s + 1 < a->nstages)
            add_move(a, &results, p, &end);
        if (s > 0)
            add_move(a, &inputs, p, &end);
    }
    if (a->sweep > 0 || a->natural) {
        /* Add the move of what threads hold into natural order. */
        int last = a->radix[a->nstages - 1];
        move natural = {last, a->n / last, a->interleave};
        add_move(a, &natural, p, &end);
    }
    if (a->sweep > 0) {
        move spectra = {1, a->n, a->sweep};
        add_move(a, &spectra, p, &end);
    }
}

static int judge_touch(const touch *touched, const stfi_gpu_layout *y,
                       int group)
{
    int at[WAVE];

    for (int i = 0; i < WAVE; i++)
        at[i] =
            touched->e[i] < 0 ? -1 : place(y, touched->lane[i], touched->e[i]);
    return count_conflicts(at, group);
}

/* Returns how many accesses conflicts make of one, on average; INFINITY as soon
 * as that is sure to exceed `most`. */
static double judge(const stfi_gpu_access *a, const pattern *p,
                    const stfi_gpu_layout *y, double most)
{
    int group = BANK_BYTES / a->unit_bytes;
    const touch *touched = p->touch;
    double total = 0.0;

    group = group > WAVE ? WAVE : group;
    for (int m = 0; m < p->moves; m++) {
        int sum = 0, left = p->moves - m - 1;
        for (int k = 0; k < p->touches[m]; k++)
            sum += judge_touch(touched++, y, group);
        total += (double)sum / p->touches[m];
        if (total + left > most * p->moves)
            return INFINITY;
    }
    return p->moves > 0 ? total / p->moves : 1.0;
}

void stfi_gpu_access_stages(const stfi_pass *p, stfi_gpu_access *access)
{
    access->nstages = p->nstages;
    access->radix = p->radix;
    for (int s = 0; s < p->nstages; s++) {
        access->reach[s] = (int)stfi_pass_reach(p, s);
        access->spread[s] = (int)stfi_pass_spread(p, s);
    }
}

/* ----------------------------------------------------------------- layouts */

typedef struct search {
    const stfi_gpu_access *access;
    const pattern *pattern;
    stfi_gpu_layout best;
    double cost;
} search;

/* Returns the units of memory that the layout takes. */
static int extent(const stfi_gpu_access *a, const stfi_gpu_layout *y)
{
    int count = a->n + a->extra, most = 0;

    /* An element is never moved beyond the place of one that is `mul` or more
     * elements later, so only the last ones are tried. */
    for (int e = count > y->mul ? count - 1 - y->mul : 0; e < count; e++) {
        int at = place(y, a->lanes - 1, e);
        most = at > most ? at : most;
    }
    return most + 1;
}

static int lane_extent(const stfi_gpu_access *a, stfi_gpu_layout y)
{
    stfi_gpu_access one = *a;

    one.lanes = 1;
    y.step = 1;
    return extent(&one, &y);
}

/* Returns what part of a move's accesses have an address of their own, which takes
 * three instructions, besides the one that any layout has. Others have a constant
 * distance from one of those: place_sum() in backends/gpu/kernels/fft/tile.h. */
static double own_addresses(const stfi_gpu_layout *y, int radix, int apart)
{
    const int period = y->exclusive ? (y->mul + 1) << y->shift : 1 << y->shift;
    int own = 0;

    if (!y->exclusive && stfi_gpu_is_even(radix) && stfi_gpu_is_even(apart))
        return 0.0;
    for (int j = 0; j < radix; j++) {
        int i = 0;
        while (i < j && (j - i) * apart % period != 0)
            i++;
        own += i == j;
    }
    return (double)(own - 1) / radix;
}

/* Returns the mean of that over the stages' accesses. */
static double address_part(const stfi_gpu_access *a, const stfi_gpu_layout *y)
{
    double total = 0.0;

    if (y->mul == 0 || a->nstages < 2)
        return 0.0;
    for (int s = 0; s < a->nstages; s++) {
        if (s + 1 < a->nstages)
            total += own_addresses(y, a->radix[s], a->spread[s]);
        if (s > 0)
            total += own_addresses(y, a->radix[s], a->reach[s]);
    }
    return total / (2 * (a->nstages - 1));
}

/* The cost of a layout, in accesses: its conflicts, and its addresses; memory breaks
 * ties. */
static double cost_of(const stfi_gpu_access *a, const stfi_gpu_layout *y)
{
    /* How often BANK_BYTES an access moves. */
    const double access = (double)WAVE * a->unit_bytes / BANK_BYTES;

    return y->conflicts + a->address_cost / access * address_part(a, y)
           + 0.05 * (y->mul != 0) + 0.1 * y->exclusive
           + 0.5 * ((double)y->units / ((a->n + a->extra) * a->lanes) - 1.0);
}

/* Judges y, and keeps it if it fits and is better than the best so far. */
static void consider(search *s, stfi_gpu_layout y)
{
    const double slack = 1e-6; /* for rounding */
    const stfi_gpu_access *a = s->access;
    double cost;

    y.units = extent(a, &y);
    if ((int64_t)y.units * a->unit_bytes > a->limit_bytes)
        return;
    y.conflicts = judge(a, s->pattern, &y, s->cost - cost_of(a, &y) + slack);
    cost = cost_of(a, &y);
    if (cost < s->cost) {
        s->cost = cost;
        s->best = y;
    }
}

/* Tries all placements of the lanes for one skew. */
static void try_skew(search *s, int exclusive, int shift, int mul)
{
    const stfi_gpu_access *a = s->access;
    stfi_gpu_layout y = {.exclusive = exclusive, .shift = shift, .mul = mul};
    int across = a->interleave < a->threads || a->interleave_first < a->threads;
    int alone = lane_extent(a, y);

    y.step = 1;
    for (int more = 0; more < (a->lanes > 1 ? across ? 16 : 4 : 1); more++) {
        y.pitch = alone + more;
        consider(s, y);
    }
    if (across && a->lanes > 1) {
        y.pitch = 1;
        y.step = a->lanes;
        consider(s, y);
    }
}

int stfi_gpu_layout_plain(const stfi_gpu_access *a, stfi_gpu_layout *layout_p)
{
    stfi_gpu_layout y = {.pitch = a->n + a->extra, .step = 1};

    y.units = y.pitch * a->lanes;
    if ((int64_t)y.units * a->unit_bytes > a->limit_bytes)
        return 0;
    *layout_p = y;
    return 1;
}

int stfi_gpu_layout_choose(const stfi_gpu_access *a, stfi_gpu_layout *layout_p)
{
    pattern p;
    search s = {.access = a, .pattern = &p, .cost = INFINITY};

    make_pattern(a, &p);
    try_skew(&s, 0, 0, 0);
    for (int shift = 2; shift <= 6; shift++)
        for (int mul = 1; mul <= 2; mul++)
            try_skew(&s, 0, shift, mul);
    for (int shift = 3; shift <= 5; shift++)
        for (int bits = 8; bits <= 32; bits *= 2)
            try_skew(&s, 1, shift, bits - 1);
    if (s.cost == INFINITY)
        return 0;
    *layout_p = s.best;
    return 1;
}
