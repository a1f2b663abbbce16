/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The passes over tiles for one precision and instruction set. The includer
 * defines STFI_REAL, STFI_REAL_BYTES, STFI_REAL_ID (the stf_precision) and
 * STFI_REAL_NAME (f32, f64, f80); the build defines STFI_ISA, and the ISA
 * decides the number of lanes. */
#ifndef STFI_CPU_KERNEL_H
#define STFI_CPU_KERNEL_H

#include "backends/cpu/pairs.h"
#include "backends/cpu/tile_store.h"

/* Tiles below this size stay in the first-level cache and gain nothing from
 * merging the first and last stages with the load and the store. */
enum { FUSE_BYTES = 16384, GROUP = W > 1 ? W / 2 * (W < 8 ? 2 : 1) : 8 };

static int is_fused(const stfi_cpu_pass *cp)
{
    const stfi_pass *p = &cp->p;

    return p->op == STFI_OP_FFT && p->nstages >= 2
           && p->n * ELEM * (int64_t)sizeof(real) > FUSE_BYTES
           && is_special(p->radix[0]) && is_special(p->radix[p->nstages - 1]);
}

/* Load merged with the first stage: groups of butterflies whose inputs are
 * consecutive elements. */
static void fused_first(const tile *t, int ro, int io)
{
    const stfi_cpu_pass *cp = t->cp;
    int r = cp->p.radix[0];
    int64_t m = cp->p.n / r;

    for (int64_t g = 0; g < m; g += GROUP) {
        int64_t count = g + GROUP <= m ? GROUP : m - g;
        for (int j = 0; j < r; j++)
            load_segment(t, g + j * m, count, t->group + j * count * ELEM,
                         NULL);
        stages[r].first(t->group, 1, count, count, t->data, cp->pos + g,
                        ro, io);
    }
}

/* The last stage merged with the store. */
static void fused_last(const tile *t, int ro, int io)
{
    const stfi_cpu_pass *cp = t->cp;
    int s = cp->p.nstages - 1, r = cp->p.radix[s];
    int64_t m = cp->p.n / r;

    for (int64_t g = 0; g < m; g += GROUP) {
        int64_t count = g + GROUP <= m ? GROUP : m - g;
        stages[r].last(t->data, cp->stage[s], m, g, count, t->group, ro,
                       io);
        for (int j = 0; j < r; j++)
            store_segment(t, g + j * m, count, t->group + j * count * ELEM,
                          NULL);
    }
}

#if STFI_LANES > 1
#if STFI_LANES <= 8
#define RADIX 4
#include "backends/cpu/short_rows.h"
#endif
#define RADIX 8
#include "backends/cpu/short_rows.h"

/* By radix; NULL: none. */
static void (*const short_rows[MAX_SPECIAL + 1])(const tile *, int) = {
#if STFI_LANES <= 8
    [4] = rows_4,
#endif
    [8] = rows_8,
};
#endif

/* Runs a tile of short rows and returns 1, if there is a way for it. */
static int run_short_rows(const tile *t, int inverse)
{
#if STFI_LANES > 1
    const stfi_pass *p = &t->cp->p;

    if (p->nstages != 1 || p->n > MAX_SPECIAL || short_rows[p->n] == NULL
        || t->load != ACCESS_ROWS || t->store != ACCESS_ROWS || t->count < W
        || t->indexed || (p->scaled && t->run->scale != 1.0))
        return 0;
    short_rows[p->n](t, inverse);
    return 1;
#else
    (void)t;
    (void)inverse;
    return 0;
#endif
}

/* An inverse pass exchanges the halves for its transform only; chirps and
 * twiddles keep the run's direction. */
