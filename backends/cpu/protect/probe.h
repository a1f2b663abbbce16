/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a checked pass knows of the current tile: its residuals, as defined in
 * ft/instrument.h, the sums from which they are made, and the attempt. */
#ifndef STFI_PROTECT_PROBE_H
#define STFI_PROTECT_PROBE_H

#include <math.h>

#include "backends/cpu/protect/cpu_check.h"
#include "backends/cpu/protect/sums.h"

/* For each lane, a norm that neither overflows nor underflows: the sum of
 * squares is size^2 * squares, where size is the largest magnitude. */
typedef struct norms {
    long double size[W], squares[W];
} norms;

static void norms_clear(norms *n)
{
    for (int l = 0; l < W; l++) {
        n->size[l] = 0;
        n->squares[l] = 0;
    }
}

/* Adds a value to the norm of lane l, as often as `times` says. Inf and NaN
 * both make the norm NaN. */
static void norms_add(norms *n, int l, long double value, int times)
{
    long double a = fabsl(value), q;

    if (a == 0)
        return;
    if (a > n->size[l]) {
        q = n->size[l] / a;
        n->squares[l] = n->squares[l] * q * q + times;
        n->size[l] = a;
    } else {
        q = a / n->size[l];
        n->squares[l] += times * q * q;
    }
    if (!isfinite(a))
        n->squares[l] = NAN;
}

/* The bits of components, and W of them. */
#if STFI_REAL_BYTES == 4
typedef uint32_t bits;
#else
typedef uint64_t bits;
#endif
#if STFI_LANES > 1
typedef bits words
    __attribute__((vector_size(STFI_LANES * STFI_REAL_BYTES), may_alias));
#else
typedef bits words;
#endif

struct tile;

typedef struct probe {
    const sum *row, *e; /* weights for the load and for the store */
    fold row_fold, e_fold;
    int ro, io;   /* offsets of real and imaginary half for the transform */
    int real_row; /* weights of the load are real */
    int real_e;   /* weights of the results are real */
    int repaired; /* some tile was wrong, and is right now */
    int lost;     /* some tile was wrong, and still is */
    int late;     /* input and output are one buffer: store after the verdict */
    int within;   /* results were weighed in the tile, not in memory */
    int manual;   /* the operation weighs what it loads by its own code */
    int joinable; /* the first look at a tile may be at all its lanes at once */
    int in_pieces; /* whole tiles are computed in pieces: bracket.h */
    int bundled;   /* the verdict is on several tiles, */
    int grouped;   /* by the sum of their residuals */
    sums in, out;
    sum of_in, of_out;   /* residual = of_out * out - of_in * in */
    sum left;            /* what the results are still to be multiplied by */
    int64_t lane, end;   /* first lane of the tile, end of the pass's lanes */
    int64_t results;     /* number of elements that are stored, */
    const uint32_t *pos; /* and their places in the tile */
    C (*weigh)(const struct tile *t, int in_memory); /* their sum */
    sum limit;             /* largest clean |residual|^2 / norm^2 */
    int attempt;           /* 0 for the first */
    int deep;              /* norm[] is computed, too, for data of any size */
    stfi_ft_outcome found; /* outcome for a row that is computed twice */
    int stride;            /* every stride-th element is in power[0] */
    int residuals;         /* number of residuals so far, at most 2 */
    C residual[2];
    C result;   /* the sum over the results: in the tile if `late` is 1 */
    V power[2]; /* sums of squares of the input */
    norms norm[2];
    V worst;           /* largest |residual|^2 / norm^2 of clean tiles */
    int is_signed;     /* the pass has a signature: signature.h */
    int64_t covered;   /* the lanes of all tiles so far, */
    uint64_t from, to; /* where they were read and written, */
    words moved;       /* and the bits stored less those loaded */
    words carried[2];  /* bits that the tile loaded (0) and stored (1) */
    words read;        /* bits of the sums over the input: bracket.h */
} probe;

/* The norm of long tiles is estimated from every STRIDE-th element. The estimate
 * is at most STRIDE times the square of the norm, so that a residual which
 * seems to be below half of its threshold is below the threshold. If it seems
 * to be larger, the norm is computed from all elements. */
enum { STRIDE = 4, LONG = 32 };

static void probe_start(probe *k, int64_t points, int attempt, int deep)
{
    k->attempt = attempt;
    k->deep = deep;
    k->stride = attempt > 0 || deep || k->manual || k->bundled || points < LONG
                    ? 1
                    : STRIDE;
    k->residuals = 0;
    k->within = 0;
    if (k->is_signed)
        memset(k->carried, 0, sizeof k->carried);
    if (deep)
        for (int i = 0; i < 2; i++)
            norms_clear(&k->norm[i]);
}

