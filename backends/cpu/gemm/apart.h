/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What keeps the compiler from doing once what is to be done twice, so that one soft
 * error does not have the same effect on both. */
#ifndef STFI_CPU_GEMM_APART_H
#define STFI_CPU_GEMM_APART_H

/* What was read before has to be read again. */
#define FORGET() __asm__ volatile("" : : : "memory")

/* A count or pointer is not known to be the same as another one. In a loop and behind
 * it, this keeps the count from being computed otherwise, and its condition from being
 * taken for true. */
#define SEPARATE(x) __asm__("" : "+r"(x))

#endif
