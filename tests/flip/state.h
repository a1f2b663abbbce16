/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The registers of an execution that a signal interrupted: what they hold,
 * which of them an instruction changed, and one bit of one of them flipped.
 * They lie in the signal's frame, from where the system restores them. x86-64
 * Linux. Thread: those of signals; flip_state_begin() before any. */
#ifndef STFI_TESTS_FLIP_STATE_H
#define STFI_TESTS_FLIP_STATE_H

#include <stdint.h>

#if defined(__x86_64__) && defined(__linux__) && !defined(__ILP32__)
#define FLIP_SUPPORTED 1

#include <ucontext.h>

enum {
    FLIP_VECTORS = 32, /* registers zmm0 .. zmm31, or what there is of them */
    FLIP_MASKS = 8,    /* k0 .. k7, which follow them */
    FLIP_SIMD = FLIP_VECTORS + FLIP_MASKS,
    FLIP_VECTOR_BYTES = 64,
    FLIP_MASK_BYTES = 8,
    FLIP_GENERAL = 15 /* all but rsp, without which no handler could run */
};

/* Registers between two instructions. What a processor does not have, or has
 * not touched, is 0. */
typedef struct flip_state {
    uintptr_t pc; /* of the instruction to come */
    unsigned char simd[FLIP_SIMD][FLIP_VECTOR_BYTES];
    uint64_t general[FLIP_GENERAL];
} flip_state;

/* Asks the processor where a frame holds what. */
void flip_state_begin(void);

void flip_state_read(const ucontext_t *context, flip_state *state_p);

/* The SIMD register that differs, if it is one, and the size of a write that
 * explains it: 4, 8, .. 64 bytes of a vector, 1, 2, 4, 8 of a mask; else -1. */
int flip_state_simd_change(const flip_state *before, const flip_state *after,
                           int *bytes_p);

/* A general register that differs, the random one of several; -1: none. */
int flip_state_general_change(const flip_state *before, const flip_state *after,
                              uint64_t random);

/* The bit of the flags that a conditional jump at `code` depends on, a random
 * one of two or three; -1: it is no such jump. */
int flip_state_jump_flag(const unsigned char *code, uint64_t random);

/* These flip one bit; 0: the frame has no such register. */
int flip_simd_bit(ucontext_t *context, int reg, int bit);
int flip_general_bit(ucontext_t *context, int reg, int bit);
int flip_flag_bit(ucontext_t *context, int bit);

/* Single-steps what goes on from this frame: each instruction then raises
 * SIGTRAP. */
void flip_single_step(ucontext_t *context, int on);

/* "v17", "k2"; "r8"; for tables. */
const char *flip_simd_name(int reg);
const char *flip_general_name(int reg);

#endif
#endif
