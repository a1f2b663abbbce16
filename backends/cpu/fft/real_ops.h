/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Real transforms within a tile: R2C and C2R, of one signal as n pairs of
 * reals, or of two signals as one complex one. */
#ifndef STFI_FFT_REAL_OPS_H
#define STFI_FFT_REAL_OPS_H

#include "backends/cpu/protect/finish.h"
#include "backends/cpu/fft/pairs.h"

/* Makes elements 0 .. n of the spectrum of 2n reals from the transform Z of
 * their n pairs, in natural order. */
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

/* The reverse of separate(): makes Z, in pos order, from elements 0 .. n. The
 * imaginary parts of elements 0 and n are ignored. */
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

static void make_r2c(tile *t)
{
    const stfi_pass *p = &t->cp->p;

    weigh_source(t, 0, p->n);
    load_segment(t, 0, p->n, t->data, t->cp->pos);
    strike(t, 0, 0, p->n, t->data, t->cp->pos);
    run_stages(t, 0, 0, p->nstages, t->ro, t->io);
    strike_results(t);
    separate(t);
    finish(t, p->n + 1, NULL);
}

static void put_r2c(tile *t)
{
    put_segment(t, 0, t->cp->p.n + 1, t->data, NULL);
}

/* Weighs `count` elements of a half spectrum from number k on, as loaded. All
 * elements but the real ones at both ends (`end` is 1) also stand for their
 * mirror image, so their squares count twice in the norm. */
static void weigh_half(probe *b, sums *s, int64_t k, int64_t count,
                       const real *data, int end)
{
    V before = s->power;

    weigh(s, FOLD_PAIRS, b->row + 4 * k, data, NULL, count, 1);
    s->power = before + (s->power - before) * (real)(end ? 1 : 2);
    probe_measure(b, data, NULL, count, end ? 1 : 2);
}

/* Weighs element k of a half spectrum, which is real: its imaginary part is
 * ignored. */
static void weigh_end(const tile *t, sums *s, const port *p, int64_t k)
{
    read_limited(p, k, 1, t->again, NULL);
    store(t->again + W, (V){0});
    weigh_half(t->probe, s, k, 1, t->again, 1);
}

/* Weighs a half spectrum of n points, as it is in memory. */
static void weigh_spectrum(const tile *t, sums *s, const port *p, int64_t n)
{
    int64_t end = (n + 1) / 2;

    for (int64_t k = 1, size; k < end; k += size) {
        size = end - k < AGAIN ? end - k : AGAIN;
        read_limited(p, k, size, t->again, NULL);
        weigh_half(t->probe, s, k, size, t->again, 0);
    }
    weigh_end(t, s, p, 0);
    if (n % 2 == 0)
        weigh_end(t, s, p, n / 2);
}

static void make_c2r(tile *t)
{
    const stfi_pass *p = &t->cp->p;
    const uint32_t *pos = t->cp->pos;
    int64_t n = p->n;

    if (t->probe != NULL)
        weigh_spectrum(t, &t->probe->in, &t->seen.in, 2 * n);
    load_segment(t, 0, n, t->data, pos);
    load_segment(t, n, 1, t->data + n * ELEM, NULL);
    join(t);
    strike(t, 0, 0, n, t->data, pos);
    run_stages(t, 0, 0, p->nstages, t->ro, t->io);
    strike_results(t);
    finish(t, n, NULL);
}

/* Moves the site on to the second of two spectra or signals. */
static void site_second(site *s, const stfi_pass *p)
{
    for (int l = 0; l < W; l++) {
        s->in.at[l] = component(&s->in, l, 2 * p->load.pair);
        s->out.at[l] = component(&s->out, l, 2 * p->store.pair);
    }
}

/* Makes two copies of the tile, one for each of two spectra; the second is
 * `pair` complex elements further on in memory. Loads and stores by the copies
 * are not weighed. */
static void go_two(const tile *t, tile *first, tile *second)
{
    *first = *t;
    first->probe = NULL;
    *second = *first;
    site_second(&second->work, &t->cp->p);
    if (t->probe != NULL)
        site_second(&second->seen, &t->cp->p);
}

/* a + c b, c as in ft/instrument.h. */
INLINE C both(C a, C b)
{
    return c_add(a,
                 c_mul1(b, (real)STFI_FT_SECOND_RE, (real)STFI_FT_SECOND_IM));
}

/* Elements of a spectrum that are read or stored at a time: some squares. */
enum { PART = 2 * W };

/* The elements of each part of `count`: the last one overlaps the one before, so that it
 * is not shorter than a square. */
static int64_t part_size(int64_t count)
{
    return count < PART ? count : PART;
}

/* The places of elements k to k + PART - 1 of the second spectrum, which lies backwards
 * from place n + 1 on. */
static void second_places(const tile *t, int64_t k, uint32_t *pos)
{
    for (int i = 0; i < PART; i++)
        pos[i] = (uint32_t)(t->cp->p.n + 1 - k - i);
}

/* Returns the sum over the spectra A and B, as a + c b of their sums. */
static C weigh_two(const tile *t, int in_memory)
{
    probe *k = t->probe;
    int64_t half = t->cp->p.n / 2;
    tile first, second;
    C a;

    go_two(t, &first, &second);
    second.probe = k;
    if (in_memory)
        weigh_stored(t, 0, half + 1, NULL, NULL);
    else
        probe_store(k, 0, half + 1, t->data, NULL);
    a = sums_take(&k->out, FOLD_COMPLEX, 0);
    if (in_memory)
        weigh_stored(&second, 0, half + 1, NULL, NULL);
    for (int64_t i = 0; i <= half && !in_memory; i += PART) {
        uint32_t pos[PART];
        second_places(t, i, pos);
        probe_store(k, i, part_size(half + 1 - i), t->data, pos);
    }
    return both(a, sums_take(&k->out, FOLD_COMPLEX, 0));
}

