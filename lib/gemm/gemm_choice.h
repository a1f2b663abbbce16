/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What may be decided otherwise than by the model in a matrix product: on a GPU the
 * tile, the parts of k, and how the sums are made that checks expect; on the CPU the
 * sizes of tiles and blocks. As text:
 *     tile=0:128x64:8x8 parts=4
 *     rows=480 depth=512
 * where a tile is unit:MxN:MxN, as in gemm_tiles.def. What is not decided is the
 * model's choice, all of it: "model". A choice may come from anywhere; it is used only
 * if it is possible. Pure functions. */
#ifndef STFI_GEMM_GEMM_CHOICE_H
#define STFI_GEMM_GEMM_CHOICE_H

#include <stdint.h>

enum { STFI_GEMM_CHOICE_TEXT = 200 }; /* bytes of a text, the NUL included */

/* All zero: the model's choice. */
typedef struct stfi_gemm_choice {
    /* Of a GPU's tile; m is 0: the model's. */
    int64_t unit, m, n, thread_m, thread_n;
    int64_t parts; /* of k; 0: the model's */
    int64_t
        apart; /* 1: a product of its own makes the sums that checks expect */
    int64_t beside; /* 1: none does */
    /* Of the CPU; 0: the model's. */
    int64_t rows, cols;   /* of a tile of C, at most */
    int64_t block, depth; /* rows and columns of a block of A */
} stfi_gemm_choice;

/* Reads a text. Returns 0 if it is none. */
int stfi_gemm_choice_parse(const char *text, stfi_gemm_choice *choice_p);

/* Prints the text, which always fits. */
void stfi_gemm_choice_print(const stfi_gemm_choice *choice,
                            char text[STFI_GEMM_CHOICE_TEXT]);

#endif