static void run_fft(tile *t)
{
    const stfi_cpu_pass *cp = t->cp;
    int stages_n = cp->p.nstages;
    int ro = cp->p.inverse ? t->io : t->ro;
    int io = cp->p.inverse ? t->ro : t->io;

    if (run_short_rows(t, ro != 0))
        return;
    if (is_fused(cp)) {
        fused_first(t, ro, io);
        run_dit(cp, t->data, 1, stages_n - 1, ro, io);
        fused_last(t, ro, io);
        return;
    }
    load_segment(t, 0, cp->p.n, t->data, cp->pos);
    run_dit(cp, t->data, 0, stages_n, ro, io);
    store_segment(t, 0, cp->p.n, t->data, NULL);
}

/* --------------------------------------------------------- convolutions */

static void multiply_table(const tile *t, int ro, int io)
{
    const stfi_cpu_pass *cp = t->cp;
    const real *table = cp->product;
    int spread = cp->p.conv == STFI_CONV_SPREAD;
    int step = spread ? index_step(t->dst_index, t->count) : 0;
    int64_t zero[W] = {0};
    const int64_t *index = spread ? t->dst_index : zero;
    int64_t elem = spread ? cp->p.store.index.elem : 1;

    for (int64_t k = 0; k < cp->p.n; k++) {
        real *d = place(t->data, cp->pos, k);
        C w = table_at(table, index, t->count, step, k * elem);
        c_store(d, ro, io, c_mul(c_load(d, ro, io), w));
    }
}

/* Transform, product, inverse transform, in natural order at both ends. */
static void convolve(const tile *t, int ro, int io)
{
    const stfi_cpu_pass *cp = t->cp;

    run_dif(cp, t->data, ro, io);
    multiply_table(t, ro, io);
    run_dit(cp, t->data, 0, cp->p.nstages, io, ro);
}

/* A prime of n + 1 elements: element 0 waits at place n, and enters every
 * output through the zero frequency. Source: Rader, Proc. IEEE 56 (1968). */
static void run_rader(tile *t)
{
    const stfi_cpu_pass *cp = t->cp;
    int64_t n = cp->p.n;
    int ro = cp->p.inverse ? t->io : t->ro;
    int io = cp->p.inverse ? t->ro : t->io;
    C first, sum;

    load_segment(t, 0, n + 1, t->data, cp->load_pos);
    run_dif(cp, t->data, ro, io);
    first = c_load(t->data + n * ELEM, ro, io);
    sum = c_load(t->data, ro, io);
    multiply_table(t, ro, io);
    c_store(t->data, ro, io, c_add(c_load(t->data, ro, io), first));
    c_store(t->data + n * ELEM, ro, io, c_add(first, sum));
    run_dit(cp, t->data, 0, cp->p.nstages, io, ro);
    store_segment(t, 0, n + 1, t->data, cp->store_pos);
}

static void multiply_chirp(const tile *t, int ro, int io)
{
    const real *w = t->cp->chirp;
    for (int64_t j = 0; j < t->cp->p.signal; j++) {
        real *d = t->data + j * ELEM;
        c_store(d, ro, io, c_mul1(c_load(d, ro, io), w[2 * j],
                                  w[2 * j + 1]));
    }
}

static void run_bluestein(tile *t)
{
    const stfi_cpu_pass *cp = t->cp;
    int64_t signal = cp->p.signal;
    int ro = cp->p.inverse ? t->io : t->ro;
    int io = cp->p.inverse ? t->ro : t->io;

    load_segment(t, 0, signal, t->data, NULL);
    multiply_chirp(t, ro, io);
    memset(t->data + signal * ELEM, 0,
           (size_t)((cp->p.n - signal) * ELEM) * sizeof(real));
    convolve(t, ro, io);
    multiply_chirp(t, ro, io);
    store_segment(t, 0, signal, t->data, NULL);
}

static void run_spread(tile *t)
{
    load_segment(t, 0, t->cp->p.n, t->data, NULL);
    convolve(t, t->ro, t->io);
    store_segment(t, 0, t->cp->p.n, t->data, NULL);
}

static void run_conv(tile *t)
{
    static void (*const methods[])(tile *) = {
        [STFI_CONV_RADER] = run_rader,
        [STFI_CONV_BLUESTEIN] = run_bluestein,
        [STFI_CONV_SPREAD] = run_spread,
    };
    methods[t->cp->p.conv](t);
}

