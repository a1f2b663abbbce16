/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Left vectors e of checksums: complex numbers of eight bits a component, most
 * of them phases (of length 1), so that every output counts alike.
 *
 * Data do not know e, so the seed of its random numbers is fixed, and a length
 * has one e for ever. Components are numbers that both a bfloat16 and a
 * binary16 hold, so that a kernel reads four bytes for an element. Those of
 * transforms are multiples of 1/64 up to 127/64, so that it may read two.
 * Source: [Govindaraju2008], [TurboFFT]; doc/abft.md. Thread: any. */
#ifndef STFI_WEIGHTS_LEFT_VECTOR_H
#define STFI_WEIGHTS_LEFT_VECTOR_H

#include <stdint.h>

/* The longest e that is optimised, so that no weight inside of a transform of
 * its length gets small (optimise.h). Longer ones are random, of which one
 * weight in a hundred is below 0.1. */
enum { STFI_FT_LONGEST_OPTIMISED = 16384 };

/* 1 if what goes through a tile of so many elements has an optimised e: a
 * product of radices that is short enough. */
int stfi_ft_is_optimised(int64_t tile);

/* e[2 * n]: random phases, made of the numbers from the first on of one
 * sequence. Where an e is asked for, that is 0. */
void stfi_ft_draw(int64_t n, uint64_t first, float *e);
void stfi_ft_random_vector(int64_t n, float *e);

/* A component rounded to the nearest number of eight bits and at most 1, of
 * which both bfloat16 and binary16 hold all. */
float stfi_ft_round_short(float x);

/* A component rounded to the nearest multiple of 1/64 of which a signed byte
 * holds 64 times. bfloat16 and binary16 hold these, too, and sums and
 * differences of two, which sign patterns make. */
float stfi_ft_round_byte(float x);

#endif
