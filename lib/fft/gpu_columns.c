/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What fits a GPU's thread block, how wide its tiles of columns should be, what
 * part of the copy bandwidth they reach, and which lengths are convolutions;
 * see gpu_shape.h. */
#include <math.h>

#include "device/tuning.h"
#include "fft/factor.h"
#include "fft/gpu_shape.h"
#include "fft/gpu_shape_cost.h"
#include "math/numth.h"

int64_t stfi_gpu_block_elements(const stfi_caps *caps, size_t real_bytes)
{
    int64_t held = stfi_tuning_of(caps)->held_full[real_bytes > 4];
    int64_t registers = (int64_t)caps->max_threads * held;
    int64_t memory = caps->block_bytes / (int64_t)real_bytes;

    return registers < memory ? registers : memory;
}

int64_t stfi_gpu_column_elements(const stfi_caps *caps, size_t real_bytes)
{
    int64_t lanes = 16 / (2 * (int64_t)real_bytes);
    int64_t all = stfi_gpu_block_elements(caps, real_bytes) / lanes;
    int64_t memory = caps->block_bytes / (int64_t)real_bytes / lanes
                     - 2 * STFI_GPU_STEPS_MOST;

    return all < memory ? all : memory;
}

int stfi_gpu_shape_one_access(int64_t n, int threads, size_t real_bytes,
                              size_t stored_bytes)
{
    return threads == 1 && stored_bytes < real_bytes && (n & (n - 1)) == 0
           && n * 2 * (int64_t)stored_bytes <= 16;
}

int64_t stfi_gpu_shape_bytes(const stfi_gpu_tile *tile,
                             const stfi_gpu_shape *shape)
{
    int64_t reals = (tile->n + tile->extra) * (shape->split ? 1 : 2);
    int64_t more = tile->checked ? STFI_GPU_CHECK_BYTES : 0;

    if (shape->unit_rows)
        return 4 * tile->n * shape->lanes;
    if (tile->twiddle)
        reals += 2 * STFI_GPU_STEPS_MOST;
    if (shape->ahead)
        more += 2 * tile->n * (int64_t)tile->stored_bytes;
    return (reals * (int64_t)tile->real_bytes + more) * shape->lanes;
}

int stfi_gpu_shape_is_half(const stfi_gpu_tile *tile, const stfi_caps *caps,
                           const stfi_gpu_shape *shape)
{
    int64_t more = tile->checked ? caps->static_bytes : 0;

    return 2 * (stfi_gpu_shape_bytes(tile, shape) + more) <= caps->block_bytes;
}

/* Goes to the next smaller shape. Block memory holds both components of an
 * element or, if it is too small, one component at a time. */
static void shrink(const stfi_gpu_tile *tile, stfi_gpu_shape *shape)
{
    if (shape->ahead) {
        shape->ahead = shape->split = 0;
    } else if (!shape->split && !tile->whole) {
        shape->split = 1;
    } else {
        shape->split = 0;
        shape->lanes /= 2;
    }
}

/* Lets block memory hold one component at a time if that lets a second block
 * in, which computes while the first one waits for memory. */
static void split_early(const stfi_gpu_tile *tile, const stfi_caps *caps,
                        stfi_gpu_shape *shape)
{
    stfi_gpu_shape half = *shape;

    half.split = 1;
    if (!shape->split && !shape->ahead && !tile->whole
        && !stfi_gpu_shape_is_half(tile, caps, shape)
        && stfi_gpu_shape_is_half(tile, caps, &half))
        *shape = half;
}

int stfi_gpu_shape_fit(const stfi_gpu_tile *tile, const stfi_caps *caps,
                       stfi_gpu_shape *shape)
{
    while (shape->lanes > 0
           && stfi_gpu_shape_bytes(tile, shape) > caps->block_bytes)
        shrink(tile, shape);
    if (shape->lanes > 0 && caps->split_early)
        split_early(tile, caps, shape);
    return shape->lanes > 0;
}

int stfi_gpu_shape_smaller(const stfi_gpu_tile *tile, const stfi_caps *caps,
                           stfi_gpu_shape *shape)
{
    shrink(tile, shape);
    return stfi_gpu_shape_fit(tile, caps, shape);
}

/* Short columns gain nothing: enough of their tiles fit a multiprocessor. If they are
 * far and have twiddles, somewhat longer ones are short. */