/* --------------------------------------------------------- real transforms */

/* From the transform Z of n pairs of reals to elements 0 .. n of their
 * spectrum. */
static void separate(const tile *t)
{
    int64_t n = t->cp->p.n;
    const real *w = t->cp->separate;
    C z = c_load(t->data, 0, W);
    V none = z.r - z.r;

    c_store(t->data, 0, W, (C){z.r + z.i, none});
    c_store(t->data + n * ELEM, 0, W, (C){z.r - z.i, none});
    for (int64_t k = 1; 2 * k <= n; k++) {
        real *low = t->data + k * ELEM, *high = t->data + (n - k) * ELEM;
        C a = c_load(low, 0, W), b = c_load(high, 0, W);
        separate_pair(&a, &b, c_set(w[2 * k], w[2 * k + 1]));
        c_store(high, 0, W, b);
        c_store(low, 0, W, a);
    }
}

/* The reverse: from elements 0 .. n to Z in pos order; the imaginary parts of
 * elements 0 and n do not count. */
static void join(const tile *t)
{
    const uint32_t *pos = t->cp->pos;
    int64_t n = t->cp->p.n;
    const real *w = t->cp->separate;
    V a0 = load(t->data), an = load(t->data + n * ELEM);

    c_store(t->data, 0, W, (C){a0 + an, a0 - an});
    for (int64_t k = 1; 2 * k <= n; k++) {
        real *low = place(t->data, pos, k);
        real *high = place(t->data, pos, n - k);
        C a = c_load(low, 0, W), b = c_load(high, 0, W);
        join_pair(&a, &b, c_set(w[2 * k], w[2 * k + 1]));
        c_store(high, 0, W, b);
        c_store(low, 0, W, a);
    }
}

static void run_r2c(tile *t)
{
    load_segment(t, 0, t->cp->p.n, t->data, t->cp->pos);
    run_dit(t->cp, t->data, 0, t->cp->p.nstages, t->ro, t->io);
    separate(t);
    store_segment(t, 0, t->cp->p.n + 1, t->data, NULL);
}

static void run_c2r(tile *t)
{
    int64_t n = t->cp->p.n;

    load_segment(t, 0, n, t->data, t->cp->pos);
    load_segment(t, n, 1, t->data + n * ELEM, NULL);
    join(t);
    run_dit(t->cp, t->data, 0, t->cp->p.nstages, t->ro, t->io);
    store_segment(t, 0, n, t->data, NULL);
}

/* Moves the tile to the second of two spectra, `pair` complex elements from
 * the first. */
static void go_second(const tile *t, tile *second)
{
    *second = *t;
    for (int l = 0; l < W; l++) {
        second->src[l] += 2 * t->cp->p.load.pair;
        second->dst[l] += 2 * t->cp->p.store.pair;
    }
}

/* The transform Z of a + i b holds the spectra A and B of two real signals:
 * A_k = (Z_k + conj Z_(n-k))/2, B_k = (Z_k - conj Z_(n-k))/(2i). */
static void run_r2c_two(tile *t)
{
    int64_t n = t->cp->p.n;
    real *pair = t->group;
    tile second;

    go_second(t, &second);
    load_segment(t, 0, n, t->data, t->cp->pos);
    run_dit(t->cp, t->data, 0, t->cp->p.nstages, t->ro, t->io);
    for (int64_t k = 0; 2 * k <= n; k++) {
        C z = c_load(t->data + k * ELEM, 0, W);
        C m = c_load(t->data + (k == 0 ? 0 : n - k) * ELEM, 0, W);
        c_store(pair, 0, W,
                c_scale((C){z.r + m.r, z.i - m.i}, (real)0.5));
        c_store(pair + ELEM, 0, W,
                c_scale((C){z.i + m.i, m.r - z.r}, (real)0.5));
        store_segment(t, k, 1, pair, NULL);
        store_segment(&second, k, 1, pair + ELEM, NULL);
    }
}

