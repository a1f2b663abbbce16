/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What parts of a pass cost, and how many lanes a block has; see gpu_shape_cost.h. */
#include "fft/gpu_shape_cost.h"
#include "fft/gpu/residency.h"

#include <math.h>

/* Returns 1 for rows of real transforms, whose spectra are put together in
 * block memory. Rows of two signals are like complex ones. */
int stfi_gpu_is_spectrum(const stfi_gpu_tile *tile, int lanes)
{
    return tile->whole && tile->extra && !tile->conv && lanes == 1;
}

int stfi_gpu_has_short_reals(const stfi_tuning *t, const stfi_gpu_tile *tile)
{
    const int spectra =
        tile->n <= t->short_spectra[stfi_gpu_is_double(tile->real_bytes)];

    return ((tile->one_real && tile->n <= t->short_reals)
            || (tile->whole && spectra))
           && tile->axes == NULL && !tile->conv && !tile->orders
           && !tile->load_across && !tile->store_across
           && tile->stored_bytes >= 4;
}

double stfi_gpu_short_real_cost(const stfi_gpu_tile *tile,
                                const stfi_caps *caps, int stages, int threads,
                                int held, double idle)
{
    const stfi_tuning *t = stfi_tuning_of(caps);
    const int few = held < 6 ? 6 - held : 0, many = held > 16 ? held - 16 : 0;
    const double *twice =
        tile->reals ? t->short_real_loads : t->short_real_stores;

    return t->short_real_exchange * stages + t->short_real_idle * idle
           + twice[stfi_gpu_is_double(tile->real_bytes)] * log2(threads)
           + t->short_real_few * few + t->short_real_many * many
           + (caps->wave % threads != 0 ? t->short_real_wave : 0.0);
}

double stfi_gpu_reals_factor(const stfi_tuning *t, const stfi_gpu_tile *tile,
                             int lanes, int stages, int held)
{
    const int wide = stfi_gpu_is_double(tile->real_bytes);
    const int spectrum = stfi_gpu_is_spectrum(tile, lanes);
    double cost = 1.0;

    if (spectrum && held * (int)tile->real_bytes > 64)
        cost *= t->whole_cost;
    if (spectrum && tile->checked && held > t->whole_checked_held[wide])
        cost *= t->whole_checked_cost;
    if ((spectrum || tile->one_real) && !tile->orders)
        cost *= 1.0 + t->reals_stage_cost[wide] * (stages - 1);
    return cost;
}

/* Returns the factor of exchanges for checks: of rows that are no powers of two. */
static double checked_factor(const stfi_tuning *t, const stfi_gpu_tile *tile,
                             int lanes)
{
    const int is_row = lanes == 1 && tile->axes == NULL && !tile->conv
                       && tile->stored_bytes >= 4;

    return tile->checked && is_row && !stfi_gpu_is_even(tile->n)
               ? t->checked_exchange[stfi_gpu_is_double(tile->real_bytes)]
               : 1.0;
}

/* Returns the cost of an exchange. Threads that meet at a barrier wait for
 * the last of them. Lengths that are no powers of two take more instructions
 * per thread; with many threads, some have instructions to run while others
 * wait. */
double stfi_gpu_exchange_cost(const stfi_tuning *t, const stfi_gpu_tile *tile,
                              int lanes, int threads)
{
    return stfi_gpu_is_even(tile->n)
               ? t->exchange_even + threads / t->exchange_even_threads
               : (t->exchange_other + threads / t->exchange_other_threads)
                     * checked_factor(t, tile, lanes);
}

/* Returns 1 for rows of halves that are long enough for threads with many elements.
 * With these they need fewer exchanges, but leave few registers for checks. */
static int has_long_half_rows(const stfi_tuning *t, const stfi_gpu_tile *tile)
{
    return tile->run && tile->n >= t->held_short
           && (!tile->checked
               || (stfi_gpu_is_even(tile->n)
                   && tile->n <= t->f16_checked_long));
}

static int is_conv_row(const stfi_gpu_tile *tile)
{
    return tile->conv && !tile->load_across && !tile->store_across
           && tile->stored_bytes >= 4;
}

