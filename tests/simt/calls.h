/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The functions of the machine that a kernel compiled for the host calls. C
 * (machine.c) and C++ (simt_device.h) compilers read this file. A loaded kernel
 * has a variable `simt_machine`, which its loader sets to point to the
 * table. */
#ifndef STFI_TESTS_SIMT_CALLS_H
#define STFI_TESTS_SIMT_CALLS_H

enum { SIMT_SHUFFLE_BYTES = 16 };

/* A thread's part of a product of matrices, as arch/matrix_sm75.h describes it,
 * in `steps` steps: 8, without a[2], a[3] and b[1], or 16. */
typedef struct simt_product {
    unsigned a[4], b[2];
    float d[4]; /* the sums so far; then those with the product */
    unsigned steps;
} simt_product;

typedef struct simt_calls {
    unsigned (*thread_index)(void);
    unsigned (*block_index)(void);
    unsigned (*block_count)(void);
    unsigned char *(*shared_memory)(void);
    void (*block_sync)(void);
    void (*wave_sync)(void);
    /* Barriers like the two above; they return 1 if `one` is 1 in any of the
     * waiting threads. */
    int (*block_any)(int one);
    int (*wave_any)(int one);
    /* *value becomes that of lane `lane`; bytes <= SIMT_SHUFFLE_BYTES */
    void (*shuffle)(void *value, unsigned bytes, unsigned lane);
    /* the same, but the lane is one's own number xor mask */
    void (*shuffle_xor)(void *value, unsigned bytes, unsigned mask);
    /* all threads of a wave at once */
    void (*multiply)(simt_product *product);
    /* the bits of halves */
    unsigned (*to_f16)(float v);
    float (*from_f16)(unsigned half);
} simt_calls;

#endif
