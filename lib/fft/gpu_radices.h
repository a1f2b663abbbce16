/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* All lists of radices for a tile of a GPU, in the order in which its stages run. Pure
 * functions. Thread: any. */
#ifndef STFI_FFT_GPU_RADICES_H
#define STFI_FFT_GPU_RADICES_H

#include "fft/gpu_shape.h"

/* The most stages of a tile, and where units compute those of small radices. */
enum { STFI_GPU_STAGES_MOST = 8, STFI_GPU_STAGES = 13 };

typedef struct stfi_gpu_radices {
    int count;
    int radix[STFI_GPU_STAGES];
    unsigned char axis[STFI_GPU_STAGES]; /* of each stage; as in stfi_axes */
    int largest;
    int sorts;  /* 1: the tile is sorted for the first stage */
    double ops; /* per element */
} stfi_gpu_radices;

/* What is done with them. may_go_on: 1 if lists are worth it whose first `count`
 * radices have so many operations, and multiply to n / rest. take: takes a list. */
typedef struct stfi_gpu_radices_use {
    void *arg;
    int (*may_go_on)(void *arg, double ops, int64_t rest, int count);
    void (*take)(void *arg, const stfi_gpu_radices *r);
} stfi_gpu_radices_use;

/* Tries all products of radices in falling order, for each axis of the tile. A tile of
 * several axes has, in this order, the first radix of the outermost axis, if it has
 * several; those of the axes inside of it; the others of the outermost axis. */
void stfi_gpu_each_radices(const stfi_gpu_tile *tile, const stfi_caps *caps,
                           const stfi_gpu_radices_use *use);

/* Turns a list of radices round. */
void stfi_gpu_radices_reverse(int *radix, int count);

#endif