int stfi_gpu_columns_ahead(const stfi_gpu_tile *tile, const stfi_caps *caps)
{
    const stfi_tuning *t = stfi_tuning_of(caps);
    const int64_t least = tile->far ? t->long_column + 1 : t->f16_column_ahead;

    return tile->quads && tile->load_across && !tile->checked && !tile->matrix
           && tile->stored_bytes < tile->real_bytes && caps->cluster > 1
           && stfi_gpu_is_even(tile->n) && tile->n >= least;
}

/* The next tile takes the bytes that memory has of it, and the exchange those of
 * both components. */
int64_t stfi_gpu_width_ahead(int64_t n, int64_t width, const stfi_caps *caps,
                             size_t real_bytes, size_t stored_bytes)
{
    const int64_t element = 2 * (int64_t)stored_bytes;
    const int64_t bytes = n * (2 * (int64_t)real_bytes + element);

    while (width * element < 128
           && 2 * width * bytes + 2 * width * bytes / 16 <= caps->block_bytes)
        width *= 2;
    return width;
}

int64_t stfi_gpu_block_ahead(int64_t n, int64_t width, int checked,
                             const stfi_caps *caps, size_t real_bytes,
                             size_t stored_bytes)
{
    const stfi_gpu_tile tile = {.n = n,
                                .real_bytes = real_bytes,
                                .stored_bytes = stored_bytes,
                                .load_across = 1,
                                .quads = 1,
                                .checked = checked};

    return stfi_gpu_columns_ahead(&tile, caps)
               ? stfi_gpu_width_ahead(n, width, caps, real_bytes, stored_bytes)
               : width;
}

/* Returns 1 for rows of which only one fits a multiprocessor. */
static int is_long_row(const stfi_gpu_tile *tile, const stfi_caps *caps)
{
    int64_t row = 2 * tile->n * (int64_t)tile->real_bytes;

    return tile->run && !tile->checked && caps->cluster > 1
           && stfi_gpu_is_even(tile->n) && 2 * row > caps->block_bytes;
}

/* Returns 1 if a row and the next one leave too small a first-level cache for
 * tables. */
static int fills_cache(const stfi_gpu_tile *tile, const stfi_caps *caps,
                       const stfi_gpu_shape *shape)
{
    return shape->lanes == 1
           && 5 * stfi_gpu_shape_bytes(tile, shape)
                  > stfi_tuning_of(caps)->persistent_fifths * caps->block_bytes;
}

/* Only devices with clusters have the copy engine for rows. The butterflies of other
 * lengths than powers of two leave too few registers; so do protected rows: on an
 * H200, protected rows of 16384 points took 2.0 times as long as unprotected ones
 * with this, and take 1.4 times as long without. Halves would leave room for both
 * components of an exchange, but not for a cache: 16384 points took 0.94 of the time
 * with one component at a time. */
void stfi_gpu_shape_go_ahead(const stfi_gpu_tile *tile, const stfi_caps *caps,
                             stfi_gpu_shape *shape)
{
    int64_t bytes =
        2 * tile->n * (int64_t)tile->real_bytes * (int64_t)shape->lanes;
    stfi_gpu_shape ahead = *shape;

    if (!(is_long_row(tile, caps) && shape->lanes == 1)
        && !(stfi_gpu_columns_ahead(tile, caps) && shape->lanes % 4 == 0))
        return;
    ahead.ahead = 1;
    ahead.split = 0;
    if (stfi_gpu_shape_bytes(tile, &ahead) + bytes / 16 > caps->block_bytes
        || fills_cache(tile, caps, &ahead))
        ahead.split = 1;
    if (stfi_gpu_shape_bytes(tile, &ahead) + bytes / 32 <= caps->block_bytes)
        *shape = ahead;
}

double stfi_gpu_run_efficiency(double bytes, int store, const stfi_caps *caps)
{
    const stfi_tuning *t = stfi_tuning_of(caps);
    int i = 0;

    while (i + 1 < t->run_rates_count && bytes >= t->run_rates[i + 1].at)
        i++;
    return store ? t->run_rates[i].store : t->run_rates[i].load;
}

double stfi_gpu_column_efficiency(int64_t n, int far, const stfi_caps *caps)
{
    const stfi_tuning *t = stfi_tuning_of(caps);
    const stfi_rate *at = t->column_rates;
    double x = (double)n * t->rates_block_bytes / (double)caps->block_bytes;
    double part;
    int i = 0;

    while (i + 2 < t->column_rates_count && x > at[i + 1].at)
        i++;
    part = fmin(fmax(log2(x / at[i].at), 0.0), 1.0);
    return far ? at[i].load * (1.0 - part) + at[i + 1].load * part
               : at[i].store * (1.0 - part) + at[i + 1].store * part;
}

