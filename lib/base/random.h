/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Random bits; a seed gives the same ones on every machine. */
#ifndef STFI_BASE_RANDOM_H
#define STFI_BASE_RANDOM_H

#include <stdint.h>

/* What a draw adds to the state: number i of a seed is drawn after (i + 1)
 * steps. */
#define STFI_RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

/* splitmix64. Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable
 * pseudorandom number generators", OOPSLA 2014. Thread: any. */
static inline uint64_t stfi_random_u64(uint64_t *state)
{
    uint64_t z = *state += STFI_RANDOM_STEP;

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
