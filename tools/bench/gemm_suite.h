/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Suites of matrix products, what their groups cost in the mean, and what others
 * published for the same shapes. */
#ifndef STFI_BENCH_GEMM_SUITE_H
#define STFI_BENCH_GEMM_SUITE_H

#include <stdio.h>

#include "tools/command/protections.h"

/* Returns 1 if a suite, or a part of one, has this name. */
int stfi_gemm_suite_is(const char *name);

/* Writes the word of product i of a suite; *group_p is that of its group.
 * Returns 0 past the end. */
int stfi_gemm_suite_word(const char *name, int i, char *word, size_t capacity,
                         const char **group_p);

/* Logarithms of ratios, added up by group and kind of protection. */
typedef struct stfi_gemm_means {
    struct {
        const char *group;
        char ft[24];
        int products, beside_peer;
        double cost, peer;
    } row[64];
    int rows;
} stfi_gemm_means;

/* Adds a product: its time relative to that without protection, and the peer's
 * time relative to it (0: there is none). */
void stfi_gemm_means_add(stfi_gemm_means *m, const char *group, const char *ft,
                         double cost, double peer);

/* Prints the means of each group, and what is quoted beside them. */
void stfi_gemm_means_print(const stfi_gemm_means *m, FILE *file);

#endif
