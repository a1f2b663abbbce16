/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Settles groups whose sum of residuals is too large; see cpu_group.h. */
#include "backends/cpu/protect/cpu_group.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What is known of a group: the lanes of one number l in all tiles. */
typedef struct slot {
    double ratio;
    int alarmed;
    int tile;    /* the tile with the fault, from 1 on; 0 if not located */
    int changed; /* a tile computed again had a different residual */
    int cleared; /* a tile computed again was settled and noted by itself */
} slot;

/* The number of tiles that have lane l. */
static int height(const stfi_cpu_bundle *b, int l)
{
    return b->tiles - (l >= b->last);
}

static stfi_ft_moments sum_up(const stfi_cpu_bundle *b, int i, int l)
{
    stfi_ft_moments m;

    memset(&m, 0, sizeof m);
    for (int j = 0; j < height(b, l); j++) {
        const stfi_cpu_part *part = &b->part[j][i * b->width + l];
        stfi_ft_moments_add(&m, j + 1, part->re, part->im, part->square);
    }
    return m;
}

/* 1 if the sum of squares is in range, or all data and residuals are zero. */
static int is_sized(const stfi_cpu_bundle *b, int i, int l)
{
    stfi_ft_moments m = sum_up(b, i, l);
    int zero = m.square[0] == 0;

    for (int j = 0; j < height(b, l); j++) {
        const stfi_cpu_part *part = &b->part[j][i * b->width + l];
        zero &= part->re == 0 && part->im == 0;
    }
    return zero
           || (m.square[0] > (long double)b->least
               && m.square[0] < (long double)b->most);
}

/* 1 if the residual of at least one tile exceeds the bound for its own norm, or
 * for its share of the sum's norm if that is larger. Residuals of equal signals
 * are equal, so their sum can be too large though each of them is rounding. A
 * fault that is seen in the sum makes the residual of its own tile large. */
static int is_borne(const stfi_cpu_bundle *b, int i, int l,
                    const stfi_ft_moments *m)
{
    long double least = m->square[0] / height(b, l);

    for (int j = 0; j < height(b, l); j++) {
        const stfi_cpu_part *part = &b->part[j][i * b->width + l];
        long double square = fmaxl(least, (long double)part->square);
        if (!(hypotl((long double)part->re, (long double)part->im)
              <= STFI_FT_SUSPECT * b->bound.slope * sqrtl(square)
                     + b->bound.floor))
            return 1;
    }
    return 0;
}

/* 1 if the sum of residual i over the lanes l is too large. *ratio_p is its
 * ratio to the threshold of a fault. The floor counts once per tile. */
static int is_alarmed(const stfi_cpu_bundle *b, int i, int l, double *ratio_p)
{
    stfi_ft_moments m = sum_up(b, i, l);
    stfi_ft_bound bound = {b->bound.slope, height(b, l) * b->bound.floor};
    stfi_ft_verdict v = stfi_ft_judge(&bound, hypotl(m.re[0], m.im[0]),
                                      sqrtl(m.square[0]), 1, ratio_p);

    return v != STFI_FT_CLEAN && (b->p->check.correct || v == STFI_FT_FAULTY)
           && is_borne(b, i, l, &m);
}

static int locate(const stfi_cpu_bundle *b, int i, int l)
{
    stfi_ft_moments m = sum_up(b, i, l);

    return b->p->check.scheme == STF_FT_SCHEME_TWO_SIDED
               ? stfi_ft_locate(&m, height(b, l), b->bound.slope, LDBL_EPSILON)
               : 0;
}

/* Judges the sums of lanes l. If both residuals are too large, the larger ratio
 * counts, and a tile is located only if both name the same one. */
