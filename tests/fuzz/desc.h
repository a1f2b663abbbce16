/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Descriptors from bytes. */
#ifndef STFI_FUZZ_DESC_H
#define STFI_FUZZ_DESC_H

#include "steadfast.h"
#include "tests/fuzz/fuzz.h"

/* Makes a descriptor. Most are valid; lengths are mostly small, and any field
 * may hold any number. */
void fuzz_desc(fuzz_bytes *b, stf_fft_desc *d_p);

/* Makes a valid descriptor of at most `most` elements in all, or
 * `most_protected` if it is protected, whose strides leave gaps, turn axes round
 * or exchange them. Returns 1 if it is to be executed in place. */
int fuzz_small_desc(fuzz_bytes *b, int64_t most, int64_t most_protected,
                    stf_fft_desc *d_p);

#endif
