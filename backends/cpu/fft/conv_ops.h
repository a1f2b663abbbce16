/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Convolutions within a tile: those of Rader's and Bluestein's algorithms, and
 * the pass in the middle of a spread convolution. */
#ifndef STFI_FFT_CONV_OPS_H
#define STFI_FFT_CONV_OPS_H

#include "backends/cpu/protect/finish.h"

/* Where the tile's elements are in the table of the convolution's kernel: lane
 * l has entry index[l] + k * elem at element k. */
typedef struct kernel_walk {
    const int64_t *index;
    int64_t zero[W], elem;
    int step;
} kernel_walk;

static void kernel_start(const tile *t, kernel_walk *w)
{
    int spread = t->cp->p.conv == STFI_CONV_SPREAD;

    memset(w->zero, 0, sizeof w->zero);
    w->index = spread ? t->work.out.index : w->zero;
    w->elem = spread ? t->cp->p.store.index.elem : 1;
    w->step = spread ? index_step(t->work.out.index, t->count) : 0;
}

INLINE C kernel_at(const tile *t, const kernel_walk *w, int64_t k)
{
    return table_at(t->cp->product, w->index, t->count, w->step, k * w->elem);
}

/* The pass of a spread convolution has two residuals. The first one is from the
 * input to the spectrum v and ends here. The second one begins with (row p) v
 * for the product p v with the kernel's spectrum p; its row is read backwards,
 * since an inverse transform follows. */
static void weigh_product(const tile *t)
{
    probe *k = t->probe;
    const stfi_cpu_pass *cp = t->cp;
    int64_t n = cp->p.n;
    kernel_walk at;
    V power = {0};
    parts p = {.part = {(V){0}}};

    probe_store(k, 0, n, t->data, cp->pos);
    probe_take(k, FOLD_COMPLEX, sums_take(&k->out, FOLD_COMPLEX, k->ro != 0));
    kernel_start(t, &at);
    for (int64_t i = 0; i < n; i++) {
        const real *d = place(t->data, cp->pos, i);
        const sum *row = k->row + 2 * (n - i);
        C w = kernel_at(t, &at, i);
        power = add_power(power, c_mul(c_load(d, k->ro, k->io), w));
        add_product(p.part, c_load(d, 0, W), c_mul1(w, row[0], row[1]));
        if ((i + 1) % BLOCK == 0)
            parts_move(&p, &k->in);
    }
    parts_move(&p, &k->in);
    k->in.power = power;
}

static void multiply_table(const tile *t, int ro, int io)
{
    kernel_walk at;

    kernel_start(t, &at);
    for (int64_t k = 0; k < t->cp->p.n; k++) {
        real *d = place(t->data, t->cp->pos, k);
        C w = kernel_at(t, &at, k);
        c_store(d, ro, io, c_mul(c_load(d, ro, io), w));
    }
}

/* Transforms, multiplies by the kernel's spectrum, and transforms back. Input
 * and output are in natural order. */
static void convolve(const tile *t, int ro, int io)
{
    const stfi_cpu_pass *cp = t->cp;
    int n = cp->p.nstages;

    run_stages_back(t, ro, io);
    if (t->probe != NULL && cp->p.conv == STFI_CONV_SPREAD)
        weigh_product(t);
    multiply_table(t, ro, io);
    if (t->probe != NULL && cp->p.conv == STFI_CONV_SPREAD)
        probe_measure(t->probe, t->data, NULL, cp->p.n, 1);
    strike(t, n, 0, cp->p.n, t->data, cp->pos);
    run_stages(t, n, 0, n, io, ro);
}

/* A transform of a prime length n + 1 as a cyclic convolution of n points.
 * Input element 0 is kept at place n and is added to every output through the
 * zero frequency. Source: Rader, Proc. IEEE 56 (1968). */
static void make_rader(tile *t)
{
    const stfi_cpu_pass *cp = t->cp;
    int64_t n = cp->p.n;
    int ro = cp->p.inverse ? t->io : t->ro;
    int io = cp->p.inverse ? t->ro : t->io;
    int stages_n = cp->p.nstages;
    C first, all;

    weigh_source(t, 0, n + 1);
    load_segment(t, 0, n + 1, t->data, cp->load_pos);
    run_stages_back(t, ro, io);
    first = c_load(t->data + n * ELEM, ro, io);
    all = c_load(t->data, ro, io);
    multiply_table(t, ro, io);
    c_store(t->data, ro, io, c_add(c_load(t->data, ro, io), first));
    c_store(t->data + n * ELEM, ro, io, c_add(first, all));
    strike(t, stages_n, 0, n, t->data, cp->pos);
    run_stages(t, stages_n, 0, stages_n, io, ro);
    strike_results(t);
    finish(t, n + 1, cp->store_pos);
}

static void put_rader(tile *t)
{
    put_segment(t, 0, t->cp->p.n + 1, t->data, t->cp->store_pos);
}

static void multiply_chirp(const tile *t, int ro, int io)
{
    const real *w = t->cp->chirp;
    for (int64_t j = 0; j < t->cp->p.signal; j++) {
        real *d = t->data + j * ELEM;
        c_store(d, ro, io, c_mul1(c_load(d, ro, io), w[2 * j], w[2 * j + 1]));
    }
}

static void make_bluestein(tile *t)
{
    const stfi_cpu_pass *cp = t->cp;
    int64_t signal = cp->p.signal;
    int ro = cp->p.inverse ? t->io : t->ro;
    int io = cp->p.inverse ? t->ro : t->io;

    weigh_source(t, 0, signal);
    load_segment(t, 0, signal, t->data, NULL);
    multiply_chirp(t, ro, io);
    memset(t->data + signal * ELEM, 0,
           (size_t)((cp->p.n - signal) * ELEM) * sizeof(real));
    convolve(t, ro, io);
    strike_results(t);
    multiply_chirp(t, ro, io);
    finish(t, signal, NULL);
}

static void put_bluestein(tile *t)
{
    put_segment(t, 0, t->cp->p.signal, t->data, NULL);
}

static void put_spread(tile *t)
{
    put_segment(t, 0, t->cp->p.n, t->data, NULL);
}

static void make_spread(tile *t)
{
    weigh_source(t, 0, t->cp->p.n);
    load_segment(t, 0, t->cp->p.n, t->data, NULL);
    convolve(t, t->ro, t->io);
    strike_results(t);
    finish(t, t->cp->p.n, NULL);
}

#endif