/* Returns the elements per thread beyond which too few threads fit a
 * multiprocessor to hide the latency of memory. Threads of short rows hold few
 * in any case. */
int stfi_gpu_held_good(const stfi_tuning *t, const stfi_gpu_tile *tile)
{
    int64_t n = tile->n, least = tile->real_bytes > 4 ? 2 : 4;

    if (tile->matrix && n >= STFI_GPU_MATRIX_RADIX * STFI_GPU_MATRIX_RADIX)
        return STFI_GPU_MATRIX_RADIX;
    /* For columns that are far apart, the loads of each thread keep memory
     * busy; fewer threads wait less for each other. */
    if (tile->far && n >= t->long_column && stfi_gpu_is_even(n))
        return t->held_good_far[stfi_gpu_is_double(tile->real_bytes)];
    if (n >= 24 && is_conv_row(tile))
        return t->conv_held_good;
    if (n >= 24 && (tile->real_bytes == 4 || tile->conv))
        return tile->stored_bytes >= 4       ? 8
               : has_long_half_rows(t, tile) ? t->f16_held_good_long
                                             : t->f16_held_good;
    if (tile->real_bytes == 4 && n < 16 && n / 2 > least)
        return (int)(n / 2);
    return n >= 64 ? 8 : n / 8 > least ? (int)(n / 8) : (int)least;
}

/* Returns the cost factor for each element beyond stfi_gpu_held_good(). Long rows and
 * wide columns fill a multiprocessor with few threads in any case. */
double stfi_gpu_held_cost(const stfi_tuning *t, const stfi_gpu_tile *tile,
                          int lanes)
{
    int even = stfi_gpu_is_even(tile->n);

    if (lanes > 1)
        return even ? t->held_columns_even : t->held_columns_other;
    if (is_conv_row(tile))
        return t->held_conv_rows;
    if (tile->n < t->held_short || tile->conv)
        return t->held_short_rows;
    return even ? t->held_rows_even
                : t->held_rows_other[stfi_gpu_is_double(tile->real_bytes)];
}

/* Returns the bytes of a row that neighbouring threads access at once. */
int64_t stfi_gpu_run_bytes(const stfi_gpu_tile *tile, int64_t threads)
{
    return threads * 2 * (int64_t)tile->stored_bytes;
}

int stfi_gpu_is_half_conv(const stfi_gpu_tile *tile, const stfi_caps *caps,
                          int64_t width)
{
    const int least = stfi_tuning_of(caps)->checked_conv_run_bytes;

    return width > 1 && tile->conv && tile->checked && tile->load_across
           && tile->store_across && stfi_gpu_run_bytes(tile, width) >= least
           && !stfi_gpu_has_more_registers(caps);
}

/* Returns 1 if a side needs one access for each row, which is part of a run. */
static int is_one_access(const stfi_gpu_tile *tile, int threads, int run)
{
    return run
           && stfi_gpu_shape_one_access(tile->n, threads, tile->real_bytes,
                                        tile->stored_bytes);
}

/* Returns the bytes of a run below which it goes through block memory. */
static int64_t staged_bytes(const stfi_tuning *t, const stfi_gpu_tile *tile)
{
    if (tile->stored_bytes >= 4)
        return t->staged_bytes[stfi_gpu_is_double(tile->real_bytes)];
    return tile->checked && has_long_half_rows(t, tile)
               ? t->f16_checked_staged_bytes
               : t->f16_staged_bytes[tile->checked];
}

/* Returns 1 if rows go through block memory on this side, which pays if
 * neighbouring threads access less than a line of memory. Elements of 16 bytes
 * can as well be moved one by one. */
int stfi_gpu_is_staged(const stfi_tuning *t, const stfi_gpu_tile *tile,
                       int threads, int across, int run)
{
    return !across && !tile->far && tile->n > 1
           && !is_one_access(tile, threads, run)
           && stfi_gpu_run_bytes(tile, threads) < staged_bytes(t, tile);
}

int stfi_gpu_has_packs(const stfi_tuning *t, const stfi_gpu_tile *tile,
                       int threads)
{
    const int64_t access = threads * (int64_t)tile->stored_bytes;

    return tile->grain > 1
           && ((tile->halves && access < t->staged_bytes[0])
               || stfi_gpu_is_staged(t, tile, threads, tile->load_across,
                                     tile->run)
               || stfi_gpu_is_staged(t, tile, threads, tile->store_across,
                                     tile->store_run));
}