/* The norm of two real signals in one lane is that of both. */
static void close_two(const tile *t, C result)
{
    t->probe->result = result;
    probe_take(t->probe, FOLD_TWO, result);
}

static void put_r2c_two(tile *t)
{
    const int64_t count = t->cp->p.n / 2 + 1, size = part_size(count);
    tile first, second;

    go_two(t, &first, &second);
    put_segment(&first, 0, count, t->data, NULL);
    for (int64_t k = 0; k < count; k += size) {
        const int64_t from = square_at(k, size, count);
        uint32_t pos[PART];
        second_places(t, from, pos);
        put_segment(&second, from, size, t->data, pos);
    }
}

/* The transform Z of a + i b holds the spectra A and B of two real signals:
 * A_k = (Z_k + conj Z_(n-k))/2, B_k = (Z_k - conj Z_(n-k))/(2i). */
static void make_r2c_two(tile *t)
{
    int64_t n = t->cp->p.n;
    tile first, second;

    go_two(t, &first, &second);
    weigh_source(t, 0, n);
    load_segment(t, 0, n, t->data, t->cp->pos);
    strike(t, 0, 0, n, t->data, t->cp->pos);
    run_stages(t, 0, 0, t->cp->p.nstages, t->ro, t->io);
    strike_results(t);
    for (int64_t k = 0; 2 * k <= n; k++) {
        real *at = t->data + k * ELEM, *other = t->data + (n + 1 - k) * ELEM;
        C z = c_load(at, 0, W);
        C m = c_load(t->data + (k == 0 ? 0 : n - k) * ELEM, 0, W);
        c_store(at, 0, W, c_scale((C){z.r + m.r, z.i - m.i}, (real)0.5));
        c_store(other, 0, W, c_scale((C){z.i + m.i, m.r - z.r}, (real)0.5));
        modify_segment(&first, k, 1, at, NULL);
        modify_segment(&second, k, 1, other, NULL);
    }
    if (t->probe == NULL)
        return;
    if (n % 2 != 0) /* the place between both spectra */
        memset(t->data + (n / 2 + 1) * ELEM, 0, ELEM * sizeof(real));
    t->probe->results = n + 2;
    t->probe->pos = NULL;
    t->probe->weigh = weigh_two;
    t->stored = !t->probe->late;
    if (t->stored)
        put_r2c_two(t);
    close_two(t, weigh_two(t, t->stored));
}

/* Makes elements k and n - k of Z = A + i B from elements k of the spectra A and B. The
 * imaginary parts of elements 0 and n/2 are ignored. */
static void join_two(const tile *t, int64_t k, const real *in_a,
                     const real *in_b)
{
    const uint32_t *pos = t->cp->pos;
    const int64_t n = t->cp->p.n;
    C a = c_load(in_a, 0, W), b = c_load(in_b, 0, W);

    if (k == 0 || 2 * k == n)
        a.i = b.i = (V){0};
    else
        c_store(place(t->data, pos, n - k), 0, W, (C){a.r + b.i, b.r - a.i});
    c_store(place(t->data, pos, k), 0, W, (C){a.r - b.i, a.i + b.r});
}

/* Loads both spectra and makes Z, in pos order. */
static void load_two(const tile *t)
{
    const int64_t count = t->cp->p.n / 2 + 1, size = part_size(count);
    tile first, second;

    go_two(t, &first, &second);
    for (int64_t k = 0; k < count; k += size) {
        const int64_t from = square_at(k, size, count);
        load_segment(&first, from, size, t->group, NULL);
        load_segment(&second, from, size, t->group + PART * ELEM, NULL);
        for (int64_t i = 0; i < size; i++)
            join_two(t, from + i, t->group + i * ELEM,
                     t->group + (PART + i) * ELEM);
    }
}

/* Weighs the spectra A and B as they are in memory; returns a + c b of their
 * sums, and the sum of squares. */
static C weigh_spectra(const tile *t, V *power_p)
{
    probe *k = t->probe;
    int64_t n = t->cp->p.n;
    tile first, second;
    C a;

    go_two(t, &first, &second);
    second.probe = k;
    weigh_spectrum(t, &k->in, &t->seen.in, n);
    *power_p = k->in.power;
    a = sums_take(&k->in, FOLD_PAIRS, 0);
    weigh_spectrum(&second, &k->in, &second.seen.in, n);
    *power_p += k->in.power;
    return both(a, sums_take(&k->in, FOLD_PAIRS, 0));
}

static void make_c2r_two(tile *t)
{
    const stfi_pass *p = &t->cp->p;
    probe *k = t->probe;
    V power = {0};
    C in = {power, power};

    if (k != NULL)
        in = weigh_spectra(t, &power);
    load_two(t);
    strike(t, 0, 0, p->n, t->data, t->cp->pos);
    run_stages(t, 0, 0, p->nstages, t->ro, t->io);
    strike_results(t);
    modify_segment(t, 0, p->n, t->data, NULL);
    if (k == NULL)
        return;
    k->results = p->n;
    k->pos = NULL;
    k->weigh = weigh_output;
    t->stored = !k->late;
    if (t->stored)
        put_segment(t, 0, p->n, t->data, NULL);
    k->result = weigh_output(t, t->stored);
    probe_close(k, in, k->result, power);
}

#endif