/* Loads of far columns are faster with two blocks on a multiprocessor, one of
 * which loads while the other computes. Halves take half as many bytes in memory
 * as in a block, so that two blocks with runs of 64 bytes are better than one with
 * runs of 128. */
int stfi_gpu_width(int64_t n, int64_t lanes, int far, const stfi_caps *caps,
                   size_t real_bytes, size_t stored_bytes)
{
    const stfi_tuning *t = stfi_tuning_of(caps);
    int64_t element = 2 * (int64_t)stored_bytes;
    int64_t most = stfi_gpu_block_elements(caps, real_bytes) / n;
    int small = stored_bytes < real_bytes;
    int64_t good = far || small ? most / 2 : most, width = 128 / element;

    while (width > 1 && width > most)
        width /= 2;
    while (width * element > (far ? 16 : small ? 64 : 32) && width > good)
        width /= 2;
    /* For short columns, fill a block: long runs are faster. */
    while (!far && 2 * width <= t->wide_bytes / element
           && 2 * width * n <= t->short_tile)
        width *= 2;
    while (width * element > 32 && lanes / width < caps->units)
        width /= 2;
    return (int)width;
}

/* -------------------------------------------------------------- lengths */

/* Returns a cheap length for a convolution, at least `least`, and its cost. Powers of
 * two are faster than other lengths, by about the weights of the table, but a block
 * that holds both components of a shorter one is faster than several passes. */
static int64_t convolution_length(const stfi_caps *caps, int64_t least,
                                  size_t real_bytes, double *cost_p)
{
    const stfi_tuning *t = stfi_tuning_of(caps);
    const int is_double = stfi_gpu_is_double(real_bytes);
    const double too_long = 4.0;
    int64_t best = 0;

    *cost_p = INFINITY;
    for (int i = 0; i < t->convolutions_count; i++) {
        double weight = t->convolutions[i].weight[is_double], cost;
        int64_t n = t->convolutions[i].odd;
        while (n < least)
            n *= 2;
        cost = (double)n * weight;
        if (2 * n * (int64_t)real_bytes > caps->block_bytes)
            cost *= too_long;
        if (cost < *cost_p) {
            *cost_p = cost;
            best = n;
        }
    }
    return best;
}

/* Returns the cost of Rader's algorithm for n elements in the same unit, INFINITY if it
 * does not apply. The threads of large butterflies are few, for which a multiprocessor
 * with a lane or two would wait: 103 points, once, took 3.5 times as long. */
static double rader_cost(const stfi_caps *caps, int64_t n, double lanes,
                         int is_double)
{
    const stfi_tuning *t = stfi_tuning_of(caps);
    const int may_be_large =
        n >= t->least_rader && lanes >= t->rader_lanes * (double)caps->units;

    for (int i = 0; i < t->raders_count && (i == 0 || may_be_large); i++)
        if (stfi_factor_rader(n, t->raders[i].largest))
            return t->raders[i].weight[is_double] * (double)n;
    return INFINITY;
}

void stfi_gpu_method(int64_t n, double lanes, size_t real_bytes,
                     const stfi_caps *caps, stfi_conv *conv_p, int64_t *tile_p)
{
    const stfi_tuning *t = stfi_tuning_of(caps);
    const int is_double = stfi_gpu_is_double(real_bytes);
    uint64_t largest = stfi_largest_prime((uint64_t)n);
    double cost;

    *conv_p = STFI_CONV_NONE;
    *tile_p = n;
    if ((int64_t)largest <= t->largest_direct[is_double])
        return;
    *conv_p = STFI_CONV_BLUESTEIN;
    *tile_p = convolution_length(caps, 2 * n - 1, real_bytes, &cost);
    if (rader_cost(caps, n, lanes, is_double) < cost) {
        *conv_p = STFI_CONV_RADER;
        *tile_p = n - 1;
    }
}

/* The elements of a block whose threads have the registers for matrix units. */
enum { MATRIX_ELEMENTS = 8192 };

/* A wave has four lanes of eight threads. Rows go through block memory, and columns
 * come ahead; so do those that are stored. Wide tiles of columns have longer runs,
 * of which a multiprocessor holds several. */
