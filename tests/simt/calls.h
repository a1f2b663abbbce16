/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The functions of the machine that a kernel compiled for the host calls. C
 * (machine.c) and C++ (simt_device.h) compilers read this file. A loaded kernel
 * has a variable `simt_machine`, which its loader sets to point to the
 * table. */
#ifndef STFI_TESTS_SIMT_CALLS_H
#define STFI_TESTS_SIMT_CALLS_H

enum { SIMT_SHUFFLE_BYTES = 16 };

/* What matrix units take of a thread (arch/units_sm75.h, and the first half of `a` in
 * arch/units_gfx90a.h), and its types. */
enum { SIMT_F16, SIMT_BF16 };
typedef struct simt_operands {
    unsigned a[4], b[2];
} simt_operands;

typedef struct simt_calls {
    unsigned (*thread_index)(void);
    unsigned (*block_index)(void);
    unsigned (*block_index_anew)(void);
    unsigned (*block_count)(void);
    unsigned char *(*shared_memory)(void);
    /* The thread waits for the launch before this one; it reads or writes what
     * that may have written, or may still read. */
    void (*wait_for_previous)(void);
    void (*reach_memory)(void);
    void (*block_sync)(void);
    void (*wave_sync)(void);
    /* Barriers like the two above; they return 1 if `one` is 1 in any of the
     * waiting threads. */
    int (*block_any)(int one);
    int (*wave_any)(int one);
    /* A barrier; returns 1 if no thread of the block has ended. */
    int (*block_is_whole)(void);
    /* *value becomes that of lane `lane`; bytes <= SIMT_SHUFFLE_BYTES */
    void (*shuffle)(void *value, unsigned bytes, unsigned lane);
    /* the same, but the lane is one's own number xor mask */
    void (*shuffle_xor)(void *value, unsigned bytes, unsigned mask);
    /* Matrix units (unit.h); steps is 8 or 16. */
    void (*half_multiply)(int type, int steps, float *c,
                          const simt_operands *own);
    void (*wave_multiply)(int type, float *c, const simt_operands *own);
    void (*load_matrices)(unsigned *word, const void *row, int transposed);
    /* Returns c and the sum of x[k] y[k], as a unit adds them up. */
    float (*half_sum)(int type, int steps, float c, const unsigned short *x,
                      const unsigned short *y);
} simt_calls;

#endif
