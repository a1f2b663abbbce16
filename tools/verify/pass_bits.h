/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Hashes of what each pass of a transform leaves, by which two machines with
 * the same schedule find the first pass that computes other bits. */
#ifndef STFI_VERIFY_PASS_BITS_H
#define STFI_VERIFY_PASS_BITS_H

#include "tools/command/setup.h"
#include "tools/verify/digest.h"

/* Executes the first pass of the plan, the first two and so on, and notes the
 * hashes of their results with the passes of the digest. Does nothing in
 * place, or if not all transforms go through the passes together. The arrays
 * of the problem, and the last result that was fetched, are overwritten.
 * Errors: MEMORY, DEVICE, COMPILE. */
stf_status stfi_pass_bits_add(stfi_setup *t, stfi_digest *digest);

#endif