/* Makes the next residual from the sums over the load and over the store. */
INLINE void probe_close(probe *k, C in, C out, V power)
{
    int i = k->residuals++;

    k->residual[i].r = out.r * k->of_out - in.r * k->of_in;
    k->residual[i].i = out.i * k->of_out - in.i * k->of_in;
    k->power[i] = power;
}

/* Makes the next residual from the probe's own sum over the load, which is
 * complete, and the sum over the results. */
static void probe_take(probe *k, fold row, C out)
{
    V power = k->in.power;
    C in = sums_take(&k->in, row, k->ro != 0);

    probe_close(k, in, out, power);
}

/* Adds loaded elements to the sum of squares. */
INLINE void probe_power(probe *k, const real *data, const uint32_t *pos,
                        int64_t count)
{
    int64_t i = 0, step = k->stride;
    C a = c_set(0, 0), b = a;

    for (; i + step < count; i += 2 * step) {
        C x = element_at(data, pos, i), y = element_at(data, pos, i + step);
        a.r = a.r + x.r * x.r;
        a.i = a.i + x.i * x.i;
        b.r = b.r + y.r * y.r;
        b.i = b.i + y.i * y.i;
    }
    if (i < count)
        a.r = add_power(a.r, element_at(data, pos, i));
    k->in.power += (a.r + a.i + b.r + b.i) * (real)step;
}

/* Adds `count` elements to the norm of the next residual, in deep attempts
 * only. Element i lies at place i or pos[i]. Each is counted `times` times. */
static void probe_measure(probe *k, const real *data, const uint32_t *pos,
                          int64_t count, int times)
{
    if (!k->deep)
        return;
    for (int64_t i = 0; i < count; i++) {
        const real *d = data + (pos != NULL ? (int64_t)pos[i] : i) * ELEM;
        for (int l = 0; l < ELEM; l++)
            norms_add(&k->norm[k->residuals], l % W, (long double)d[l], times);
    }
}

/* Adds loaded elements to the residual, from weight number `first` on. */
static void probe_load(probe *k, int64_t first, int64_t count, const real *data,
                       const uint32_t *pos)
{
    const sum *w = k->row + first * (k->row_fold == FOLD_PAIRS ? 4 : 2);

    weigh(&k->in, k->row_fold, w, data, pos, count, 0);
}

/* Adds results to the residual, from weight number `first` on. */
static void probe_store(probe *k, int64_t first, int64_t count,
                        const real *data, const uint32_t *pos)
{
    const sum *w = k->e + first * (k->e_fold == FOLD_PAIRS ? 4 : 2);

    weigh(&k->out, k->e_fold, w, data, pos, count, 0);
}

/* Between these sums of squares of the input, neither the sums nor the squares
 * of residuals that matter overflow or underflow. */
#if STFI_REAL_BYTES == 4
static const sum least_power = (sum)0x1p-80, most_power = (sum)0x1p100;
#else
static const sum least_power = (sum)0x1p-700, most_power = (sum)0x1p900;
#endif

#if STFI_LANES > 1
INLINE V larger(V a, V b)
{
    __typeof__(a > b) first = a > b;
    return (V)((first & (__typeof__(first))a)
               | (~first & (__typeof__(first))b));
}

INLINE V smaller(V a, V b)
{
    __typeof__(a < b) first = a < b;
    return (V)((first & (__typeof__(first))a)
               | (~first & (__typeof__(first))b));
}
#else
#define ALL(mask) (mask)
INLINE V larger(V a, V b)
{
    return a > b ? a : b;
}
#endif

/* Returns 1 if residual i is small in all lanes, and keeps the largest ratio in
 * `worst`. Divides only if there is a new largest one, as division is slow. */
INLINE int is_clean(probe *k, int i)
{
    C d = k->residual[i];
    V power = k->power[i], zero = {0};
    V square = d.r * d.r + d.i * d.i;
    __typeof__(square < power) sized =
        (power > zero + least_power) & (power < zero + most_power);
    __typeof__(square < power) usual = sized & (square <= k->worst * power);
    __typeof__(square < power) good = sized & (square <= k->limit * power);

    if (ALL(usual))
        return 1;
    if (!ALL(good))
        return 0;
    k->worst = larger(square / power, k->worst);
    return 1;
}

static real lane_of(const V *v, int l)
{
    real value;

    memcpy(&value, (const char *)v + (size_t)l * sizeof value, sizeof value);
    return value;
}

#endif
