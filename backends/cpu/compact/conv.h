/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Kernels of compact convolutions (cpu_conv.h); included by compact.h. What is inverse
 * is the forward transform with the parts of all elements exchanged, and so is the
 * second transform of a convolution. */
#ifndef STFI_COMPACT_CONV_H
#define STFI_COMPACT_CONV_H

#include "backends/cpu/compact/cpu_conv.h"

/* Elements [i, i + W) of a table of two planes of n elements. */
INLINE C conv_table(const void *table, int64_t n, int64_t i)
{
    const real *re = table;

    return (C){loadu(re + i), loadu(re + n + W + i)};
}

INLINE C conv_load(planes x, int64_t i)
{
    return (C){loadu(x.re + i), loadu(x.im + i)};
}

INLINE void conv_store(planes x, int64_t i, C v)
{
    storeu(x.re + i, v.r);
    storeu(x.im + i, v.i);
}

INLINE C conv_exchanged(C v, int exchange)
{
    return exchange ? (C){v.i, v.r} : v;
}

/* The first of W elements of n, the last of which may be there twice. */
INLINE int64_t conv_at(int64_t i, int64_t n)
{
    return i + W <= n ? i : n - W;
}

static void enter_bluestein(const stfi_cpu_conv *v, const user *u, planes x)
{
    for (int64_t i = 0; i < v->n; i += W) {
        const int64_t at = conv_at(i, v->n);
        C y;
        load_complex(u->at + 2 * at, STFI_REAL_ID, &y.r, &y.i);
        conv_store(x, at,
                   c_mul(conv_exchanged(y, u->inverse),
                         conv_table(v->chirp, v->n, at)));
    }
    for (int64_t i = v->n; i < v->m; i += W)
        conv_store(x, i, (C){{0}, {0}});
}

static void leave_bluestein(const stfi_cpu_conv *v, planes y, const user *u)
{
    for (int64_t i = 0; i < v->n; i += W) {
        const int64_t at = conv_at(i, v->n);
        const C z = c_times(
            c_mul(conv_load(y, at), conv_table(v->chirp, v->n, at)), u->scale);
        const C w = conv_exchanged(z, u->inverse);
        store_complex(u->at + 2 * at, STFI_REAL_ID, w.r, w.i);
    }
}

static void enter_rader(const stfi_cpu_conv *v, const user *u, planes x)
{
    for (int64_t q = 0; q < v->m; q++) {
        const stored *from = u->at + 2 * (int64_t)v->load[q];
        x.re[q] = from[u->inverse];
        x.im[q] = from[!u->inverse];
    }
}

/* Stores output element 0, the sum of all, and the others, at whose places are the
 * results of the convolution. */
static void leave_rader(const stfi_cpu_conv *v, planes y, const real all[2],
                        const user *u)
{
    const V zero = v_times((V){0} + all[u->inverse], u->scale);
    const V other = v_times((V){0} + all[!u->inverse], u->scale);

    for (int64_t i = 0; i < v->m; i += W)
        conv_store(y, i, c_times(conv_load(y, i), u->scale));
    for (int64_t q = 0; q < v->m; q++) {
        stored *to = u->at + 2 * (int64_t)v->store[q];
        to[u->inverse] = y.re[q];
        to[!u->inverse] = y.im[q];
    }
    u->at[0] = zero[0];
    u->at[1] = other[0];
}

static void multiply_kernel(const stfi_cpu_conv *v, planes x)
{
    for (int64_t i = 0; i < v->m; i += W)
        conv_store(x, i,
                   c_mul(conv_load(x, i), conv_table(v->product, v->m, i)));
}

/* Transforms one array. */
static void run_conv(const stfi_cpu_compact *c, real *scratch, const user *from,
                     const user *to)
{
    const stfi_cpu_conv *v = c->conv;
    const planes x = take_planes(c, scratch, 0, 0);
    const planes mid = take_planes(c, scratch, c->nsteps % 2, 0);
    real first[2] = {from->at[from->inverse], from->at[!from->inverse]}, all[2];

    clear_ends(c, v->m, scratch);
    if (v->load != NULL)
        enter_rader(v, from, x);
    else
        enter_bluestein(v, from, x);
    run_steps(c, scratch, 0, 0, 0);
    all[0] = first[0] + mid.re[0];
    all[1] = first[1] + mid.im[0];
    multiply_kernel(v, mid);
    if (v->load != NULL) {
        mid.re[0] += first[0];
        mid.im[0] += first[1];
    }
    run_steps(c, scratch, c->nsteps, 1, 0);
    if (v->load != NULL)
        leave_rader(v, x, all, to);
    else
        leave_bluestein(v, x, to);
}

#endif