/* The reverse, in pos order; the imaginary parts of elements 0 and n/2 do not
 * count. */
static void run_c2r_two(tile *t)
{
    const uint32_t *pos = t->cp->pos;
    int64_t n = t->cp->p.n;
    real *pair = t->group;
    tile second;

    go_second(t, &second);
    for (int64_t k = 0; 2 * k <= n; k++) {
        C a, b;
        load_segment(t, k, 1, pair, NULL);
        load_segment(&second, k, 1, pair + ELEM, NULL);
        a = c_load(pair, 0, W);
        b = c_load(pair + ELEM, 0, W);
        if (k == 0 || 2 * k == n)
            a.i = b.i = (V){0};
        else
            c_store(place(t->data, pos, n - k), 0, W,
                    (C){a.r + b.i, b.r - a.i});
        c_store(place(t->data, pos, k), 0, W, (C){a.r - b.i, a.i + b.r});
    }
    run_dit(t->cp, t->data, 0, t->cp->p.nstages, t->ro, t->io);
    store_segment(t, 0, n, t->data, NULL);
}

static void run_untangle(tile *t)
{
    for (int l = 0; l < t->count; l++)
        untangle_row(t, l);
}

static void run_tangle(tile *t)
{
    for (int l = 0; l < t->count; l++)
        tangle_row(t, l);
}

/* -------------------------------------------------------------- the passes */

static size_t scratch_elements(const stfi_cpu_pass *cp)
{
    int64_t coarse = cp->fine > 0
                     ? (cp->p.signal + cp->fine - 1) / cp->fine : 0;
    return (size_t)(cp->p.n + 1 + MAX_SPECIAL * GROUP + cp->fine + coarse);
}

static size_t scratch_bytes(const stfi_cpu_pass *cp)
{
    return scratch_elements(cp) * ELEM * sizeof(real) + 64;
}

static void run_pass(const stfi_cpu_pass *cp, const stfi_cpu_run *run,
                     int64_t begin, int64_t end)
{
    static void (*const ops[])(tile *) = {
        [STFI_OP_FFT] = run_fft,           [STFI_OP_CONV] = run_conv,
        [STFI_OP_R2C] = run_r2c,           [STFI_OP_C2R] = run_c2r,
        [STFI_OP_UNTANGLE] = run_untangle, [STFI_OP_TANGLE] = run_tangle,
        [STFI_OP_R2C_TWO] = run_r2c_two,   [STFI_OP_C2R_TWO] = run_c2r_two,
    };
    void (*const op)(tile *) = ops[cp->p.op];
    walk at;
    tile t;

    t.cp = cp;
    t.run = run;
    t.indexed = needs_indices(&cp->p);
    t.src_ahead = prefetch_distance(cp, cp->load_ls[0]);
    t.dst_ahead = prefetch_distance(cp, cp->store_ls[0]);
    t.ro = run->inverse ? W : 0;
    t.io = run->inverse ? 0 : W;
    t.data = run->scratch;
    t.group = t.data + (cp->p.n + 1) * ELEM;
    t.fine = t.group + MAX_SPECIAL * GROUP * ELEM;
    t.coarse = t.fine + cp->fine * ELEM;
    walk_start(&at, cp, run, begin);
    for (int64_t lane = begin; lane < end; lane += W) {
        tile_place(&t, &at, end - lane < W ? (int)(end - lane) : W);
        load_twiddles(&t);
        op(&t);
    }
}

#define KERNELS                                                              \
    STFI_CAT(STFI_CAT(STFI_CAT(stfi_cpu_kernels_, STFI_REAL_NAME), _),       \
             STFI_ISA)
#define STFI_TEXT2(x) #x
#define STFI_TEXT(x) STFI_TEXT2(x)

extern const stfi_cpu_kernels KERNELS;
const stfi_cpu_kernels KERNELS = {
    STFI_TEXT(STFI_ISA), STFI_REAL_ID, W, scratch_bytes, run_pass,
};

#endif
