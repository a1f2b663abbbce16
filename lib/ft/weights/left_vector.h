/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Left vectors e of checksums: complex numbers with components of eight bits.
 * Most of them are phases (of length 1), so that every output counts alike.
 *
 * Input data do not depend on e, so random numbers from a fixed seed suffice:
 * each length always has the same e. Both bfloat16 and binary16 hold every
 * component exactly, so a kernel can read an element as four bytes. Components
 * for transforms are multiples of 1/64 up to 127/64, so a kernel can read an
 * element as two bytes. Source: [Govindaraju2008], [TurboFFT]; doc/abft.md.
 * Thread: any. */
#ifndef STFI_WEIGHTS_LEFT_VECTOR_H
#define STFI_WEIGHTS_LEFT_VECTOR_H

#include <stdint.h>

/* The longest e that is optimised, so that no weight inside a transform of its
 * length is small (optimise.h). A longer e is random; one in a hundred of its
 * weights is below 0.1. */
enum { STFI_FT_LONGEST_OPTIMISED = 16384 };

/* Returns 1 if passes over tiles of so many elements have an optimised e: the
 * number is short enough and a product of radices. */
int stfi_ft_is_optimised(int64_t tile);

/* Fills e[2 * n] with random phases, made of the numbers from number `first` on
 * of one random sequence. stfi_ft_random_vector() is the same with first = 0; a
 * random e is always this one. */
void stfi_ft_draw(int64_t n, uint64_t first, float *e);
void stfi_ft_random_vector(int64_t n, float *e);

/* Rounds a component, of magnitude 1 at most, to the nearest number of eight
 * bits; both bfloat16 and binary16 hold all of these. */
float stfi_ft_round_short(float x);

/* Rounds a component to the nearest multiple of 1/64 of which a signed byte
 * holds the 64-fold. bfloat16 and binary16 hold these numbers exactly, and also
 * the sums and differences of two that sign patterns make. */
float stfi_ft_round_byte(float x);

#endif
