/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Left vectors of tiles of several axes: least weights, as the network of butterflies
 * states them and by their definition, and rows. */
#include <math.h>
#include <stdlib.h>

#include "ft/weights/row.h"
#include "tests/ft/optimised.h"
#include "tests/ft/take.h"
#include "tests/tap.h"

/* Tiles of several axes: the radix and the axis of each stage, as GPUs order them. */
enum { MOST_TILE_STAGES = 8 };
static const struct {
    int stages, radix[MOST_TILE_STAGES];
    unsigned char axis[MOST_TILE_STAGES];
    double least;
} tiles[] = {
    {2, {4, 2}, {1, 0}, 0.50},
    {3, {2, 8, 2}, {0, 1, 0}, 0.48},
    {4, {4, 2, 2, 4}, {0, 2, 1, 0}, 0.45},
    {4, {4, 3, 5, 3}, {0, 1, 1, 0}, 0.31},
    {3, {12, 14, 10}, {1, 2, 0}, 0.26},
};

/* A row of tiles[], and what follows from it. */
typedef struct tile {
    int count; /* stages */
    const int *radix;
    const unsigned char *axis;
    int64_t n, length[STF_MAX_RANK];
} tile;

static tile tile_of(size_t row)
{
    tile t = {tiles[row].stages, tiles[row].radix, tiles[row].axis, 1, {0}};

    for (int a = 0; a < STF_MAX_RANK; a++)
        t.length[a] = 1;
    for (int s = 0; s < t.count; s++) {
        t.n *= t.radix[s];
        t.length[t.axis[s]] *= t.radix[s];
    }
    return t;
}

/* The element of the row-major tile with the digits of `index`, in which the digit
 * of stage 0 varies fastest. */
static int64_t element_of(const tile *t, int64_t index)
{
    int64_t of[STF_MAX_RANK] = {0}, before[STF_MAX_RANK], e = 0;

    for (int a = 0; a < STF_MAX_RANK; a++)
        before[a] = 1;
    for (int s = 0; s < t->count; s++) {
        of[t->axis[s]] += index % t->radix[s] * before[t->axis[s]];
        before[t->axis[s]] *= t->radix[s];
        index /= t->radix[s];
    }
    for (int a = 0; a < STF_MAX_RANK; a++)
        e = e * t->length[a] + of[a];
    return e;
}

/* The weight of a value behind the first `done` stages, by the definition: results
 * with the digits of `low`, which are done, each times a root of unity for what is left
 * along each axis, where the value has the digits of j. */
static double weight_of(const tile *t, const float *e, int done, int64_t low,
                        int64_t span, int64_t j)
{
    double re = 0, im = 0, turns;

    for (int64_t rest = 0; rest < t->n / span; rest++) {
        const float *x = e + 2 * element_of(t, low + rest * span);
        int64_t k = rest, i = j;
        int64_t before[STF_MAX_RANK], weight[STF_MAX_RANK] = {0};
        double c, s;
        turns = 0;
        for (int a = 0; a < STF_MAX_RANK; a++)
            before[a] = 1;
        for (int q = done; q < t->count; q++) {
            const int a = t->axis[q];
            weight[a] += k % t->radix[q] * before[a];
            before[a] *= t->radix[q];
            k /= t->radix[q];
        }
        /* Inputs count their digits from the last stage on. */
        for (int q = t->count - 1; q >= done; q--) {
            const int a = t->axis[q];
            int64_t below = 1;
            for (int l = t->count - 1; l > q; l--)
                below *= t->axis[l] == a ? t->radix[l] : 1;
            turns += (double)(weight[a] * (i % t->radix[q]) * below)
                     / (double)before[a];
            i /= t->radix[q];
        }
        c = cos(2 * M_PI * turns);
        s = -sin(2 * M_PI * turns);
        re += x[0] * c - x[1] * s;
        im += x[0] * s + x[1] * c;
    }
    return hypot(re, im) / sqrt((double)(t->n / span));
}

static double least_by_definition(const tile *t, const float *e)
{
    double least = 1e9;
    int64_t span = 1;

    for (int done = 0; done <= t->count; span *= t->radix[done++]) {
        for (int64_t low = 0; low < span; low++)
            for (int64_t j = 0; j < t->n / span; j++)
                least = fmin(least, weight_of(t, e, done, low, span, j));
        if (done == t->count)
            break;
    }
    return least;
}

/* The largest difference between a row and the DFT of e along all axes, relative to
 * the square root of the number of points. */
static double off_row(const tile *t, const float *e)
{
    long double *row = take(2 * (size_t)t->n, sizeof *row);
    double most = 0;

    if (stfi_ft_row_of_axes(STF_MAX_RANK, t->length, e, row))
        most = 1;
    for (int64_t j = 0; j < t->n; j++) {
        double re = 0, im = 0;
        for (int64_t k = 0; k < t->n; k++) {
            int64_t jj = j, kk = k;
            double turns = 0, c, s;
            for (int a = STF_MAX_RANK - 1; a >= 0; a--) {
                turns += (double)(jj % t->length[a] * (kk % t->length[a]))
                         / (double)t->length[a];
                jj /= t->length[a];
                kk /= t->length[a];
            }
            c = cos(2 * M_PI * turns);
            s = -sin(2 * M_PI * turns);
            re += e[2 * k] * c - e[2 * k + 1] * s;
            im += e[2 * k] * s + e[2 * k + 1] * c;
        }
        most = fmax(
            most, hypot((double)row[2 * j] - re, (double)row[2 * j + 1] - im));
    }
    free(row);
    return most / sqrt((double)t->n);
}

/* Of powers of two, the network knows the values between stages and those inside of
 * radices, which are more than the definition is asked for. */
static void test_tile(size_t row)
{
    const tile t = tile_of(row);
    float *e = take(2 * (size_t)t.n, sizeof *e);
    stfi_network_shape shape = stfi_network_shape_make(
        STFI_OP_FFT, STFI_CONV_NONE, t.n, t.count, t.radix);
    double least, due, off;

    stfi_network_shape_set_axes(&shape, t.count, t.radix, t.axis);
    shape.axis = 1;
    least = make_optimised(&shape, t.n, e);
    due = t.n <= 256 ? least_by_definition(&t, e) : least;
    off = off_row(&t, e);
    tap_ok(
        least >= tiles[row].least && due >= least - 1e-5 && due < least + 0.3
            && off < 1e-10,
        "a tile of %d in %d stages: least weight %.3f, at least %.2f, between "
        "stages %.3f by definition; row off by %.1e",
        (int)t.n, t.count, least, tiles[row].least, due, off);
    free(e);
}

int main(void)
{
    tap_begin("ft/weight_tiles");
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        test_tile(i);
    return tap_end();
}
