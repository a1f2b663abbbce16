/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Transforms W rows of RADIX elements in registers, because a trip through the
 * tile would cost as much as the butterfly. This file is included once per
 * radix, with RADIX defined as a multiple of W/2. */

#define OF_RADIX(name) STFI_CAT(STFI_CAT(name, _), RADIX)

INLINE void OF_RADIX(write_rows)(const tile *t, int inverse, const C *x)
{
    UNROLL
    for (int e = 0; e < RADIX; e += W / 2)
        write_square(&t->work.out, e, inverse, x + e);
}

static void OF_RADIX(rows)(tile *t, int inverse)
{
    C x[RADIX];

    UNROLL
    for (int e = 0; e < RADIX; e += W / 2)
        read_square(&t->work.in, e, inverse, x + e);
    OF_RADIX(bf)(x);
    OF_RADIX(write_rows)(t, inverse, x);
    t->stored = 1;
}

/* Writes the elements to the tile. */
INLINE void OF_RADIX(spill)(const tile *t, const C *x)
{
    const probe *k = t->probe;

    UNROLL
    for (int e = 0; e < RADIX; e++)
        c_store(t->data + e * ELEM, k->ro, k->io, x[e]);
}

INLINE void OF_RADIX(strike_rows)(const tile *t, int stage, C *x)
{
    const probe *k = t->probe;

    OF_RADIX(spill)(t, x);
    strike(t, stage, 0, RADIX, t->data, NULL);
    UNROLL
    for (int e = 0; e < RADIX; e++)
        x[e] = c_load(t->data + e * ELEM, k->ro, k->io);
}

/* The weighted terms of row l, as they are in memory. */
INLINE V OF_RADIX(terms)(const port *p, int l, const sum *w, weights kind,
                         int inverse)
{
    V re = {0}, im = {0};

    UNROLL
    for (int v = 0; v < RADIX / (W / 2); v++) {
        V x = load_stored(p->at[l] + W * v), wr, wi;
        row_weights(w, v, kind, &wr, &wi);
        re = re + x * wr;
        if (kind != WEIGHTS_REAL)
            im = im + x * wi;
    }
    return row_terms(re, im, kind, FOLD_COMPLEX, inverse);
}

INLINE void OF_RADIX(weigh_input)(const tile *t, int inverse, weights kind,
                                  V *terms)
{
    UNROLL
    for (int l = 0; l < W; l++)
        terms[l] =
            OF_RADIX(terms)(&t->seen.in, l, t->probe->row, kind, inverse);
}

INLINE void OF_RADIX(weigh_output)(const tile *t, int inverse, weights kind,
                                   V *terms)
{
    UNROLL
    for (int l = 0; l < W; l++)
        terms[l] = OF_RADIX(terms)(&t->seen.out, l, t->probe->e, kind, inverse)
                   - terms[l];
}

INLINE V OF_RADIX(power)(const C *x)
{
    C power = c_set(0, 0);

    UNROLL
    for (int e = 0; e < RADIX; e++) {
        power.r = power.r + x[e].r * x[e].r;
        power.i = power.i + x[e].i * x[e].i;
    }
    return power.r + power.i;
}

/* As the unchecked function, with a residual over what lies in memory before and
 * after it. Only for results that need not wait for the verdict. */
static void OF_RADIX(checked_rows)(tile *t, int inverse)
{
    probe *k = t->probe;
    C x[RADIX], d = c_set(0, 0);
    V terms[W];
    int swap = k->ro != 0; /* of its own, as a wrong direction must show */

    if (k->real_row)
        OF_RADIX(weigh_input)(t, swap, WEIGHTS_REAL, terms);
    else
        OF_RADIX(weigh_input)(t, swap, WEIGHTS_COMPLEX, terms);
    READ_AGAIN();
    UNROLL
    for (int e = 0; e < RADIX; e += W / 2)
        read_square(&t->work.in, e, inverse, x + e);
    k->power[0] = OF_RADIX(power)(x);
    if (k->deep) {
        OF_RADIX(spill)(t, x);
        probe_measure(k, t->data, NULL, RADIX, 1);
    }
    if (t->struck)
        OF_RADIX(strike_rows)(t, 0, x);
    OF_RADIX(bf)(x);
    if (t->struck)
        OF_RADIX(strike_rows)(t, 1, x);
    OF_RADIX(write_rows)(t, inverse, x);
    READ_AGAIN();
    if (k->real_e)
        OF_RADIX(weigh_output)(t, swap, WEIGHTS_REAL, terms);
    else
        OF_RADIX(weigh_output)(t, swap, WEIGHTS_COMPLEX, terms);
    transpose(terms);
    UNROLL
    for (int i = 0; i < W; i += 2) {
        d.r += terms[i];
        d.i += terms[i + 1];
    }
    k->residual[k->residuals++] = d;
    t->stored = 1;
}

#undef OF_RADIX
#undef RADIX
