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
        BY_FORMAT(t->work.out.format,
                  write_square(&t->work.out, AS, e, inverse, x + e));
}

static void OF_RADIX(rows)(tile *t, int inverse)
{
    C x[RADIX];

    UNROLL
    for (int e = 0; e < RADIX; e += W / 2)
        BY_FORMAT(t->work.in.format,
                  read_square(&t->work.in, AS, e, inverse, x + e));
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

/* The weighted terms of row l, or of the joint rows from l on, as they are in
 * memory. */
INLINE V OF_RADIX(terms)(const port *p, int l, int joint, const sum *w,
                         weights kind, int inverse)
{
    V re = {0}, im = {0};

    UNROLL
    for (int v = 0; v < RADIX / (W / 2); v++) {
        V x, wr, wi;
        x = joint ? joint_vector(p, l, W * v) : load_components(p, l, W * v);
        row_weights(w, v, kind, &wr, &wi);
        re = re + x * wr;
        if (kind != WEIGHTS_REAL)
            im = im + x * wi;
    }
    return row_terms(re, im, kind, FOLD_COMPLEX, inverse);
}

/* The terms of all rows of a side, or of its joint sums. */
INLINE void OF_RADIX(weigh_rows)(const port *p, const sum *w, int real_weights,
                                 int inverse, int joint, V *terms)
{
    const int step = joint ? JOINED : 1;

    UNROLL
    for (int l = 0; l < W; l += step)
        terms[l / step] =
            real_weights
                ? OF_RADIX(terms)(p, l, joint, w, WEIGHTS_REAL, inverse)
                : OF_RADIX(terms)(p, l, joint, w, WEIGHTS_COMPLEX, inverse);
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

/* The residuals from the terms of the input and of the output. */
INLINE C OF_RADIX(residual)(const V *in, V *out, int joint)
{
    C d = c_set(0, 0);

    if (joint) {
        UNROLL
        for (int g = 0; g < JOINTS; g++)
            out[g] = out[g] - in[g];
        return joint_lanes(out);
    }
    UNROLL
    for (int l = 0; l < W; l++)
        out[l] = out[l] - in[l];
    transpose(out);
    UNROLL
    for (int i = 0; i < W; i += 2) {
        d.r += out[i];
        d.i += out[i + 1];
    }
    return d;
}

/* As the unchecked function, with residuals over what lies in memory before and
 * after it. Only for results that need not wait for the verdict. */
INLINE void OF_RADIX(weighed_rows)(tile *t, int inverse, int joint)
{
    probe *k = t->probe;
    C x[RADIX];
    V in[W], out[W];
    int swap = k->ro != 0; /* of its own, as a wrong direction must show */

    OF_RADIX(weigh_rows)(&t->seen.in, k->row, k->real_row, swap, joint, in);
    tally(t, 1, 0, RADIX);
    READ_AGAIN();
    UNROLL
    for (int e = 0; e < RADIX; e += W / 2)
        BY_FORMAT(t->work.in.format,
                  read_square(&t->work.in, AS, e, inverse, x + e));
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
    OF_RADIX(weigh_rows)(&t->seen.out, k->e, k->real_e, swap, joint, out);
    tally(t, 0, 0, RADIX);
    k->residual[k->residuals++] = OF_RADIX(residual)(in, out, joint);
    k->results = RADIX;
    k->pos = NULL;
    k->weigh = weigh_output;
    t->stored = 1;
}

static void OF_RADIX(checked_rows)(tile *t, int inverse)
{
    if (t->probe->in.rows->joint)
        OF_RADIX(weighed_rows)(t, inverse, 1);
    else
        OF_RADIX(weighed_rows)(t, inverse, 0);
}

#undef OF_RADIX
#undef RADIX