/* Returns 1 for rows of halves that go through block memory as they are, of which a
 * thread can take its own without conflicts of banks. */
int stfi_gpu_has_half_rows(const stfi_gpu_tile *tile)
{
    return tile->stored_bytes < tile->real_bytes && tile->n % 4 == 0
           && tile->run && tile->store_run;
}

/* Returns what a side costs more than a row that is moved line by line. */
double stfi_gpu_side_cost(const stfi_tuning *t, const stfi_gpu_tile *tile,
                          int threads, int across, int run)
{
    double bytes = (double)stfi_gpu_run_bytes(tile, threads);

    if (across || is_one_access(tile, threads, run))
        return 0.0;
    if (stfi_gpu_is_staged(t, tile, threads, across, run))
        return t->staging_cost;
    /* Runs that may begin anywhere in a line touch one line more. */
    return bytes < 128.0
               ? (stfi_gpu_is_even(tile->n) ? t->runs_even : t->runs_other)
                     * (128.0 / bytes - 1.0)
               : 0.0;
}

/* ------------------------------------------------------- lanes of a block */

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Returns the fraction of the waves' threads that `threads` threads fill. */
static double wave_use(int threads, int wave)
{
    return (double)threads / ((threads + wave - 1) / wave * wave);
}

/* Returns 1 if `lanes` rows fill their waves clearly better than `best`. */
static int fills_better(const stfi_caps *caps, int threads, int lanes, int best)
{
    return wave_use(lanes * threads, caps->wave)
           > wave_use(best * threads, caps->wave)
                 + stfi_tuning_of(caps)->wave_gain;
}

/* Returns the rows of a block: about as few as fill its waves, and have no part of 16
 * bytes in common with those of other blocks. Rows whose spectra are put together in
 * block memory run better with twice as many threads. */
static int row_lanes(const stfi_gpu_tile *tile, int threads,
                     const stfi_caps *caps)
{
    const stfi_tuning *t = stfi_tuning_of(caps);
    int good =
        stfi_gpu_is_spectrum(tile, 1) ? 2 * t->block_threads : t->block_threads;
    int by_threads = (int)ceil_div(good, threads);
    int by_elements = (int)ceil_div(t->block_elements, tile->n);
    int grain = stfi_gpu_has_packs(t, tile, threads) ? (int)tile->grain : 1;
    int best = by_threads > by_elements ? by_threads : by_elements, least;

    best = (int)ceil_div(best, grain) * grain;
    least = best - best / 4;
    for (int lanes = best + grain; lanes * threads <= t->most_threads;
         lanes += grain)
        if (fills_better(caps, threads, lanes, best))
            best = lanes;
    for (int lanes = best - grain; lanes >= least; lanes -= grain)
        if (fills_better(caps, threads, lanes, best))
            best = lanes;
    return best;
}

/* Returns the lanes, or a few more if these fill waves: units take whole waves. */
static int fill_waves(const stfi_caps *caps, int threads, int lanes)
{
    int more = lanes;

    while (more * threads % caps->wave != 0)
        more++;
    return more * threads <= caps->max_threads ? more : lanes;
}

int stfi_gpu_block_lanes(const stfi_gpu_tile *tile, const stfi_caps *caps,
                         int threads, int least)
{
    const stfi_tuning *t = stfi_tuning_of(caps);
    int fewest = t->least_threads > caps->wave ? t->least_threads : caps->wave;
    int lanes = least;

    if (least == 1)
        lanes = row_lanes(tile, threads, caps);
    while (lanes * threads < t->block_threads)
        lanes *= 2;
    while (lanes > least && lanes / 2 * threads >= fewest
           && tile->lanes / lanes < caps->units)
        lanes /= 2;
    if (least == 1 && tile->lanes > 0 && tile->lanes < lanes
        && !stfi_gpu_has_more_registers(caps))
        lanes = (int)tile->lanes;
    return tile->unit_radix > 0 ? fill_waves(caps, threads, lanes) : lanes;
}
