/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Radices and convolution lengths; see factor.h. */
#include "fft/factor.h"

#include <math.h>
#include <string.h>

#include "math/numth.h"

static const stfi_radix radices[] = {
#define STFI_RADIX(r, ops, special) {r, ops, special},
#include "fft/radices.def"
#undef STFI_RADIX
};

enum { RADICES = sizeof radices / sizeof *radices };

/* The cost of loading, storing and twiddling an element once, in operations. */
static const double sweep_cost = 7.0;

const stfi_radix *stfi_radix_at(int i)
{
    return i >= 0 && i < RADICES ? &radices[i] : NULL;
}

typedef struct search {
    int radix[STFI_MAX_STAGES];
    int best[STFI_MAX_STAGES];
    int best_count;
    double best_cost;
    double least; /* least cost of a stage for each bit of its radix */
} search;

/* Returns a search for stages that cost less than `most`. */
static search begin(double most)
{
    search s = {.best_count = -1, .best_cost = most, .least = INFINITY};

    for (int i = 0; i < RADICES; i++)
        s.least =
            fmin(s.least, (radices[i].ops + sweep_cost) / log2(radices[i].r));
    s.least *= 1.0 - 1e-12; /* for rounding */
    return s;
}

/* Tries all products of falling radices, starting at table row `top`, that may
 * cost less than the best ones. */
static void try_radices(search *s, int64_t n, int top, int depth, double cost)
{
    if (cost + s->least * log2((double)n) >= s->best_cost
        || depth >= STFI_MAX_STAGES)
        return;
    if (n == 1) {
        s->best_cost = cost;
        s->best_count = depth;
        memcpy(s->best, s->radix, sizeof(int) * (size_t)depth);
        return;
    }
    for (int i = top; i >= 0; i--) {
        if (n % radices[i].r != 0)
            continue;
        s->radix[depth] = radices[i].r;
        try_radices(s, n / radices[i].r, i, depth + 1,
                    cost + radices[i].ops + sweep_cost);
    }
}

int stfi_factor_stages(int64_t n, int radix[STFI_MAX_STAGES], double *cost_p)
{
    search s = begin(INFINITY);

    try_radices(&s, n, RADICES - 1, 0, 0.0);
    if (s.best_count < 0)
        return -1;
    if (radix != NULL)
        memcpy(radix, s.best, sizeof(int) * (size_t)s.best_count);
    if (cost_p != NULL)
        *cost_p = s.best_cost;
    return s.best_count;
}

/* The cheapest ways so far, in rising order of cost. */
typedef struct ways {
    int count;
    stfi_radix_way *way;
    stfi_radix_way part; /* stages that are chosen, and their cost */
    double least;        /* as in `search` */
} ways;

static void keep_way(ways *w)
{
    int at = w->count < STFI_FACTOR_WAYS ? w->count++ : w->count - 1;

    for (; at > 0 && w->way[at - 1].cost > w->part.cost; at--)
        w->way[at] = w->way[at - 1];
    w->way[at] = w->part;
}

static void try_ways(ways *w, int64_t n, int top)
{
    stfi_radix_way *part = &w->part;

    if (part->count >= STFI_MAX_STAGES
        || (w->count == STFI_FACTOR_WAYS
            && part->cost + w->least * log2((double)n)
                   >= w->way[w->count - 1].cost))
        return;
    if (n == 1) {
        keep_way(w);
        return;
    }
    for (int i = top; i >= 0; i--) {
        double cost = part->cost;
        if (n % radices[i].r != 0)
            continue;
        part->radix[part->count++] = radices[i].r;
        part->cost += radices[i].ops + sweep_cost;
        try_ways(w, n / radices[i].r, i);
        part->cost = cost;
        part->count--;
    }
}

int stfi_factor_ways(int64_t n, stfi_radix_way way[STFI_FACTOR_WAYS])
{
    ways w = {.count = 0, .way = way, .least = begin(INFINITY).least};

    try_ways(&w, n, RADICES - 1);
    return w.count;
}

int stfi_factor_direct(int64_t n)
{
    for (int i = 0; i < RADICES; i++)
        while (n % radices[i].r == 0)
            n /= radices[i].r;
    return n == 1;
}

int stfi_factor_rader(int64_t n, int64_t largest)
{
    return n > 2 && stfi_is_prime((uint64_t)n)
           && (int64_t)stfi_largest_prime((uint64_t)n - 1) <= largest;
}

/* Keeps m if its stages take fewer operations in all. */
static void try_length(search s, int64_t m, int64_t *best, double *best_cost)
{
    s.best_cost = *best_cost / (double)m;
    try_radices(&s, m, RADICES - 1, 0, 0.0);
    if (s.best_count >= 0) {
        *best_cost = s.best_cost * (double)m;
        *best = m;
    }
}

int64_t stfi_factor_smooth(int64_t at_least)
{
    static const int64_t extra[] = {1, 11, 13};
    int64_t best = 1;
    const search none = begin(INFINITY);
    double best_cost = INFINITY;
    int64_t limit;

    while (best < at_least)
        best *= 2;
    limit = best;
    for (size_t i = 0; i < sizeof extra / sizeof *extra; i++)
        for (int64_t a = extra[i]; a <= limit; a *= 7)
            for (int64_t b = a; b <= limit; b *= 5)
                for (int64_t c = b; c <= limit; c *= 3) {
                    int64_t m = c;
                    while (m < at_least)
                        m *= 2;
                    if (m <= limit)
                        try_length(none, m, &best, &best_cost);
                }
    return best;
}

double stfi_factor_tile(int64_t n, stfi_conv *conv_p, int64_t *tile_p)
{
    double direct = INFINITY, conv = INFINITY;
    int64_t tile = n;
    stfi_conv method = STFI_CONV_NONE;

    if (stfi_factor_stages(n, NULL, &direct) < 0)
        direct = INFINITY;
    if (n > 16 && stfi_largest_prime((uint64_t)n) > 13) {
        if (stfi_factor_rader(n, 13)) {
            method = STFI_CONV_RADER;
            tile = n - 1;
        } else {
            method = STFI_CONV_BLUESTEIN;
            tile = stfi_factor_smooth(2 * n - 1);
        }
        stfi_factor_stages(tile, NULL, &conv);
        conv = (2 * conv + 2 * sweep_cost) * (double)tile / (double)n;
    }
    if (direct <= conv) {
        method = STFI_CONV_NONE;
        tile = n;
    }
    *conv_p = method;
    *tile_p = tile;
    return direct <= conv ? direct : conv;
}

int stfi_factor_special(int r)
{
    for (int i = 0; i < RADICES; i++)
        if (radices[i].r == r)
            return radices[i].special;
    return 0;
}
