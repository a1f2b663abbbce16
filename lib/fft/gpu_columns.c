/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What fits a GPU's thread block, how wide its tiles of columns should be, and
 * what part of the copy bandwidth they reach; see gpu_shape.h. */
#include <math.h>

#include "fft/gpu_shape.h"

/* Elements that the threads of a full block hold. */
static int held_full(size_t real_bytes)
{
    return real_bytes > 4 ? 8 : 16;
}

/* Block memory of the device that efficiencies were measured on. */
static const double H200_BLOCK_BYTES = 232448.0;

int64_t stfi_gpu_block_elements(const stfi_caps *caps, size_t real_bytes)
{
    int64_t registers = (int64_t)caps->max_threads * held_full(real_bytes);
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

double stfi_gpu_run_efficiency(double bytes, int store)
{
    static const double at[][3] = {{8, 0.15, 0.07},   {16, 0.35, 0.14},
                                   {32, 0.60, 0.64},  {64, 0.75, 0.80},
                                   {128, 0.92, 0.92}, {256, 0.95, 0.96},
                                   {1024, 0.97, 0.97}};
    size_t count = sizeof at / sizeof *at, i = 0;

    while (i + 1 < count && bytes >= at[i + 1][0])
        i++;
    return at[i][store ? 2 : 1];
}

double stfi_gpu_column_efficiency(int64_t n, int far, const stfi_caps *caps)
{
    static const double at[][3] = {{256, 0.97, 0.98},  {512, 0.91, 0.955},
                                   {1024, 0.79, 0.92}, {2048, 0.66, 0.83},
                                   {4096, 0.50, 0.78}, {8192, 0.45, 0.26}};
    size_t rows = sizeof at / sizeof *at, i = 0;
    double x = (double)n * H200_BLOCK_BYTES / (double)caps->block_bytes, part;

    while (i + 2 < rows && x > at[i + 1][0])
        i++;
    part = fmin(fmax(log2(x / at[i][0]), 0.0), 1.0);
    return at[i][far ? 1 : 2] * (1.0 - part) + at[i + 1][far ? 1 : 2] * part;
}

/* Loads of far columns want two blocks on a multiprocessor, one of which
 * loads while the other computes. */
int stfi_gpu_width(int64_t n, int64_t lanes, int far, const stfi_caps *caps,
                   size_t real_bytes)
{
    int64_t element = 2 * (int64_t)real_bytes;
    int64_t most = stfi_gpu_block_elements(caps, real_bytes) / n;
    int64_t good = far ? most / 2 : most, width = 128 / element;

    while (width > 1 && width > most)
        width /= 2;
    while (width * element > (far ? 16 : 32) && width > good)
        width /= 2;
    /* Short columns: fill a block; long runs are the better ones. */
    while (!far && 2 * width <= 256 / element * 2 && 2 * width * n <= 4096)
        width *= 2;
    while (width * element > 32 && lanes / width < caps->units)
        width /= 2;
    return (int)width;
}