static void look(const stfi_cpu_bundle *b, int l, slot *s)
{
    *s = (slot){.ratio = 0};
    for (int i = 0; i < b->residuals; i++) {
        double ratio;
        int alarmed = is_alarmed(b, i, l, &ratio), tile;
        if (isfinite(ratio) && ratio > b->watch->worst
            && (alarmed || ratio <= 1))
            b->watch->worst = ratio;
        if (!alarmed)
            continue;
        tile = locate(b, i, l);
        s->tile = s->alarmed && s->tile != tile ? 0 : tile;
        s->ratio = s->ratio > ratio ? s->ratio : ratio;
        s->alarmed = 1;
    }
}

static int differ(double a, double b)
{
    return a != b && !(isnan(a) && isnan(b));
}

static void compute_again(stfi_cpu_bundle *b, slot *slots, int j)
{
    stfi_cpu_part now[STFI_CPU_GROUPS];
    int cleared = b->again(b->tile, j, now);
    int lanes = j + 1 < b->tiles ? b->width : b->last;

    for (int l = 0; l < lanes; l++) {
        slots[l].cleared |= cleared;
        for (int i = 0; i < b->residuals; i++) {
            int g = i * b->width + l;
            slots[l].changed |= differ(b->part[j][g].re, now[g].re)
                                || differ(b->part[j][g].im, now[g].im);
            b->part[j][g] = now[g];
        }
    }
}

/* The tiles that have to be computed again, one bit each: the located ones, or
 * all of them if an alarmed group has no located tile. */
static uint32_t wanted(const stfi_cpu_bundle *b, const slot *slots)
{
    uint32_t tiles = 0;

    for (int l = 0; l < b->width; l++)
        if (slots[l].alarmed)
            tiles |= slots[l].tile > 0 ? (uint32_t)1 << (slots[l].tile - 1)
                                       : UINT32_MAX;
    return tiles;
}

/* Computes the wanted tiles again. If the sum is still too large after the
 * located tile was repaired, all other tiles follow in a second round. */
static void repair(stfi_cpu_bundle *b, slot *slots)
{
    uint32_t tiles = wanted(b, slots), done = 0;

    for (int round = 0; round < 2; round++) {
        for (int j = 0; j < b->tiles; j++)
            if ((tiles & ~done) >> j & 1)
                compute_again(b, slots, j);
        done = tiles;
        for (int l = 0; l < b->width; l++)
            for (int i = 0; i < b->residuals && slots[l].tile > 0; i++) {
                double ratio;
                if (!is_alarmed(b, i, l, &ratio))
                    continue;
                slots[l].tile = 0;
                tiles = UINT32_MAX;
            }
    }
}

static void note(const stfi_cpu_bundle *b, int l, const slot *s)
{
    int located = s->tile > 0;
    int64_t lane = b->lane + l + (located ? (s->tile - 1) * b->width : 0);
    stfi_ft_remedy remedy =
        b->p->check.correct ? STFI_FT_REPEAT : STFI_FT_REPORT_ONLY;
    /* Tiles that were computed again have been settled one by one. Where none
     * is, only sums above the threshold of a fault have raised an alarm. */
    int above = s->changed || remedy == STFI_FT_REPORT_ONLY;
    stfi_ft_outcome outcome = stfi_ft_conclude_mended(remedy, above);

    if (s->alarmed && (outcome != STFI_FT_RECHECKED || !s->cleared))
        stfi_cpu_note(b->watch, b->p, lane, outcome, s->ratio, located);
}

int stfi_cpu_settle_group(stfi_cpu_bundle *b)
{
    slot slots[STFI_CPU_GROUPS];
    int lanes = b->tiles > 1 ? b->width : b->last;

    for (int l = 0; l < lanes; l++)
        for (int i = 0; i < b->residuals; i++)
            if (!is_sized(b, i, l))
                return 0;
    memset(slots, 0, sizeof slots);
    for (int l = 0; l < lanes; l++)
        look(b, l, &slots[l]);
    if (b->p->check.correct)
        repair(b, slots);
    for (int l = 0; l < lanes; l++)
        note(b, l, &slots[l]);
    return 1;
}
