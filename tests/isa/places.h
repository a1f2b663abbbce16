/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Where block memory and stacks are for pointers of any kind: the upper half of
 * an address says so, the lower half is the place. No array is there, as these
 * are no addresses of a user's process. */
#ifndef STFI_TESTS_ISA_PLACES_H
#define STFI_TESTS_ISA_PLACES_H

#define ISA_SHARED_APERTURE ((uint64_t)0x51000000 << 32)
#define ISA_PRIVATE_APERTURE ((uint64_t)0x52000000 << 32)

/* The last two words of the description of the stack, which tell it from other
 * buffers. */
#define ISA_STACK_MARK 0x57ac0002u

#endif