int stfi_gpu_shape_direct(const stfi_gpu_tile *tile, const stfi_caps *caps,
                          stfi_gpu_shape *shape_p)
{
    const int rows = tile->run && !tile->load_across;
    const int64_t others = tile->n / STFI_GPU_MATRIX_RADIX;
    int64_t lanes = tile->width > 0 ? tile->width : rows ? 16 : 32;
    stfi_gpu_shape shape = {.nstages = 2,
                            .radix = {STFI_GPU_MATRIX_RADIX, (int)others},
                            .threads = 8,
                            .direct = 1};

    if (caps->wave != 32 || !stfi_gpu_is_even(tile->n) || others < 4
        || others > 32
        || !(rows || (tile->load_across && tile->quads && caps->cluster > 1)))
        return 0;
    while (!rows && others > 16 && lanes > 16)
        lanes /= 2;
    shape.lanes = (int)lanes;
    shape.held = (int)tile->n / shape.threads;
    shape.ahead = !rows;
    shape.staged = rows | (tile->store_run ? 2 : 0)
                   | (tile->store_across && tile->store_quads ? 2 : 0);
    *shape_p = shape;
    return lanes % 4 == 0;
}

/* Radices 16, and as many 8 in front of them as complete the length. */
static int unit_row_radices(int64_t n, int radix[STFI_MAX_STAGES])
{
    int bits = 0, count = 0;

    while (n >> (bits + 1) > 0)
        bits++;
    for (; bits > 0; count++) {
        radix[count] = bits % 4 != 0 ? 8 : 16;
        bits -= bits % 4 != 0 ? 3 : 4;
    }
    return count;
}

/* A lane has a wave at least, and a block two. On an H200, rows of 16384 points take
 * 1.05 of the time of other ones. */
int stfi_gpu_shape_unit_rows(const stfi_gpu_tile *tile, const stfi_caps *caps,
                             stfi_gpu_shape *shape_p)
{
    enum { LEAST = 512, MOST = 8192, LONG = 32768, WAVE = 32, HELD = 64 };
    stfi_gpu_shape shape = {.unit_rows = 1};

    if (caps->wave != WAVE || !stfi_gpu_is_even(tile->n) || tile->axes != NULL
        || !((tile->n >= LEAST && tile->n <= MOST) || tile->n == LONG)
        || 4 * tile->n > caps->block_bytes)
        return 0;
    shape.nstages = unit_row_radices(tile->n, shape.radix);
    shape.held = tile->n < WAVE * HELD ? (int)tile->n / WAVE : HELD;
    shape.threads = (int)tile->n / shape.held;
    shape.lanes = tile->n == LEAST ? 4 : shape.threads == WAVE ? 2 : 1;
    *shape_p = shape;
    return shape.threads * shape.lanes <= caps->max_threads;
}

/* Returns 1 if units compute stages of radix r in lanes of so many threads. These have
 * as many butterflies each. Columns of units have eight elements or more: two
 * butterflies of radix 4, or four of radix 2, all of one thread
 * (backends/gpu/kernels/fft/seats.h). */
static int is_on_units(const stfi_gpu_tile *tile, int r, int threads)
{
    const int least = tile->unit_radix > 0 ? 2 : 8, column = r < 8 ? 8 : r;

    return r >= least && r <= STFI_GPU_MATRIX_RADIX && stfi_gpu_is_even(r)
           && tile->n % column == 0 && tile->n / column % threads == 0;
}

int stfi_gpu_suits_units(const stfi_gpu_tile *tile, const int *radix, int count,
                         int threads)
{
    for (int i = 0; tile->unit_radix > 0 && i < count; i++)
        if (radix[i] % 2 == 0 && !is_on_units(tile, radix[i], threads))
            return 0;
    return 1;
}

/* Units take the butterflies of whole waves. Elements come to them through block
 * memory. */
uint32_t stfi_gpu_shape_matrix(const stfi_gpu_tile *tile, const stfi_caps *caps,
                               const stfi_gpu_shape *shape)
{
    uint32_t stages = 0;

    if (!tile->matrix || shape->nstages < 2
        || shape->threads * shape->lanes % caps->wave != 0
        || shape->threads * shape->lanes * shape->held > MATRIX_ELEMENTS)
        return 0;
    for (int s = 0; s < shape->nstages; s++)
        if (is_on_units(tile, shape->radix[s], shape->threads))
            stages |= (uint32_t)1 << s;
    return stages;
}
