/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Loads and stores of compact transforms (cpu_compact.h), whatever is real: of one array,
 * and of an array in each lane. */
#ifndef STFI_CPU_COMPACT_SIDES_H
#define STFI_CPU_COMPACT_SIDES_H

#include "backends/cpu/compact/cpu_compact.h"

/* The elements of a side of one array that has no reals, of rows of half spectra or of
 * whole ones. */
INLINE int64_t spectrum(const stfi_cpu_compact *c)
{
    return c->form == STFI_CPU_COMPLEX ? c->n
                                       : c->n / c->last * (c->last / 2 + 1);
}

/* Loads and stores one array, of reals as columns of two rows each. */
static void take_alone(const stfi_cpu_compact *c, const user *u, planes x)
{
    const int64_t rows = c->n / c->last, pairs = stfi_cpu_row_pairs(rows);

    if (c->form != STFI_CPU_REAL_IN) {
        take_array(u->at, 0, spectrum(c), &x);
        return;
    }
    take_columns(c, u->at, pairs, x.re);
    take_columns(c, u->at + (rows - pairs) * c->pitch, pairs, x.im);
}

static void give_alone(const stfi_cpu_compact *c, planes y, const user *u)
{
    const int64_t rows = c->n / c->last, pairs = stfi_cpu_row_pairs(rows);

    if (c->form != STFI_CPU_REAL_OUT) {
        give_array(&y, u->scale, spectrum(c), u->at, 0);
        return;
    }
    give_columns(c, y.re, pairs, u->scale, u->at);
    give_columns(c, y.im, pairs, u->scale, u->at + (rows - pairs) * c->pitch);
}

/* Loads W arrays, of which `count` exist. */
static void take_all(const stfi_cpu_compact *c, const user *u, int count,
                     planes x)
{
    const int64_t rows = c->n / c->last, pairs = stfi_cpu_row_pairs(rows);

    if (c->form == STFI_CPU_COMPLEX) {
        take_group(u->at, u->step, count, 0, c->n, &x);
    } else if (c->form == STFI_CPU_REAL_OUT) {
        take_half(u, count, spectrum(c), x);
        if (rows == 1) {
            clear_real_elements(x, c->last);
            make_half(x, c->last);
        }
    } else if (rows == 1) {
        take_reals(u, count, c->n, x.re);
        for (int64_t e = 0; e < c->n; e++)
            storeu(x.im + e * W, (V){0});
    } else {
        take_rows(c, u, count, 0, pairs, x.re);
        take_rows(c, u, count, rows - pairs, pairs, x.im);
    }
}

/* Stores them. */
static void give_all(const stfi_cpu_compact *c, planes y, const user *u,
                     int count)
{
    const int64_t rows = c->n / c->last, pairs = stfi_cpu_row_pairs(rows);

    if (c->form == STFI_CPU_COMPLEX) {
        give_group(&y, u->scale, c->n, u->at, u->step, count, 0);
    } else if (c->form == STFI_CPU_REAL_IN) {
        if (rows == 1)
            clear_real_elements(y, c->last);
        give_half(y, u, count, spectrum(c));
    } else if (rows == 1) {
        give_reals(y.re, u, count, c->n);
    } else {
        give_rows(c, y.re, u, count, 0, pairs);
        give_rows(c, y.im, u, count, rows - pairs, pairs);
    }
}

#endif
