/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a kernel compiled for the host asks of the machine that runs it. Read
 * by C (machine.c) and C++ (simt_device.h) compilers alike. A loaded kernel
 * has a variable `simt_machine` that its loader points to the table. */
#ifndef STFI_TESTS_SIMT_CALLS_H
#define STFI_TESTS_SIMT_CALLS_H

enum { SIMT_SHUFFLE_BYTES = 16 };

typedef struct simt_calls {
    unsigned (*thread_index)(void);
    unsigned (*block_index)(void);
    unsigned (*block_count)(void);
    unsigned char *(*shared_memory)(void);
    void (*block_sync)(void);
    void (*wave_sync)(void);
    /* Barriers as the two above, which return 1 if `one` is 1 in any of the
       threads that wait. */
    int (*block_any)(int one);
    int (*wave_any)(int one);
    /* *value becomes that of the lane; bytes <= SIMT_SHUFFLE_BYTES */
    void (*shuffle)(void *value, unsigned bytes, unsigned lane);
    /* the same, of the lane whose number differs by the bits of mask */
    void (*shuffle_xor)(void *value, unsigned bytes, unsigned mask);
} simt_calls;

#endif
