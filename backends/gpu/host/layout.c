/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Layouts of block memory; see layout.h. Candidates are judged by playing
 * through what a few waves do. Source: paper 000, section 3 (swizzles instead
 * of padding). */
#include "backends/gpu/host/layout.h"

#include <math.h>
#include <string.h>

enum {
    WAVE = 32,
    BANK_BYTES = 128, /* that block memory moves at once */
    MAX_GROUP = 32
};

static int place(const stfi_gpu_layout *y, int lane, int e)
{
    int at = y->exclusive ? e ^ ((e >> y->shift) & y->mul)
                          : e + (e >> y->shift) * y->mul;
    return lane * y->pitch + at * y->step;
}

/* The largest number of different places in one bank, over the groups of a
 * wave that are served at once; `at` < 0: the thread does nothing. */
static int count_conflicts(const int at[WAVE], int group)
{
    int worst = 1;

    for (int g = 0; g < WAVE; g += group)
        for (int i = g; i < g + group; i++) {
            int same = 0;
            for (int j = g; j <= i; j++) {
                int repeated = 0;
                for (int k = g; k < j; k++)
                    repeated |= at[k] == at[j];
                same += at[j] >= 0 && at[i] >= 0 && !repeated
                        && at[j] % group == at[i] % group;
            }
            worst = same > worst ? same : worst;
        }
    return worst;
}

/* A stage as it writes its results (`results`) or reads its inputs. */
typedef struct move {
    int results;
    int radix, before; /* of the stage; product of the earlier radices */
    int weave;
} move;

static int element(const stfi_gpu_access *a, const move *m, int t, int j)
{
    int m_total = a->n / m->radix;

    if (t >= m_total)
        return -1;
    return m->results ? t / m->before * (m->before * m->radix)
                        + t % m->before + j * m->before
                      : t + j * m_total;
}

static double judge_move(const stfi_gpu_access *a, const stfi_gpu_layout *y,
                         const move *m)
{
    int block = a->lanes * a->threads, group = BANK_BYTES / a->unit_bytes;
    int last = (block - 1) / WAVE * WAVE, total = 0, count = 0;

    group = group > WAVE ? WAVE : group;
    for (int wave = 0; wave <= last; wave += last > 0 ? last : 1)
        for (int j = 0; j < m->radix; j += m->radix > 2 ? m->radix / 2 : 1) {
            int at[WAVE];
            for (int i = 0; i < WAVE; i++) {
                int thread = wave + i;
                int lane = thread / m->weave % a->lanes;
                int t = thread % m->weave
                        + thread / (m->weave * a->lanes) * m->weave;
                int e = thread < block ? element(a, m, t, j) : -1;
                at[i] = e < 0 ? -1 : place(y, lane, e);
            }
            total += count_conflicts(at, group);
            count++;
        }
    return (double)total / count;
}

static double judge(const stfi_gpu_access *a, const stfi_gpu_layout *y)
{
    double total = 0.0;
    int before = 1, moves = 0;

    for (int s = 0; s < a->nstages; s++) {
        move results = {1, a->radix[s], before,
                        s == 0 ? a->weave_first : a->weave};
        move inputs = {0, a->radix[s], before, a->weave};
        if (s + 1 < a->nstages) {
            total += judge_move(a, y, &results);
            moves++;
        }
        if (s > 0) {
            total += judge_move(a, y, &inputs);
            moves++;
        }
        before *= a->radix[s];
    }
    if (a->sweep > 0) {
        /* What the threads hold, in natural order; the spectra. */
        move natural = {0, a->radix[a->nstages - 1], 1, a->weave};
        move sweep = {0, 1, 1, a->sweep};
        total += judge_move(a, y, &natural) + judge_move(a, y, &sweep);
        moves += 2;
    }
    return moves > 0 ? total / moves : 1.0;
}

/* Units of memory that the layout takes. */
static int extent(const stfi_gpu_access *a, const stfi_gpu_layout *y)
{
    int most = 0;

    for (int e = 0; e < a->n + a->extra; e++) {
        int at = place(y, a->lanes - 1, e);
        most = at > most ? at : most;
        at = place(y, 0, e);
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

/* Keeps y if it fits and is better than *best; memory and address arithmetic
 * break ties. */
static void consider(const stfi_gpu_access *a, stfi_gpu_layout y,
                     double *best_cost, stfi_gpu_layout *best)
{
    double cost;

    y.units = extent(a, &y);
    if ((int64_t)y.units * a->unit_bytes > a->limit_bytes)
        return;
    y.conflicts = judge(a, &y);
    cost = y.conflicts + 0.05 * (y.mul != 0) + 0.1 * y.exclusive
           + 0.5 * ((double)y.units / ((a->n + a->extra) * a->lanes) - 1.0);
    if (cost < *best_cost) {
        *best_cost = cost;
        *best = y;
    }
}

/* All placements of the lanes for one skew. */
static void try_skew(const stfi_gpu_access *a, int exclusive, int shift,
                     int mul, double *best_cost, stfi_gpu_layout *best)
{
    stfi_gpu_layout y = {.exclusive = exclusive, .shift = shift, .mul = mul};
    int across = a->weave < a->threads || a->weave_first < a->threads;
    int alone = lane_extent(a, y);

    y.step = 1;
    for (int more = 0; more < (a->lanes > 1 ? across ? 16 : 4 : 1); more++) {
        y.pitch = alone + more;
        consider(a, y, best_cost, best);
    }
    if (across && a->lanes > 1) {
        y.pitch = 1;
        y.step = a->lanes;
        consider(a, y, best_cost, best);
    }
}

int stfi_gpu_layout_choose(const stfi_gpu_access *a,
                           stfi_gpu_layout *layout_p)
{
    double cost = INFINITY;

    try_skew(a, 0, 0, 0, &cost, layout_p);
    for (int shift = 2; shift <= 6; shift++)
        for (int mul = 1; mul <= 2; mul++)
            try_skew(a, 0, shift, mul, &cost, layout_p);
    for (int shift = 3; shift <= 5; shift++)
        for (int bits = 8; bits <= 32; bits *= 2)
            try_skew(a, 1, shift, bits - 1, &cost, layout_p);
    return cost < INFINITY;
}
