/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Whether an execution out of place has left its input as it was. A store to a
 * wrong address may hit the input before it is read; then results agree with
 * the input that is there now, and no checksum of these can tell. The bits of
 * the input are therefore added up before and after the execution. That takes
 * little time as long as the input stays in a cache; longer inputs are left out. */
#ifndef STFI_RUN_END_TO_END_INPUT_BITS_H
#define STFI_RUN_END_TO_END_INPUT_BITS_H

#include "ft/sums.h"

/* 1 if the input of `batch` transforms, with components of so many bytes, is
 * short enough. */
int stfi_e2e_keeps_bits(const stfi_ft_side *in, int64_t component,
                        int64_t batch);

/* Returns the sum of the bits of all inputs, which are `dist` bytes apart. Each
 * sum is made until it comes out the same twice. */
uint64_t stfi_e2e_input_bits(const stfi_ft_side *in, int64_t component,
                             int64_t dist, int64_t batch, const void *x);

#endif
